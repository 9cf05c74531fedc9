// The colour bar: which colour is which value. Its range follows the values, wider at once and narrower slowly, unless it is held.
// Values that differ only by rounding get one colour, and the bar one number.
import { css, gradient, region, scale as scaleColour } from "../colours.js";
import { number, quantity, ticks } from "../format.js";
import { isUniform, readNumber } from "../ranges.js";
import { h, setText } from "./dom.js";

const SHRINK = 0.04;  // share of the way to a narrower range, each frame

export class Legend {
    // changed: the range was held, freed or typed
    constructor(holder, changed) {
        this.changed = changed;
        this.field = null;
        this.held = null;
        this.low = 0, this.high = 0;
        this.natural = 0;      // what values of this field are compared with, see isUniform
        this.uniform = false;
        this.names = [];       // of the regions of each body
        this.title = h("div", { class: "title" });
        this.ticks = h("div", { class: "ticks" });
        this.ramp = h("div", { class: "ramp", style: { background: gradient() } });
        this.regions = h("div", { class: "regions" });
        this.bar = h("div", { class: "body" }, this.ramp, this.ticks);
        this.lowField = h("input", { type: "text", "aria-label": "Least value of the colours" });
        this.highField = h("input", { type: "text", "aria-label": "Greatest value of the colours" });
        for (const f of [this.highField, this.lowField]) f.addEventListener("change", () => this.typed());
        this.fields = h("div", { class: "fields hidden" }, this.highField, this.lowField);
        this.button = h("button", { class: "button small", onclick: () => this.toggle() });
        this.note = h("div", { class: "note hidden" }, "the same everywhere, up to rounding");
        this.root = h("div", { class: "legend hidden" }, this.title, this.bar, this.note, this.regions, this.fields, this.button);
        holder.append(this.root);
    }

    // held: [low, high] or null
    setField(field, held = null, natural = 0) {
        this.field = field;
        this.natural = natural;
        this.uniform = false;
        this.held = field && !this.discrete ? held : null;
        this.low = this.high = NaN;
        this.root.classList.toggle("hidden", !field);
        this.drawn = "";
        this.showHeld();
    }

    get discrete() {
        return this.field?.name === "region";
    }

    // range of the frame -> range of the colours; an empty one stands for one colour
    follow(low, high) {
        this.uniform = !this.held && !this.discrete && isUniform(low, high, this.natural);
        if (this.uniform) {
            this.low = this.high = NaN;  // what comes next is seen at once
            this.drawOne(0.5 * (low + high));
            return [low, low];
        }
        if (this.held) [this.low, this.high] = this.held;
        else if (Number.isNaN(this.low)) this.low = low, this.high = high;
        else {
            this.low = low < this.low ? low : this.low + SHRINK * (low - this.low);
            this.high = high > this.high ? high : this.high + SHRINK * (high - this.high);
        }
        if (!(this.high > this.low)) this.high = this.low + (Math.abs(this.low) * 1e-6 || 1e-12);
        this.draw();
        return [this.low, this.high];
    }

    toggle() {
        if (!this.held && this.uniform) return;  // nothing to hold
        this.held = this.held ? null : [this.low, this.high].map((v) => Number(v.toPrecision(3)));
        this.showHeld();
        this.changed();
    }

    typed() {
        const scale = this.field.scale || 1;
        const low = readNumber(this.lowField.value) / scale, high = readNumber(this.highField.value) / scale;
        const good = Number.isFinite(low) && high > low;
        for (const f of [this.lowField, this.highField]) f.classList.toggle("wrong", !good);
        if (!good) return;
        this.held = [low, high];
        this.changed();
    }

    showHeld() {
        setText(this.button, this.held ? "Follow values" : "Hold range");
        this.button.title = this.held ? "Let the range of the colours follow the values again" : "Keep the range as it is, or type one";
        this.button.classList.toggle("on", !!this.held);
        this.button.classList.toggle("hidden", this.discrete);
        this.fields.classList.toggle("hidden", !this.held);
        if (!this.held) return;
        const scale = this.field.scale || 1;
        this.lowField.value = number(this.held[0] * scale), this.highField.value = number(this.held[1] * scale);
    }

    draw() {
        const scale = this.field.scale || 1, low = this.low * scale, high = this.high * scale;
        const key = `${low.toPrecision(3)} ${high.toPrecision(3)}`;
        if (key === this.drawn) return;
        this.drawn = key;
        this.showUniform(false);
        this.bar.classList.toggle("hidden", this.discrete);
        this.regions.classList.toggle("hidden", !this.discrete);
        if (this.discrete) return this.drawRegions(high);
        const { unit, list } = ticks(low, high, this.field.unit, 5);
        setText(this.title, unit ? `${this.field.label} [${unit}]` : this.field.label);
        this.root.title = `${this.field.label}: ${quantity(low, this.field.unit)} to ${quantity(high, this.field.unit)}`;
        this.ticks.replaceChildren(...list.map((t) => h("span", { style: { bottom: `${(100 * (t.value - low)) / (high - low)}%` } }, t.text)));
    }

    showUniform(on) {
        this.note.classList.toggle("hidden", !on);
        this.ramp.style.background = on ? css(scaleColour(0)) : gradient();
        this.ramp.classList.toggle("one", on);
        this.button.classList.toggle("hidden", on || this.discrete);
    }

    drawOne(value) {
        const v = value * (this.field.scale || 1), text = isUniform(0, value, this.natural) || isUniform(value, 0, this.natural) ? quantity(0, this.field.unit) : quantity(v, this.field.unit);
        if (text === this.drawn) return;
        this.drawn = text;
        this.bar.classList.remove("hidden");
        this.regions.classList.add("hidden");
        this.showUniform(true);
        setText(this.title, this.field.label);
        this.root.title = `${this.field.label}: ${text} everywhere`;
        this.ticks.replaceChildren(h("span", { style: { bottom: "50%" } }, text));
    }

    // regions are numbered in each body: the names that they have there
    nameOf(r) {
        const names = [...new Set(this.names.map((list) => list[r - 1]).filter(Boolean))];
        return r === 0 ? "other" : names.join(", ") || String(r);
    }

    drawRegions(last) {
        setText(this.title, this.field.label);
        const rows = [];
        for (let r = 0; r <= Math.min(15, Math.round(last)); r++)
            rows.push(h("span", {}, h("i", { style: { background: css(region(r)) } }), this.nameOf(r)));
        this.regions.replaceChildren(...rows);
    }
}
