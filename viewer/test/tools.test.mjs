// Tools without a browser: where a ball flies, which link is clicked, what a click is, bodies that come before they are described.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";

globalThis.window = { addEventListener() {} };
globalThis.document = {};
const { aimed, distanceToSegment, Tools } = await import("../src/view/tools.js");
const { forceOn } = await import("../src/view/contacts.js");

const nothing = () => {};

test("a ball reaches its target in spite of gravity", () => {
    const from = [1, 2, 3], to = [0, 0.5, -2], gravity = [0, -9.81, 1], speed = 4;
    const v = aimed(from, to, speed, gravity), t = Math.hypot(...to.map((x, k) => x - from[k])) / speed;
    const there = from.map((x, k) => x + v[k] * t + 0.5 * gravity[k] * t * t);
    there.forEach((x, k) => assert.ok(Math.abs(x - to[k]) < 1e-12));
    assert.deepEqual(aimed(from, from, speed, [0, 0, 0]), [0, 0, 0]);
});

test("a link is near between its ends, and beside them not", () => {
    assert.equal(distanceToSegment([5, 3], [0, 0], [10, 0]), 3);
    assert.equal(distanceToSegment([13, 4], [0, 0], [10, 0]), 5);
    assert.equal(distanceToSegment([3, 4], [0, 0], [0, 0]), 5);
});

test("forces on the second body have the opposite sign", () => {
    const contacts = { count: 2, bodies: Uint32Array.from([1, 2, 2, 3]), force: Float32Array.from([0, 4, 0, 1, 0, 0]) };
    assert.deepEqual(forceOn(contacts, 1), [0, 4, 0]);
    assert.deepEqual(forceOn(contacts, 2), [1, -4, 0]);
    assert.deepEqual(forceOn(null, 2), [0, 0, 0]);
});

function setUp(may = true) {
    const sent = [], canvas = { getBoundingClientRect: () => ({ left: 0, top: 0, width: 200, height: 200 }), parentElement: { addEventListener: nothing } };
    const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 10);
    camera.position.set(0, 0, 2);
    camera.updateMatrixWorld();
    const stage = { canvas, camera, controls: { target: new THREE.Vector3() }, size: 1, invalidate: nothing };
    const ray = new THREE.Raycaster();
    const touch = { pick: () => null, aim: (e) => (ray.setFromCamera(new THREE.Vector2(e.clientX / 100 - 1, 1 - e.clientY / 100), camera), ray) };
    const bodies = { box: () => new THREE.Box3(), generation: 1, get: () => null };
    const hooks = Object.fromEntries(["throw", "probe", "unprobe", "attach", "detach", "selected"].map((name) => [name, (m) => sent.push([name, m])]));
    const tools = new Tools(stage, bodies, { dropHand: nothing, setHand: nothing }, touch, { ...hooks, may: () => may, gravity: () => [0, 0, 0], moved: nothing, stiffness: () => 7 });
    const at = (x, y) => ({ pointerId: 1, button: 0, buttons: 0, clientX: x, clientY: y, target: canvas, pointerType: "mouse", stopPropagation: nothing, preventDefault: nothing });
    return { tools, sent, at };
}

test("a click throws, a drag does not", () => {
    const { tools, sent, at } = setUp();
    tools.select("throw");
    tools.down(at(100, 100)), tools.up(at(150, 100));
    assert.deepEqual(sent, [["selected", "throw"]]);
    tools.down(at(102, 100)), tools.up(at(100, 100));
    assert.equal(sent.at(-1)[0], "throw");
    // from the camera towards the middle of the picture
    assert.ok(sent.at(-1)[1].velocity[2] < 0 && Math.abs(sent.at(-1)[1].velocity[0]) < 1e-9);
    tools.select("drag");
    tools.down(at(100, 100)), tools.up(at(100, 100));
    assert.deepEqual(sent.at(-1), ["selected", "drag"]);
});

test("who only watches throws nothing", () => {
    const { tools, sent, at } = setUp(false);
    tools.select("throw");
    tools.down(at(100, 100)), tools.up(at(100, 100));
    tools.select("probe");
    tools.move(at(100, 100));
    assert.deepEqual(sent.map(([name]) => name), ["selected", "selected"]);
});

test("a probe goes deeper with the wheel, and leaves with its tool", async () => {
    const { tools, sent, at } = setUp();
    tools.select("probe");
    tools.move(at(100, 100));
    const first = sent.at(-1)[1].at[2];
    tools.wheel({ ...at(100, 100), deltaY: -100 });
    await new Promise((done) => setTimeout(done, 40));
    assert.ok(sent.at(-1)[1].at[2] < first, "away from the camera");
    // the shaft is seen: it comes from beside the camera
    assert.ok(sent.at(-1)[1].from[0] > 0 && sent.at(-1)[1].from[1] > 0);
    tools.select("drag");
    assert.deepEqual(sent.slice(-2).map(([name]) => name), ["unprobe", "selected"]);
});
