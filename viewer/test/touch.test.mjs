// Drags without a browser: what a pointer sends, over a stage that only has a camera.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";

globalThis.window = { addEventListener() {} };
const { Touch } = await import("../src/view/touch.js");

const nothing = () => {};
const settled = () => new Promise((done) => setTimeout(done, 40));  // longer than the 60th of a second between two messages

function setUp(answer) {
    const sent = [];
    const canvas = { parentElement: { addEventListener: nothing }, getBoundingClientRect: () => ({ left: 0, top: 0, width: 200, height: 200 }), setPointerCapture: nothing };
    const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 10);
    camera.position.set(0, 0, 2);
    camera.updateMatrixWorld();
    const stage = { canvas, camera, controls: { enabled: true }, invalidate: nothing };
    const hooks = { grab: (m) => (sent.push(["grab", m]), answer()), drag: (m) => sent.push(["drag", m]), drop: (slot) => sent.push(["drop", slot]), moved: nothing, hover: nothing };
    const touch = new Touch(stage, { generation: 1, get: () => null }, { setHand: nothing, dropHand: nothing }, hooks);
    const hit = { surfaceMesh: { info: { body: 1, surface: 2 }, topology: { revision: 5 } }, face: 7, weights: [0.2, 0.3, 0.5], point: new THREE.Vector3(0.1, 0, 0) };
    return { touch, sent, stage, begin: () => touch.begin({ pointerId: 1, clientX: 100, clientY: 100 }, hit), move: (x) => touch.move({ pointerId: 1, clientX: x, clientY: 90 }) };
}

test("a point is named once, then only its target moves", async () => {
    const { touch, sent, begin, move } = setUp(() => Promise.resolve({}));
    begin();
    for (const x of [110, 120, 130]) move(x), await settled();
    touch.up({ pointerId: 1 });
    assert.deepEqual(sent[0], ["grab", { slot: 0, body: 1, surface: 2, face: 7, weights: [0.2, 0.3, 0.5], revision: 5, target: [0.1, 0, 0] }]);
    const moves = sent.slice(1, -1);
    assert.ok(moves.length >= 3, `${moves.length} moves`);
    for (const [kind, m] of moves) assert.deepEqual([kind, Object.keys(m)], ["drag", ["slot", "target"]]);
    assert.deepEqual(sent.at(-1), ["drop", 0]);
});

test("moves wait until the point is held, and the last of them counts", async () => {
    let hold;
    const { sent, begin, move } = setUp(() => new Promise((done) => (hold = done)));
    const drag = begin();
    for (const x of [110, 150]) move(x), await settled();
    assert.equal(sent.length, 1);
    hold({});
    await settled();
    assert.deepEqual(sent.slice(1), [["drag", { slot: 0, target: drag.target.toArray() }]]);
});

test("a refused point is let go", async () => {
    const { touch, sent, stage, begin, move } = setUp(() => Promise.reject(new Error("no")));
    begin();
    await settled();
    move(150);
    await settled();
    assert.deepEqual(sent.map(([kind]) => kind), ["grab", "drop"]);
    assert.equal(touch.drags.size, 0);
    assert.equal(stage.controls.enabled, true);
});
