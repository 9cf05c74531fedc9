import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { shapeOf, widened } from "../src/view/lens.js";

const half = (degrees) => Math.tan((degrees * Math.PI) / 360);
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("a narrow window keeps what is seen from left to right, a wide one from top to bottom", () => {
    near(widened(40, 1.5, 2), 40);
    near(half(widened(40, 1.5, 0.5)) * 0.5, half(40) * 1.5);
});

test("no more is kept than the picture shows, or the bodies need", () => {
    const up = new THREE.Vector3(0, 1, 0), box = (x) => new THREE.Box3(new THREE.Vector3(-x, -1, -1), new THREE.Vector3(x, 1, 1));
    const camera = { at: [0, 0, 10], to: [0, 0, 0], fov: 40 };
    assert.equal(shapeOf(camera, up, box(1)), 1);
    near(shapeOf(camera, up, box(4)), (1.1 * 4) / 9 / half(40));
    assert.equal(shapeOf(camera, up, box(100)), 16 / 9);
    assert.equal(shapeOf({ ...camera, at: [0, 0, 0.5] }, up, box(1)), 16 / 9);
});
