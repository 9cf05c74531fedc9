// One plot in its card: title, names with the newest values, export as table and as picture.
import uPlot from "uplot";
import { number, quantity } from "../format.js";
import { h, saveFile, setText } from "./dom.js";

const FEW = 40;  // samples in view that are also drawn as points

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// options: { title, series: Series, lines: [{ name, unit, color, column | value(row), fill, dash, scale }], stacked, axes: [{ scale, label, log }], span }
export class Plot {
    constructor(options) {
        this.options = options;
        this.names = h("div", { class: "names" });
        this.draw = h("div", { class: "draw" });
        const csv = h("button", { class: "button small plain", title: "Save the whole series as CSV", "aria-label": `${options.title}: save as CSV`, onclick: () => this.saveTable() }, "CSV");
        const png = h("button", { class: "button small plain", title: "Save this plot as PNG", "aria-label": `${options.title}: save as PNG`, onclick: () => this.savePicture() }, "PNG");
        this.root = h("div", { class: "plot" }, h("header", {}, h("h3", { title: options.help ?? options.title }, options.title), csv, png), this.names, this.draw);
        this.root.dataset.plot = options.key;
        this.labels = options.lines.map((l) => {
            const value = h("b", {}, "–");
            // of a stack the sum matters; its parts show their values under the pointer
            const part = options.stacked && l.fill;
            this.names.append(h("span", { title: l.help ?? l.name }, h("i", { style: { background: l.color } }), l.name, part ? null : " ", part ? null : value));
            return value;
        });
        this.watch = new ResizeObserver(() => this.resize());
        this.watch.observe(this.draw);
    }

    make() {
        this.chart?.destroy();
        const { lines, axes } = this.options;
        const ink = token("--ink-2"), grid = token("--line");
        const size = { width: Math.max(120, this.draw.clientWidth), height: Math.max(60, this.draw.clientHeight) };
        const em = parseFloat(getComputedStyle(document.documentElement).fontSize), font = `${Math.round(em * 0.79)}px ${token("--font")}`;
        const axis = (a, i) => ({
            scale: a.scale, side: i ? 1 : 3, stroke: ink, font, size: (a.unit ? 4.2 : 3.2) * em, ticks: { show: !a.log, stroke: grid, size: 4 }, grid: { show: i === 0, stroke: grid, width: 1 },
            space: (a.log ? 1.3 : 1.9) * em, values: (u, list) => list.map((v) => (v === null ? null : a.unit ? quantity(v, a.unit, 3) : number(v, 3))),
            filter: a.log ? (u, splits) => thinDecades(splits) : undefined,
        });
        const scales = { x: { time: false, range: (u, lo, hi) => (hi > lo ? [lo, hi] : [lo ?? 0, (lo ?? 0) + 1]) } };
        for (const a of axes)
            scales[a.scale] = a.fit ? { range: (u, lo, hi) => around(lo, hi) } : a.log ? { distr: 3, log: 10, range: (u, lo, hi) => decades(lo, hi) } : { range: (u, lo, hi) => (hi > 0 || lo < 0 ? [Math.min(0, lo), hi > 0 ? hi * 1.08 : 0] : [0, 1]) };
        this.chart = new uPlot({
            ...size, scales, legend: { show: false }, cursor: { points: { size: 6 }, drag: { x: false, y: false } }, padding: [8, axes.length > 1 ? 0 : 1.4 * em, 0, 0],
            axes: [{ stroke: ink, font, size: 1.8 * em, space: 4.5 * em, ticks: { stroke: grid, size: 4 }, grid: { stroke: grid, width: 1 }, values: (u, list) => list.map((v) => `${number(v, 4)} s`) }, ...axes.map(axis)],
            series: [{}, ...lines.map((l) => ({ label: l.name, scale: l.scale ?? axes[0].scale, stroke: l.color, width: l.fill ? 0.5 : 1.6, fill: l.fill ? l.color : undefined, dash: l.dash,
                points: { show: l.sampled ? (u, s, from, to) => to - from < FEW : false }, spanGaps: false }))],
            hooks: { setCursor: [(u) => this.showValues(u.cursor.idx)] },
        }, this.data(), this.draw);
    }

    // columns as drawn: of a stack, each line is the sum of those below it
    data() {
        const { series, lines, span } = this.options;
        const c = series.window(span);
        this.raw = [c[0], ...lines.map((l) => c[l.column])];
        if (!this.options.stacked) return this.options.positive ? [c[0], ...this.raw.slice(1).map((r, i) => (lines[i].log ? r.map((v) => (v > 0 ? v : null)) : r))] : this.raw;
        const out = this.raw.slice();
        const sum = new Array(c[0].length).fill(0);
        for (let k = lines.length; k >= 1; k--) {
            if (!lines[k - 1].fill) continue;
            out[k] = this.raw[k].map((v, i) => (sum[i] += v ?? 0));
        }
        return out;
    }

    update() {
        const { revision } = this.options.series;
        if (this.shown === revision || !this.root.offsetParent) return;
        this.shown = revision;
        if (!this.chart) this.make();
        else this.chart.setData(this.data());
        if (this.chart.cursor.idx === null || this.chart.cursor.idx === undefined || this.chart.cursor.left < 0) this.showValues(null);
    }

    // at the cursor, or the newest
    showValues(index) {
        const i = index ?? (this.raw[0].length - 1);
        this.options.lines.forEach((l, k) => {
            const v = this.raw[k + 1][i];
            setText(this.labels[k], v === null || v === undefined ? "–" : l.unit === "ms" ? `${number(v, 3)} ms` : quantity(v, l.unit, 3));
        });
    }

    resize() {
        if (this.chart && this.draw.clientWidth) this.chart.setSize({ width: this.draw.clientWidth, height: this.draw.clientHeight });
    }

    // colours come from the page's theme
    restyle() {
        if (this.chart) this.make();
    }

    dispose() {
        this.watch.disconnect();
        this.chart?.destroy();
    }

    get file() {
        return `souple-${this.options.file ?? this.options.key}`;
    }

    saveTable() {
        saveFile(`${this.file}.csv`, this.options.series.csv(), "text/csv");
    }

    // with its title and names, on paper's colour: a picture travels without the page
    savePicture() {
        if (!this.chart) return;
        const from = this.chart.ctx.canvas, scale = from.width / this.draw.clientWidth, head = 46 * scale;
        const c = h("canvas", { width: from.width, height: from.height + head });
        const g = c.getContext("2d");
        g.fillStyle = token("--surface");
        g.fillRect(0, 0, c.width, c.height);
        g.fillStyle = token("--ink");
        g.font = `600 ${13 * scale}px ${token("--font")}`;
        g.fillText(this.options.title, 10 * scale, 18 * scale);
        g.font = `${11 * scale}px ${token("--font")}`;
        let x = 10 * scale;
        for (const l of this.options.lines) {
            g.fillStyle = l.color;
            g.fillRect(x, 29 * scale, 9 * scale, 9 * scale);
            g.fillStyle = token("--ink");
            g.fillText(l.name, x + 13 * scale, 37 * scale);
            x += g.measureText(l.name).width + 26 * scale;
        }
        g.drawImage(from, 0, head);
        c.toBlob((b) => saveFile(`${this.file}.png`, b));
    }
}

// a little wider than the values, which need not include 0
function around(lo, hi) {
    if (lo === null || hi === null) return [0, 1];
    const margin = 0.08 * (hi - lo) || 0.05 * Math.abs(hi) || 1;
    return [lo - margin, hi + margin];
}

function decades(lo, hi) {
    if (!(lo > 0) || !(hi > 0)) return [1e-9, 1];
    const a = 10 ** Math.floor(Math.log10(lo)), b = 10 ** Math.ceil(Math.log10(hi));
    return [a, b > a ? b : 10 * a];
}

// a label for whole powers of ten, and not for all of them where there are many
function thinDecades(splits) {
    const whole = splits.map((v) => (v > 0 ? Math.log10(v) : NaN));
    const powers = whole.filter((p) => Math.abs(p - Math.round(p)) < 1e-6);
    const every = Math.max(1, Math.ceil(powers.length / 5));
    return splits.map((v, i) => (Math.abs(whole[i] - Math.round(whole[i])) < 1e-6 && Math.round(whole[i]) % every === 0 ? v : null));
}
