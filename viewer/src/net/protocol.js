// Binary frames of docs/protocol.md, read with every length checked: a frame is believed only as far as its bytes go. Arrays are
// views of the frame, not copies.

export const STATE = 1, TOPOLOGY = 2;
const MAGIC = 0x31565053;  // "SPV1", read as a little-endian number

export class FrameError extends Error {}

function check(good, what) {
    if (!good) throw new FrameError(what);
}

class Reader {
    constructor(buffer) {
        this.buffer = buffer;
        this.view = new DataView(buffer);
        this.at = 0;
    }

    need(bytes) {
        check(bytes >= 0 && this.at + bytes <= this.buffer.byteLength,
            `frame ends at ${this.buffer.byteLength}, ${this.at + bytes} bytes needed`);
        this.at += bytes;
        return this.at - bytes;
    }

    u16() { return this.view.getUint16(this.need(2), true); }
    u32() { return this.view.getUint32(this.need(4), true); }
    f32() { return this.view.getFloat32(this.need(4), true); }
    f64() { return this.view.getFloat64(this.need(8), true); }
    // steps fit 2^53 for as long as anybody will watch
    u64() { return Number(this.view.getBigUint64(this.need(8), true)); }
    hex64() { return this.view.getBigUint64(this.need(8), true).toString(16).padStart(16, "0"); }

    array(Type, count) {
        return new Type(this.buffer, this.need(count * Type.BYTES_PER_ELEMENT), count);
    }
}

export function decodeFrame(buffer) {
    const r = new Reader(buffer);
    check(r.u32() === MAGIC, "not a frame: it does not begin with SPV1");
    const kind = r.u16(), version = r.u16();
    const generation = r.u32(), size = r.u32();
    check(version === 1, `layout ${version} of a frame, this page knows 1`);
    check(size === buffer.byteLength, `frame of ${buffer.byteLength} bytes says it has ${size}`);
    if (kind === TOPOLOGY) return { kind, generation, ...decodeTopology(r) };
    if (kind === STATE) return { kind, generation, ...decodeState(r) };
    throw new FrameError(`frame of unknown kind ${kind}`);
}

function decodeTopology(r) {
    const body = r.u32(), surface = r.u32(), revision = r.u32(), n = r.u32(), m = r.u32(), flags = r.u32();
    const faces = r.array(Uint32Array, 3 * m);
    const nodes = flags & 1 ? r.array(Int32Array, n) : null;
    const colors = flags & 2 ? r.array(Float32Array, 4 * n) : null;
    const stripes = flags & 4 ? r.array(Uint8Array, m) : null;
    for (let i = 0; i < faces.length; i++) check(faces[i] < n, `corner ${i} of a face is vertex ${faces[i]} of ${n}`);
    return { body, surface, revision, vertexCount: n, faces, nodes, colors, stripes };
}

function decodeSurface(r) {
    const body = r.u32(), surface = r.u32(), revision = r.u32(), n = r.u32(), flags = r.u32();
    r.u32();
    const positions = r.array(Float32Array, 3 * n);
    const values = flags & 1 ? r.array(Float32Array, n) : null;
    return { body, surface, revision, vertexCount: n, positions, values };
}

// cross sections with the clipping plane of this page
function decodeSections(r) {
    const point = Array.from(r.array(Float32Array, 3)), normal = Array.from(r.array(Float32Array, 3)), count = r.u32(), list = [];
    r.u32();
    check(count <= (r.buffer.byteLength - r.at) / 16, `${count} sections in ${r.buffer.byteLength} bytes`);
    for (let i = 0; i < count; i++) {
        const body = r.u32(), n = r.u32(), m = r.u32(), flags = r.u32();
        const positions = r.array(Float32Array, 3 * n), regions = r.array(Uint32Array, n), faces = r.array(Uint32Array, 3 * m);
        const values = flags & 1 ? r.array(Float32Array, n) : null;
        for (let k = 0; k < faces.length; k++) check(faces[k] < n, `corner ${k} of a section is vertex ${faces[k]} of ${n}`);
        list.push({ body, vertexCount: n, positions, regions, faces, values });
    }
    return { point, normal, list };
}

// contacts by constraints: arrays with a row for each
function decodeContacts(r) {
    const count = r.u32();
    r.u32();
    check(count <= (r.buffer.byteLength - r.at) / 52, `${count} contacts in ${r.buffer.byteLength} bytes`);
    const bodies = r.array(Uint32Array, 2 * count), point = r.array(Float32Array, 3 * count), normal = r.array(Float32Array, 3 * count);
    const force = r.array(Float32Array, 3 * count), gap = r.array(Float32Array, count), pressure = r.array(Float32Array, count);
    return { count, bodies, point, normal, force, gap, pressure };
}

function decodeState(r) {
    const step = r.u64(), time = r.f64(), hash = r.hex64(), count = r.u32(), flags = r.u32();
    const field = r.u32(), low = r.f32(), high = r.f32(), dropped = r.u32();
    check(count <= (r.buffer.byteLength - r.at) / 24, `${count} surfaces in ${r.buffer.byteLength} bytes`);
    const surfaces = [];
    for (let i = 0; i < count; i++) surfaces.push(decodeSurface(r));
    const sections = flags & 2 ? decodeSections(r) : null;
    const contacts = flags & 4 ? decodeContacts(r) : null;
    return { step, time, hash, complete: (flags & 1) !== 0, field, low, high, dropped, surfaces, sections, contacts };
}

