// Figures that say whether a result can be trusted: sums over bodies, what a server leaves out, how long a warning stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { balanceOf, healthRows, Warnings } from "../src/health.js";

const hello = { bodies: [{ body: 1, name: "beam", kind: "solid" }, { body: 2, name: "hair", kind: "rod" }, { body: 3, name: "floor", kind: "rigid" }] };
const energy = (kinetic, elastic, potential, work, appeared) => ({ kinetic, elastic, potential, work, appeared });

test("a server that tells nothing is not asked for anything", () => {
    assert.deepEqual(healthRows({ type: "stats" }, hello), []);
    assert.deepEqual(balanceOf({ type: "stats" }), { energy: null, work: null, appeared: null });
    assert.deepEqual(healthRows({ bodies: [{ body: 1, inverted: null, volume_lost: null, penetration: null, energy: null }] }, hello), []);
});

test("energies are summed over bodies, and unknown where a part is", () => {
    const a = { body: 1, energy: energy(1, 2, -0.5, 3, 0.25) }, b = { body: 2, energy: energy(10, 20, 5, 40, 0) };
    assert.deepEqual(balanceOf({ bodies: [a, b] }), { energy: 37.5, work: 43, appeared: 0.25 });
    // a material without energy: no sum, but what appeared in the other is known
    const c = { body: 2, energy: energy(10, null, 5, 40, null) };
    assert.deepEqual(balanceOf({ bodies: [a, c] }), { energy: null, work: 43, appeared: 0.25 });
    assert.deepEqual(balanceOf({ bodies: [a, { body: 2 }] }), { energy: null, work: null, appeared: 0.25 });
});

test("a row tells each figure with its unit, marked where it is a reason to doubt", () => {
    const stats = { bodies: [{ body: 1, inverted: 12, volume_lost: 0.034, penetration: 0, energy: energy(1, 1, 1, 1, 0.5) }, { body: 2, inverted: 0, volume_lost: null, penetration: 0.002, energy: null }] };
    assert.deepEqual(healthRows(stats, hello), [
        { name: "beam", inverted: "12", volume: "3.4 %", penetration: "0 m", appeared: "500 mJ", bad: true },
        { name: "hair", inverted: "0", volume: "–", penetration: "2 mm", appeared: "–", bad: false },
    ]);
});

test("a warning comes at once, stays a while after its cause, and can be put away", () => {
    const w = new Warnings(3000), one = [{ name: "inverted", text: "12 elements of beam are inverted" }];
    assert.equal(w.take(undefined, 0), "");
    assert.equal(w.take(one, 100), "12 elements of beam are inverted.");
    assert.equal(w.take([], 3000), "12 elements of beam are inverted.");  // no flicker
    assert.equal(w.take([], 3101), "");
    assert.equal(w.take([...one, { name: "energy-gain", text: "energy appeared" }], 4000), "12 elements of beam are inverted. Energy appeared.");
    w.hide();
    assert.equal(w.take(one, 4100), "");  // known by now
    assert.equal(w.take([{ name: "penetration", text: "bodies overlap" }], 4200), "Bodies overlap.");
    w.clear();
    assert.equal(w.take(one, 4300), "12 elements of beam are inverted.");
});
