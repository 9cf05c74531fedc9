import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress, writeAddress } from "../src/address.js";

test("what is written is read again", () => {
    const values = { scene: "scenes/rods/ribbon.xml", color: "von-mises", range: [0, 1.5e4], wire: true, shadow: false, camera: [1, 2, 3, 0, -0.5, 0], theme: "dark", clip: [0, 0.1, 0, 0, 0.6, 0.8], interfaces: true, k: 250, speed: 0.1, gravity: [0, -1.62, 0] };
    const params = { "beam.young": 20000, "a & b.density": 1e3 };
    const text = writeAddress(values, { wire: false, shadow: true }, params);
    assert.deepEqual(readAddress(text), { values, params });
    assert.match(text, /scene=scenes\/rods\/ribbon\.xml/);
});

test("defaults are left out", () => {
    assert.equal(writeAddress({ wire: false, theme: "light", camera: undefined, range: null }, { wire: false, theme: "light" }), "");
    assert.equal(writeAddress({ gravity: [0, -9.81, 0], dt: 0.02 }, { gravity: [0, -9.81, 0], dt: 0.01 }), "#dt=0.02");
    assert.equal(writeAddress({ clip: false }, { clip: [0, 0, 0, 0, 0, 1] }), "#clip=0");
    assert.deepEqual(readAddress("#clip=0").values, { clip: false });
});

test("nonsense is ignored", () => {
    const { values, params } = readAddress("#wire=maybe&clip=1,2,3,0,0,0&camera=1,2&k=-3&speed=fast&dt=&theme=%3Cscript%3E&__proto__=1&toString=1&p.x=abc&p.y=1e3&unknown=1");
    assert.deepEqual(values, {});
    assert.deepEqual(params, { y: 1000 });
    assert.deepEqual(readAddress("#%E0%A4%A"), { values: {}, params: {} });
});
