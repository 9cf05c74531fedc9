// Where a slider begins and ends. Ranges of parameters are what is allowed, often far wider than what is useful: the slider covers
// a few decades about the value at the start, the field beside it takes all that is allowed.

const DECADES = 3;  // to either side

const least = (v) => (Number.isFinite(v) ? v : -Infinity);
const most = (v) => (Number.isFinite(v) ? v : Infinity);

// -> { min, max, log }
export function sliderRange(value, low, high) {
    const lo = low === null || low === undefined ? -Infinity : least(low);
    const hi = high === null || high === undefined ? Infinity : most(high);
    if (lo >= 0 && value > 0 && hi / Math.max(lo, value / 1000) >= 100) {
        const min = Math.max(lo, value / 10 ** DECADES) || value / 10 ** DECADES;
        return { min, max: Math.min(hi, value * 10 ** DECADES), log: true };
    }
    if (Number.isFinite(lo) && Number.isFinite(hi) && hi - lo <= 1e3 * Math.max(Math.abs(value), 1)) return { min: lo, max: hi, log: false };
    const reach = Math.max(4 * Math.abs(value), 1);
    return { min: Math.max(lo, -reach), max: Math.min(hi, reach), log: false };
}

export const STEPS = 1000;  // places of a slider

export function toPlace(range, value) {
    const v = Math.min(range.max, Math.max(range.min, value));
    const s = range.log ? Math.log(v / range.min) / Math.log(range.max / range.min) : (v - range.min) / (range.max - range.min);
    return Math.round(STEPS * (Number.isFinite(s) ? s : 0));
}

// three digits: the value of a slider stays readable
export function fromPlace(range, place) {
    const s = place / STEPS;
    if (s <= 0) return range.min;
    if (s >= 1) return range.max;
    const v = range.log ? range.min * (range.max / range.min) ** s : range.min + s * (range.max - range.min);
    const grain = range.log ? 0 : 10 ** Math.floor(Math.log10((range.max - range.min) / 400));
    return grain ? Number((Math.round(v / grain) * grain).toPrecision(10)) : Number(v.toPrecision(3));
}

const SINGLE = 2 ** -20;   // of a value: values are sent with 24 bits, and a few of them are lost in computing
const NOTHING = 1e-9;      // of the size of the scene, of a radian, of Young's modulus: nobody can see that

// Whether the values of a field differ only by rounding, so that colours would show noise. natural: what the values are compared
// with besides themselves, in the field's unit: a displacement is noise where it is nothing beside the size of the scene.
export function isUniform(low, high, natural = 0) {
    const width = high - low;
    if (!Number.isFinite(width)) return false;
    return width <= Math.max(SINGLE * Math.max(Math.abs(low), Math.abs(high)), NOTHING * natural);
}

// scene: { size [m], young [Pa] }
export function naturalScale(unit, { size = 0, young = 0 }) {
    const scales = { m: size, "m/s": size, Pa: young, rad: 1, deg: 1, "°": 1 };
    return scales[unit] ?? 0;
}

// what somebody typed: "1e5", "20k", "0,5"; NaN where it is no number
export function readNumber(text) {
    const m = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([kMGmµun]?)\s*$/i.exec(text.replace(",", "."));
    if (!m) return NaN;
    const factor = { k: 1e3, K: 1e3, M: 1e6, G: 1e9, m: 1e-3, µ: 1e-6, u: 1e-6, n: 1e-9 }[m[2]] ?? 1;
    return Number(m[1]) * factor;
}
