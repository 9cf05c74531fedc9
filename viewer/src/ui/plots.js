// The four plots and the numbers behind them.
import "uplot/dist/uPlot.min.css";
import { Series } from "../series.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { Plot } from "./plot.js";

// apart for most eyes (after Okabe and Ito 2008), on light and on dark
const HUE = { blue: "#3b8fd4", orange: "#e69f00", green: "#17a67b", red: "#d1495b", purple: "#a568c8", grey: "#8d99a6", cyan: "#56b4e9" };
const STAGE_HUES = { take_edits: HUE.purple, prescribe: HUE.cyan, free_motion: HUE.blue, guard: HUE.green, commit: HUE.orange, publish: HUE.grey };
const MORE_HUES = [HUE.red, HUE.cyan, HUE.purple, HUE.orange];
const SPAN = 10;  // seconds shown

export class Plots {
    constructor() {
        this.grid = h("div", { class: "plots-grid" });
        this.stages = null;
        this.solver = new Series(["time [s]", "iterations", "residual"]);
        this.energy = new Series(["time [s]", "kinetic [J]", "elastic [J]"]);
        this.picked = new Series(["time [s]", "displacement [m]", "force [N]"]);
        this.timing = new Series(["time [s]"]);
        this.plots = [];
    }

    head(close) {
        return h("div", { class: "plots-head" }, h("h2", {}, "Plots"), h("span", { class: "space" }),
            h("button", { class: "button small plain", title: "Everything plotted, in one table", onclick: () => this.onSaveAll?.() }, icon("table"), "CSV of all"),
            h("button", { class: "button small plain only-wide", title: "Close the plots (P)", "aria-label": "Close the plots", onclick: close }, icon("close")));
    }

    setStages(names) {
        if (this.stages && names.join() === this.stages.join()) return;
        this.stages = names;
        this.timing = new Series(["time [s]", ...names.map((n) => `${n} [ms]`), "budget [ms]"]);
        this.build();
    }

    build() {
        let spare = 0;
        const stageLines = this.stages.map((name, i) => ({ name: name.replaceAll("_", " "), unit: "ms", color: STAGE_HUES[name] ?? MORE_HUES[spare++ % 4], column: i + 1, fill: true }));
        // the largest sum is drawn first, the others over it
        stageLines.reverse();
        const budget = { name: "budget", help: "what a step may take to keep up with real time: the time step", unit: "ms", color: HUE.red, column: this.stages.length + 1, dash: [6, 4] };
        this.plots = [
            new Plot({ key: "step-time", title: "Step time [ms]", help: "mean time of a step by stage, against what keeps up with real time", series: this.timing, stacked: true, span: SPAN, lines: [...stageLines, budget], axes: [{ scale: "ms" }] }),
            new Plot({ key: "solver", title: "Solver", help: "linear iterations of all bodies in a step, and the worst residual", series: this.solver, positive: true, span: SPAN,
                lines: [{ name: "iterations", unit: "", color: HUE.blue, column: 1, scale: "n" }, { name: "residual", unit: "", color: HUE.orange, column: 2, scale: "r", log: true }],
                axes: [{ scale: "n" }, { scale: "r", log: true }] }),
            new Plot({ key: "energy", title: "Energy", series: this.energy, span: SPAN,
                lines: [{ name: "kinetic", unit: "J", color: HUE.blue, column: 1 }, { name: "elastic", unit: "J", color: HUE.orange, column: 2 }], axes: [{ scale: "J", unit: "J" }] }),
            new Plot({ key: "picked", title: "Picked point", help: "of what you drag, or dragged last: its way from the rest shape, and the force of the spring", series: this.picked, span: SPAN,
                lines: [{ name: "displacement", unit: "m", color: HUE.green, column: 1, scale: "m" }, { name: "pull", unit: "N", color: HUE.red, column: 2, scale: "N" }],
                axes: [{ scale: "m", unit: "m" }, { scale: "N", unit: "N" }] }),
        ];
        this.grid.replaceChildren(...this.plots.map((p) => p.root));
    }

    add(s) {
        this.timing.push([s.time, ...s.stages, s.budget_ms]);
        this.solver.push([s.time, s.iterations, s.residual]);
        this.energy.push([s.time, s.kinetic, s.elastic]);
        this.picked.push([s.time, s.picked?.displacement ?? null, s.picked?.force ?? null]);
    }

    clear() {
        for (const s of [this.timing, this.solver, this.energy, this.picked]) s.clear();
    }

    update() {
        for (const p of this.plots) p.update();
    }

    restyle() {
        for (const p of this.plots) p.restyle();
    }

    // all series have the same times: they are filled together
    table() {
        const all = new Series([...this.timing.names, ...this.solver.names.slice(1), ...this.energy.names.slice(1), ...this.picked.names.slice(1)], Infinity);
        all.columns = [...this.timing.columns, ...this.solver.columns.slice(1), ...this.energy.columns.slice(1), ...this.picked.columns.slice(1)];
        return all.csv();
    }
}
