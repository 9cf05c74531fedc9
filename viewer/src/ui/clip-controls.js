// The clipping plane in the panel: direction, side and place. The plane is six numbers, a point and a unit normal.
import { h, setFlag } from "./dom.js";
import { icon } from "./icons.js";
import { choice, slider } from "./slider.js";

const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// the axis that a normal lies along, or "other"
export function axisOf(normal) {
    return Object.keys(AXES).find((k) => Math.abs(dot(AXES[k], normal)) > 1 - 1e-6) ?? "other";
}

export class ClipControls {
    // hooks: { change(plane), extent(direction) -> [low, high] of the bodies, view() -> direction to the viewer }
    constructor(hooks) {
        this.hooks = hooks;
        const list = [["x", "x axis"], ["y", "y axis"], ["z", "z axis"], ["view", "view direction"], ["other", "other"]];
        this.direction = choice("Normal", list.map(([value, text]) => ({ value, text })), "z", "What lies in this direction is cut off", (v) => this.turn(v));
        this.direction.select.querySelector("[value=other]").disabled = true;
        this.flip = h("button", { class: "button small", title: "Cut off the other side", onclick: () => this.value && hooks.change([...this.value.slice(0, 3), ...this.value.slice(3).map((c) => -c || 0)]) }, icon("reset"), "Flip");
        this.place = h("div", {});
        this.root = h("div", { class: "clip hidden" }, this.direction.root, this.place, h("div", { class: "buttons" }, this.flip),
            h("p", { class: "note" }, "Or drag the frame of the plane in the view."));
    }

    // another direction through the same point of the bodies
    turn(word) {
        const normal = word === "view" ? this.hooks.view() : AXES[word];
        const sign = word !== "view" && dot(normal, this.hooks.view()) < 0 ? -1 : 1;
        if (this.value && normal) this.hooks.change([...this.value.slice(0, 3), ...normal.map((c) => sign * c || 0)]);
    }

    // value: six numbers; null or false: no plane
    set(value) {
        this.value = value || null;
        setFlag(this.root, "hidden", !value);
        if (!value) return;
        const normal = value.slice(3), axis = axisOf(normal), key = axis === "other" ? normal.join() : axis;
        this.direction.set(axis);
        // along an axis the place is a coordinate, whichever side is cut off
        this.along = AXES[axis] ?? normal;
        const at = dot(value, this.along), range = this.hooks.extent(this.along);
        if (this.key !== key || !this.slider || range.some((v, i) => Math.abs(v - this.range[i]) > 1e-9 * Math.abs(range[1] - range[0]))) this.makeSlider(key, at, range);
        else this.slider.set(at);
    }

    makeSlider(key, at, range) {
        const [low, high] = range, label = axisOf(this.along) === "other" ? "Place" : `Place on ${axisOf(this.along)}`;
        Object.assign(this, { key, range });
        this.slider = slider({ label, unit: "m", value: at, low: Math.min(low, at), high: Math.max(high, at), range: { min: Math.min(low, at), max: Math.max(high, at), log: false },
            help: "where the plane stands along its normal", change: (v) => this.move(v) });
        this.place.replaceChildren(this.slider.root);
    }

    move(v) {
        if (!this.value) return;
        const shift = v - dot(this.value, this.along);
        this.hooks.change([...this.value.slice(0, 3).map((c, i) => c + shift * this.along[i]), ...this.value.slice(3)]);
    }
}
