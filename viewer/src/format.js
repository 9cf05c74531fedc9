// Numbers for people: a prefix that leaves one to three digits before the point, ticks at 1, 2 and 5. Same manner as the legend
// of the engine's pictures.

const PREFIXES = ["n", "µ", "m", "", "k", "M", "G"];
// units that take a prefix; "kg/m3" or "1/s" with one would puzzle
const PREFIXABLE = new Set(["m", "s", "Pa", "N", "J", "W", "Hz", "m/s", "N/m", "N m", "N s/m", "Pa s"]);

export function prefixOf(largest) {
    const power = largest > 0 && Number.isFinite(largest) ? Math.floor(Math.log10(largest * 1.0000001) / 3) : 0;
    const k = Math.max(-3, Math.min(3, power));
    return { prefix: PREFIXES[k + 3], factor: 10 ** (-3 * k) };
}

// a number alone, short; powers of ten where plain digits would be long
export function number(value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) {
        const [mantissa, power] = value.toExponential(digits - 1).split("e");
        return `${Number(mantissa)}e${Number(power)}`;
    }
    return String(Number(value.toPrecision(digits)));
}

// "kg/m3" as "kg/m³"
export function raised(unit) {
    return unit.replaceAll(/([a-z])([234])/g, (_, letter, power) => letter + " ²³⁴"[power - 1]);
}

// with its unit, "12.5 kPa"
export function quantity(value, unit = "", digits = 3) {
    if (!unit || !PREFIXABLE.has(unit) || !Number.isFinite(value)) return unit ? `${number(value, digits)} ${raised(unit)}` : number(value, digits);
    const rounded = Number(value.toPrecision(digits));
    const { prefix, factor } = prefixOf(Math.abs(rounded));
    const size = Math.abs(rounded * factor);
    if (size >= 1000 || (size < 1e-3 && size > 0)) return `${number(value, digits)} ${unit}`;
    return `${Number((rounded * factor).toPrecision(digits))} ${prefix}${unit}`;
}

// always the same number of digits after the point, so that a running clock does not jitter
export function clock(seconds) {
    if (!Number.isFinite(seconds)) return "–";
    return seconds < 100 ? seconds.toFixed(3) : seconds.toFixed(2);
}

export function tickStep(span, count) {
    const raw = span / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const r = raw / power;
    return power * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

// values and texts of about `count` ticks, in the unit that `prefixOf` chooses
export function ticks(low, high, unit, count = 5) {
    const useful = high > low && Number.isFinite(low) && Number.isFinite(high);
    if (!useful) return { unit, list: [] };
    const { prefix, factor } = PREFIXABLE.has(unit) ? prefixOf(Math.max(Math.abs(low), Math.abs(high))) : { prefix: "", factor: 1 };
    const a = low * factor, b = high * factor;
    const step = tickStep(b - a, count);
    const digits = step >= 1 ? 0 : Math.min(9, Math.ceil(-Math.log10(step) - 1e-9));
    const list = [];
    for (let i = Math.ceil(a / step - 1e-9); i * step <= b + 1e-9 * step && list.length < 64; i++) {
        const v = i * step;
        const small = Math.abs(v) < 1e-9 * step ? 0 : v;
        const text = Math.abs(small) >= 1e6 || (digits > 5 && small !== 0) ? number(small, 3) : small.toFixed(digits);
        list.push({ value: v / factor, text });
    }
    return { unit: prefix + unit, list };
}

// "3 min ago" is no use here, a plain count with thin groups is
export function count(n) {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function bytes(n) {
    if (n < 1000) return `${n} B`;
    if (n < 1e6) return `${(n / 1e3).toPrecision(3)} kB`;
    return `${(n / 1e6).toPrecision(3)} MB`;
}

// what a server says, as it stands on a page
export function sentence(text) {
    const t = String(text || "refused");
    return t[0].toUpperCase() + t.slice(1) + (/[.!?]$/.test(t) ? "" : ".");
}
