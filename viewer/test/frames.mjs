// Frames of docs/protocol.md, written: what the decoder is tested against.

function head(kind, generation, bytes) {
    const b = Buffer.alloc(16);
    b.write("SPV1", 0, "latin1");
    b.writeUInt16LE(kind, 4), b.writeUInt16LE(1, 6), b.writeUInt32LE(generation, 8), b.writeUInt32LE(bytes, 12);
    return b;
}

function whole(kind, generation, parts) {
    const body = Buffer.concat(parts);
    return Buffer.concat([head(kind, generation, 16 + body.length), body]);
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const words = (...list) => bytesOf(Uint32Array.from(list));

export function topologyFrame({ generation = 1, body = 1, surface = 0, revision = 0, vertexCount, faces, nodes = null, colors = null, stripes = null }) {
    const flags = (nodes ? 1 : 0) | (colors ? 2 : 0) | (stripes ? 4 : 0);
    const parts = [words(body, surface, revision, vertexCount, faces.length / 3, flags), bytesOf(Uint32Array.from(faces))];
    if (nodes) parts.push(bytesOf(Int32Array.from(nodes)));
    if (colors) parts.push(bytesOf(Float32Array.from(colors)));
    if (stripes) parts.push(bytesOf(Uint8Array.from(stripes)), Buffer.alloc((4 - (stripes.length % 4)) % 4));
    return whole(2, generation, parts);
}

export function stateFrame({ generation = 1, step = 0, time = 0, hash = 0n, field = 0, low = 0, high = 0, dropped = 0, complete = true, surfaces, sections = null, contacts = null }) {
    const first = Buffer.alloc(24);
    first.writeBigUInt64LE(BigInt(step), 0), first.writeDoubleLE(time, 8), first.writeBigUInt64LE(hash, 16);
    const range = Buffer.alloc(8);
    range.writeFloatLE(low, 0), range.writeFloatLE(high, 4);
    const parts = [first, words(surfaces.length, (complete ? 1 : 0) | (sections ? 2 : 0) | (contacts ? 4 : 0), field), range, words(dropped)];
    for (const s of surfaces) {
        parts.push(words(s.body ?? 1, s.surface ?? 0, s.revision ?? 0, s.positions.length / 3, s.values ? 1 : 0, 0), bytesOf(Float32Array.from(s.positions)));
        if (s.values) parts.push(bytesOf(Float32Array.from(s.values)));
    }
    if (sections) parts.push(bytesOf(Float32Array.from([...sections.point, ...sections.normal])), words(sections.list.length, 0));
    for (const s of sections?.list ?? []) {
        parts.push(words(s.body, s.positions.length / 3, s.faces.length / 3, s.values ? 1 : 0), bytesOf(Float32Array.from(s.positions)), words(...s.regions), words(...s.faces));
        if (s.values) parts.push(bytesOf(Float32Array.from(s.values)));
    }
    if (contacts) {
        parts.push(words(contacts.length, 0), words(...contacts.flatMap((c) => c.bodies)));
        for (const name of ["point", "normal", "force"]) parts.push(bytesOf(Float32Array.from(contacts.flatMap((c) => c[name]))));
        for (const name of ["gap", "pressure"]) parts.push(bytesOf(Float32Array.from(contacts.map((c) => c[name]))));
    }
    return whole(1, generation, parts);
}

// a recording of earlier versions: the hello as an object, then frames
export function oldRecording(hello, frames) {
    const record = (kind, data) => {
        const head = Buffer.alloc(8);
        head.writeUInt32LE(kind, 0), head.writeUInt32LE(data.length, 4);
        return Buffer.concat([head, data, Buffer.alloc((8 - (data.length % 8)) % 8)]);
    };
    return Buffer.concat([Buffer.from("SPVREC1\0"), record(0, Buffer.from(JSON.stringify(hello))), ...frames.map((f) => record(1, Buffer.from(f)))]);
}
