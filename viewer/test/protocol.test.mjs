import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame, FrameError, STATE, TOPOLOGY } from "../src/net/protocol.js";
import { contactTotals } from "../src/view/contacts.js";
import { stateFrame, topologyFrame } from "./frames.mjs";

const buffer = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
const state = (more = {}) => stateFrame({ generation: 7, step: 25, time: 0.5, hash: 0x5fa1c0de00112233n, surfaces: [{ body: 1, positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] }], ...more });

test("the frame printed in docs/protocol.md", () => {
    const hex = `53505631 0100 0100 01000000 7c000000 1900000000000000 000000000000e03f 33221100dec0a15f 01000000 01000000 00000000
        00000000 00000000 00000000 01000000 00000000 00000000 03000000 00000000 00000000`.replaceAll(/\s/g, "");
    const bytes = Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(36)]);
    const f = decodeFrame(buffer(bytes));
    assert.equal(f.kind, STATE);
    assert.equal(f.generation, 1);
    assert.equal(f.step, 25);
    assert.equal(f.time, 0.5);
    assert.equal(f.hash, "5fa1c0de00112233");
    assert.equal(f.complete, true);
    assert.equal(f.surfaces[0].vertexCount, 3);
    assert.deepEqual(buffer(bytes), buffer(stateFrame({ step: 25, time: 0.5, hash: 0x5fa1c0de00112233n, surfaces: [{ positions: new Array(9).fill(0) }] })));
});

test("states carry fields and several surfaces", () => {
    const f = decodeFrame(buffer(state({ field: 3, low: -1, high: 2.5, dropped: 9, complete: false,
        surfaces: [{ body: 2, surface: 1, revision: 4, positions: [1, 2, 3], values: [0.25] }, { body: 3, positions: [] }] })));
    assert.deepEqual([f.field, f.low, f.high, f.dropped, f.complete], [3, -1, 2.5, 9, false]);
    assert.deepEqual([f.surfaces[0].body, f.surfaces[0].surface, f.surfaces[0].revision], [2, 1, 4]);
    assert.deepEqual([...f.surfaces[0].positions], [1, 2, 3]);
    assert.deepEqual([...f.surfaces[0].values], [0.25]);
    assert.equal(f.surfaces[1].values, null);
});

const SECTIONS = { point: [1, 2, 3], normal: [0, 0, 1], list: [{ body: 4, positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], regions: [0, 2, 2], faces: [0, 1, 2], values: [5, 6, 7] }, { body: 5, positions: [], regions: [], faces: [] }] };

const CONTACTS = [
    { bodies: [1, 2], point: [0, 0, 0], normal: [0, 1, 0], force: [3, 4, 0], gap: 0, pressure: 8 },
    { bodies: [1, 3], point: [1, 2, 3], normal: [1, 0, 0], force: [0.5, 0, 0], gap: 0.25, pressure: 0 },
];

test("states carry contacts, also behind cross sections", () => {
    for (const sections of [null, SECTIONS]) {
        const { contacts, sections: found } = decodeFrame(buffer(state({ sections, contacts: CONTACTS })));
        assert.equal(found?.list.length, sections?.list.length);
        assert.deepEqual([contacts.count, [...contacts.bodies], [...contacts.gap], [...contacts.pressure]], [2, [1, 2, 1, 3], [0, 0.25], [8, 0]]);
        assert.deepEqual([[...contacts.point], [...contacts.normal], [...contacts.force]], [[0, 0, 0, 1, 2, 3], [0, 1, 0, 1, 0, 0], [3, 4, 0, 0.5, 0, 0]]);
        // the largest force is 5 N, the normal forces are 4 N and 0.5 N
        assert.deepEqual(contactTotals(contacts), { count: 2, largest: 5, sum: 4.5 });
    }
    assert.equal(decodeFrame(buffer(state())).contacts, null);
    assert.equal(decodeFrame(buffer(state({ contacts: [] }))).contacts.count, 0);
});

test("states carry cross sections with their plane", () => {
    const { sections } = decodeFrame(buffer(state({ sections: SECTIONS })));
    assert.deepEqual([sections.point, sections.normal, sections.list.length], [[1, 2, 3], [0, 0, 1], 2]);
    const [s, empty] = sections.list;
    assert.deepEqual([s.body, s.vertexCount, [...s.regions], [...s.faces], [...s.values]], [4, 3, [0, 2, 2], [0, 1, 2], [5, 6, 7]]);
    assert.deepEqual([empty.body, empty.vertexCount, empty.values], [5, 0, null]);
    assert.equal(decodeFrame(buffer(state())).sections, null);
    assert.throws(() => decodeFrame(buffer(state({ sections: { ...SECTIONS, list: [{ ...SECTIONS.list[0], faces: [0, 1, 3] }] } }))), FrameError);
});

test("topologies carry nodes, colours and stripes", () => {
    const f = decodeFrame(buffer(topologyFrame({ vertexCount: 4, faces: [0, 1, 2, 0, 2, 3], nodes: [9, 8, 7, 6], colors: new Array(16).fill(0.5), stripes: [1, 0] })));
    assert.equal(f.kind, TOPOLOGY);
    assert.deepEqual([...f.faces], [0, 1, 2, 0, 2, 3]);
    assert.deepEqual([...f.nodes], [9, 8, 7, 6]);
    assert.equal(f.colors.length, 16);
    assert.deepEqual([...f.stripes], [1, 0]);
});

test("every truncated frame is refused", () => {
    for (const whole of [state({ contacts: CONTACTS }), state({ field: 1, surfaces: [{ positions: [1, 2, 3], values: [1] }] }), state({ sections: SECTIONS }), topologyFrame({ vertexCount: 3, faces: [0, 1, 2], nodes: [0, 1, 2] })])
        for (let n = 0; n < whole.length; n++) {
            const cut = Buffer.from(whole.subarray(0, n));
            if (n >= 16) cut.writeUInt32LE(n, 12);  // also where the length agrees
            assert.throws(() => decodeFrame(buffer(cut)), FrameError, `${n} bytes of ${whole.length}`);
        }
});

test("counts that do not fit, foreign heads and corners out of range are refused", () => {
    const many = state();
    many.writeUInt32LE(0xffffffff, 40);
    const vertices = state();
    vertices.writeUInt32LE(0x7fffffff, 64 + 12);
    const magic = state();
    magic[0] = 0;
    const version = state();
    version.writeUInt16LE(2, 6);
    const kind = state();
    kind.writeUInt16LE(9, 4);
    const size = state();
    size.writeUInt32LE(1000, 12);
    for (const bad of [many, vertices, magic, version, kind, size, topologyFrame({ vertexCount: 2, faces: [0, 1, 2] })])
        assert.throws(() => decodeFrame(buffer(bad)), FrameError);
});
