import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { isHdf5, isOldRecording, readRecording } from "../src/net/recording.js";
import { axisOf } from "../src/ui/clip-controls.js";
import { actionOf, KEYS } from "../src/ui/keys.js";
import { extentOf, slide } from "../src/view/clip.js";
import { isSolid, smoothNormals, splitAtCreases } from "../src/view/crease.js";
import { edgesOf } from "../src/view/outline.js";
import { oldRecording, stateFrame, topologyFrame } from "./frames.mjs";

// a cube, eight vertices
const CUBE = Float32Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]);
const SIDES = Uint32Array.from([0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 3, 7, 6, 3, 6, 2, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5]);

test("a cube keeps its edges", () => {
    const { source, index } = splitAtCreases(CUBE, SIDES);
    assert.equal(source.length, 24);
    assert.deepEqual([...index].map((i) => source[i]), [...SIDES]);
    const at = Float32Array.from([...source].flatMap((v) => [...CUBE.subarray(3 * v, 3 * v + 3)]));
    const normals = new Float32Array(at.length);
    smoothNormals(at, index, normals);
    for (let i = 0; i < normals.length; i += 3) assert.equal(Math.max(...normals.subarray(i, i + 3).map(Math.abs)), 1);
});

test("with a wide limit it is one surface, stripes stay apart", () => {
    assert.equal(splitAtCreases(CUBE, SIDES, null, -1).source.length, 8);
    const stripes = new Uint8Array(12);
    stripes[0] = stripes[1] = 1;
    assert.equal(splitAtCreases(CUBE, SIDES, stripes, -1).source.length, 12);
});

test("recordings are read up to their last whole record", () => {
    const file = oldRecording({ type: "hello", generation: 1 }, [topologyFrame({ vertexCount: 3, faces: [0, 1, 2] }), ...[0, 1, 2].map((i) => stateFrame({ step: i, time: i / 10, surfaces: [{ positions: new Array(9).fill(i) }] }))]);
    const read = (b) => readRecording(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
    const whole = read(file);
    assert.equal(whole.states.length, 3);
    assert.equal(whole.decode(whole.states[2]).surfaces[0].positions[0], 2);
    assert.equal(read(file.subarray(0, file.length - 10)).states.length, 2);
    assert.throws(() => read(Buffer.from("something else")), /not a recording/);
    assert.throws(() => read(file.subarray(0, 30)), /no states/);
    assert.deepEqual([isOldRecording(file), isHdf5(file), isHdf5(Buffer.from("\x89HDF\r\n\x1a\n", "latin1")), isHdf5(Buffer.from("\x89HDF"))], [true, false, true, false]);
});

test("keys are unique and leave typing alone", () => {
    const all = KEYS.flatMap((g) => g.keys.flatMap(([keys]) => keys));
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(actionOf({ key: "F", target: { tagName: "CANVAS" } }), { action: "fit", key: "f" });
    assert.equal(actionOf({ key: "f", target: { tagName: "INPUT", type: "text" } }), null);
    assert.equal(actionOf({ key: "r", ctrlKey: true, target: null }), null);
    assert.deepEqual(actionOf({ key: "z", ctrlKey: true, target: null }), { action: "undo", key: "z" });
    assert.equal(actionOf({ key: "z", ctrlKey: true, target: { tagName: "INPUT", type: "text" } }), null);
    assert.deepEqual(actionOf({ key: " ", target: { tagName: "BUTTON" } }), { action: "playPause", key: " " });
});

test("only faces around a volume, seen from outside, need no back", () => {
    assert.ok(isSolid(CUBE, SIDES));
    assert.ok(!isSolid(CUBE, SIDES.slice(3)), "a face is missing");
    assert.ok(!isSolid(CUBE, SIDES.map((_, i) => SIDES[i - (i % 3) + 2 - (i % 3)])), "inside out");
    assert.ok(!isSolid(CUBE, Uint32Array.from([...SIDES, ...SIDES])), "twice");
});

test("an edge has two faces, or one at a boundary", () => {
    const whole = edgesOf(SIDES, 8), open = edgesOf(SIDES.slice(3), 8);
    assert.equal(whole.length / 3, 18);
    const others = (edges) => edges.filter((_, i) => i % 3 === 2);
    assert.ok(others(whole).every((f) => f < 12));
    assert.equal(others(open).filter((f) => f >= 12).length, 3);
});

test("a clipping plane moves along its normal, where the pointer takes it", () => {
    const v = (...a) => new THREE.Vector3(...a), ray = (from, to) => new THREE.Ray(from, to.clone().sub(from).normalize());
    // seen from the side: the point of the line under the pointer
    assert.ok(Math.abs(slide(v(0, 0, 0), v(1, 0, 0), ray(v(0, 0, 5), v(0.7, 0, 0)), 99) - 0.7) < 1e-12);
    assert.ok(Math.abs(slide(v(1, 2, 0), v(0, 1, 0), ray(v(3, 3, 8), v(1, 1.5, 0)), 99) + 0.5) < 1e-12);
    // seen along it: up is away from the viewer
    assert.equal(slide(v(0, 0, 0), v(0, 0, 1), ray(v(0, 0, 5), v(0, 0, 0)), 0.2), -0.2);
    assert.equal(slide(v(0, 0, 0), v(0, 0, -1), ray(v(0, 0, 5), v(0, 0, 0)), 0.2), 0.2);
    const box = new THREE.Box3(v(-1, -2, -3), v(1, 2, 3)), r = Math.SQRT1_2;
    assert.deepEqual(extentOf(box, v(0, 1, 0)), [-2, 2]);
    assert.ok(extentOf(box, v(r, r, 0)).every((e, k) => Math.abs(e - [-3 * r, 3 * r][k]) < 1e-12));
    assert.deepEqual([axisOf([0, -1, 0]), axisOf([0, 0, 1]), axisOf([0.6, 0, 0.8])], ["y", "z", "other"]);
});
