import assert from "node:assert/strict";
import { test } from "node:test";
import { css, region, regionShare, regionTexels, scale, scaleTexels } from "../src/colours.js";
import { bytes, clock, count, number, quantity, ticks } from "../src/format.js";
import { fromPlace, isUniform, naturalScale, readNumber, sliderRange, STEPS, toPlace } from "../src/ranges.js";
import { framesAllow } from "../src/settings.js";
import { joined, Series } from "../src/series.js";
import { framesLate } from "../src/ui/status.js";

test("numbers are short, with prefixes where units take them", () => {
    assert.equal(number(0.1 + 0.2), "0.3");
    assert.equal(number(1234567), "1.23e6");
    assert.equal(number(null), "–");
    assert.equal(quantity(12500, "Pa"), "12.5 kPa");
    assert.equal(quantity(0.0123, "m"), "12.3 mm");
    assert.equal(quantity(999.9, "Pa"), "1 kPa");
    assert.equal(quantity(1050, "kg/m3"), "1050 kg/m³");
    assert.equal(quantity(0, "N"), "0 N");
    assert.equal(quantity(-2.5, "N"), "-2.5 N");
    assert.equal(quantity(1e15, "Pa"), "1e15 Pa");
    assert.equal(clock(1.5), "1.500");
    assert.equal(count(1234567), "1\u202f234\u202f567");
    assert.equal(bytes(1500), "1.50 kB");
});

test("ticks stand at round values inside the range", () => {
    const { unit, list } = ticks(0, 2.3e4, "Pa");
    assert.equal(unit, "kPa");
    assert.deepEqual(list.map((t) => t.text), ["0", "5", "10", "15", "20"]);
    assert.ok(Math.abs(list[2].value - 1e4) < 1e-6);
    assert.deepEqual(ticks(1, 1, "m").list, []);
    assert.deepEqual(ticks(0, NaN, "m").list, []);
    for (const t of ticks(-3e-7, 5e-7, "").list) assert.ok(t.value >= -3.0001e-7 && t.value <= 5.0001e-7);
});

test("colours are those of the engine's pictures", () => {
    assert.deepEqual(scale(0), [0.18, 0.26, 0.62]);
    const rounded = (s) => scale(s).map((v) => Number(v.toFixed(6)));
    assert.deepEqual(rounded(1), [0.78, 0.17, 0.20]);
    assert.deepEqual(scale(-1), scale(0));
    assert.deepEqual(scale(NaN), scale(0));
    assert.deepEqual(rounded(0.5), [0.60, 0.83, 0.52]);
    assert.deepEqual(region(0), [0.78, 0.78, 0.76]);
    assert.deepEqual(region(8), region(1));
    assert.equal(css([1, 0.5, 0]), "rgb(255 128 0)");
    const row = scaleTexels(7);
    assert.deepEqual([...row.subarray(0, 4)], [46, 66, 158, 255]);
    const texel = Math.floor(regionShare(9) * 8);
    assert.deepEqual([...regionTexels().subarray(4 * texel, 4 * texel + 3)], region(9).map((c) => Math.round(255 * c)));
});

test("sliders cover what is useful", () => {
    const young = sliderRange(1e5, 1e-3, 1e15);
    assert.ok(young.log && young.min === 100 && young.max === 1e8);
    assert.deepEqual(sliderRange(0.3, -0.99, 0.499), { min: -0.99, max: 0.499, log: false });
    assert.deepEqual(sliderRange(-9.81, -1e6, 1e6), { min: -39.24, max: 39.24, log: false });
    assert.deepEqual(sliderRange(0, 0, null), { min: 0, max: 1, log: false });
    assert.deepEqual(sliderRange(5, null, null), { min: -20, max: 20, log: false });
    for (const range of [young, sliderRange(0.3, -0.99, 0.499)])
        for (const place of [0, 1, 250, 999, STEPS]) assert.ok(Math.abs(toPlace(range, fromPlace(range, place)) - place) <= 3, `${place}`);
    assert.equal(fromPlace(young, STEPS), young.max);
});

test("typed numbers may have prefixes and commas", () => {
    assert.equal(readNumber("20k"), 20000);
    assert.equal(readNumber("0,5"), 0.5);
    assert.equal(readNumber("1e5"), 1e5);
    assert.equal(readNumber("-3 m"), -0.003);
    for (const bad of ["", "abc", "1 2", "1e", "--1"]) assert.ok(Number.isNaN(readNumber(bad)), bad);
});

test("frames are late only where the steps allow more", () => {
    assert.ok(framesLate(8, 50));
    assert.ok(!framesLate(30, 50));
    assert.ok(!framesLate(9, 10));  // a time step of 0.1 s
    assert.ok(framesLate(4, 10));
    assert.ok(!framesLate(0, 50));  // nothing to draw yet
});

test("a series is a table that forgets its beginning", () => {
    const s = new Series(["t", "a,b"], 100);
    for (let i = 0; i < 250; i++) s.push([i, i * i]);
    assert.ok(s.length <= 100 && s.length >= 75);
    assert.equal(s.columns[0].at(-1), 249);
    const w = s.window(50, 10);
    assert.ok(w[0].length <= 12 && w[0][0] >= 199 && w[0].at(-1) === 249);
    s.push([10, null]);  // time went back: a reset
    assert.equal(s.length, 1);
    s.push([10, 5]);
    assert.equal(s.length, 1);
    assert.equal(s.csv(), 't,"a,b"\n10,5\n');
    assert.deepEqual(new Series(["t"]).window(1), [[]]);
});

test("series of other times are joined in one table", () => {
    const a = new Series(["time [s]", "a"]), b = new Series(["time [s]", "b", "c"]);
    for (const t of [0, 1, 2]) a.push([t, 10 * t]);
    for (const t of [0.5, 1]) b.push([t, t, null]);
    assert.equal(joined([a, b]).csv(), "time [s],a,b,c\n0,0,,\n0.5,,0.5,\n1,10,1,\n2,20,,\n");
    assert.equal(joined([a]).csv(), a.csv());
});

test("values that differ by rounding are one value", () => {
    // of their own size: single precision has 24 bits
    assert.ok(isUniform(1e5, 1e5 * (1 + 2e-7)));
    assert.ok(!isUniform(1e5, 1e5 * (1 + 1e-4)));
    assert.ok(isUniform(-2, -2 + 1e-7));
    assert.ok(isUniform(0, 0));
    assert.ok(!isUniform(0, 1e-30), "nothing to compare with");
    // of what they stand beside: 1e-17 m in a scene of a metre
    const scene = { size: 1, young: 2e4 };
    assert.ok(isUniform(0, 1e-17, naturalScale("m", scene)));
    assert.ok(!isUniform(0, 1e-6, naturalScale("m", scene)), "a micrometre is something");
    assert.ok(isUniform(0, 3e-12, naturalScale("Pa", scene)));
    assert.ok(!isUniform(0, 1, naturalScale("Pa", scene)));
    // steel under its own weight: a strain of 1e-7 is no noise
    assert.ok(!isUniform(0, 2e4, naturalScale("Pa", { size: 1, young: 2e11 })));
    assert.ok(!isUniform(NaN, NaN) && !isUniform(0, Infinity));
    assert.equal(naturalScale("%", scene), 0);
});

test("shadows stay where pictures with them are fast", () => {
    assert.ok(framesAllow([3, 2, 40]), "one that took long is chance");
    assert.ok(!framesAllow([30, 2, 40]));
    assert.ok(!framesAllow([]));
});
