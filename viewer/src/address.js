// The state of the page as text behind the "#" of its address, so that a link shows the same view. Only what differs from the
// default is written; what does not parse is left out, since links come from anywhere.

const flag = { read: (t) => (t === "1" ? true : t === "0" ? false : undefined), write: (v) => (v ? "1" : "0") };
const positive = { read: (t) => (finite(t) > 0 ? finite(t) : undefined), write: short };
const word = { read: (t) => (/^[\w.@-]{1,64}$/.test(t) ? t : undefined), write: String };
const text = { read: (t) => (t.length <= 200 ? t : undefined), write: String };
const vector = (n) => ({
    read: (t) => {
        const parts = t.split(",").map(finite);
        return parts.length === n && parts.every((v) => v !== undefined) ? parts : undefined;
    },
    write: (v) => v.map(short).join(","),
});

// a point and a unit normal, 0: none
const plane = {
    read: (t) => {
        const v = vector(6).read(t), length = v && Math.hypot(...v.slice(3));
        return t === "0" ? false : length > 0.5 && length < 2 ? [...v.slice(0, 3), ...v.slice(3).map((c) => c / length)] : undefined;
    },
    write: (v) => (v ? vector(6).write(v) : "0"),
};

// what a link may say: name in the address, how it is read and written
export const KEYS = {
    scene: text,        // file of the scene, as in the list
    color: word,        // field that colours the surfaces, "none"
    range: vector(2),   // of the colours, where it is held
    wire: flag,
    mesh: flag,         // the mechanical mesh
    hull: flag,         // the collision surface
    visual: flag,
    interfaces: flag,   // between regions
    clip: plane,
    fixed: flag,
    loads: flag,
    contacts: flag,     // points and forces of contact
    grid: flag,
    shadow: flag,
    camera: vector(6),  // from, to
    theme: word,
    panel: flag,
    plots: flag,
    k: positive,        // stiffness of the drag [N/m]
    play: flag,
    speed: positive,
    dt: positive,
    gravity: vector(3),
    solver: word,
    threads: positive,
};

function finite(t) {
    const v = t.trim() === "" ? NaN : Number(t);
    return Number.isFinite(v) ? v : undefined;
}

function short(v) {
    return String(Number(v.toPrecision(6)));
}

// -> { values: { name: value }, params: { path: number } }
export function readAddress(hash) {
    const out = { values: {}, params: {} };
    for (const [name, t] of new URLSearchParams(hash.replace(/^#/, ""))) {
        if (name.startsWith("p.")) {
            const v = finite(t);
            if (v !== undefined && name.length <= 130) out.params[name.slice(2)] = v;
        } else if (Object.hasOwn(KEYS, name)) {
            const v = KEYS[name].read(t);
            if (v !== undefined) out.values[name] = v;
        }
    }
    return out;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export function writeAddress(values, defaults, params = {}) {
    const parts = [];
    for (const name of Object.keys(KEYS)) {
        const v = values[name];
        if (v === undefined || v === null || same(v, defaults[name])) continue;
        parts.push(`${name}=${escape(KEYS[name].write(v))}`);
    }
    for (const [path, v] of Object.entries(params)) parts.push(`p.${escape(path)}=${short(v)}`);
    return parts.length ? `#${parts.join("&")}` : "";
}

// commas and slashes stay as they are: the address is meant to be read
function escape(t) {
    return encodeURIComponent(t).replaceAll("%2C", ",").replaceAll("%2F", "/");
}
