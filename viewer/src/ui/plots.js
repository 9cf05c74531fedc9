// The plots and the numbers behind them.
import "uplot/dist/uPlot.min.css";
import { LINE_HUES as HUE } from "../colours.js";
import { balanceOf } from "../health.js";
import { joined, Series } from "../series.js";
import { h, setFlag } from "./dom.js";
import { icon } from "./icons.js";
import { Plot } from "./plot.js";
import { Probes } from "./probes.js";

const STAGE_HUES = { take_edits: HUE.purple, prescribe: HUE.cyan, free_motion: HUE.blue, guard: HUE.green, commit: HUE.orange, publish: HUE.grey };
const MORE_HUES = [HUE.red, HUE.cyan, HUE.purple, HUE.orange];
const SPAN = 10;  // seconds shown

export class Plots {
    constructor() {
        this.grid = h("div", { class: "plots-grid" });
        this.stages = null;
        this.solver = new Series(["time [s]", "iterations", "residual"]);
        this.energy = new Series(["time [s]", "kinetic [J]", "elastic [J]"]);
        this.balance = new Series(["time [s]", "energy [J]", "work [J]", "appeared [J]"]);
        this.picked = new Series(["time [s]", "displacement [m]", "force [N]"]);
        this.timing = new Series(["time [s]"]);
        this.plots = [];
        this.probes = new Probes(SPAN);
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
        this.own = [
            new Plot({ key: "step-time", title: "Step time [ms]", help: "mean time of a step by stage, against what keeps up with real time", series: this.timing, stacked: true, span: SPAN, lines: [...stageLines, budget], axes: [{ scale: "ms" }] }),
            new Plot({ key: "solver", title: "Solver", help: "linear iterations of all bodies in a step, and the worst residual", series: this.solver, positive: true, span: SPAN,
                lines: [{ name: "iterations", unit: "", color: HUE.blue, column: 1, scale: "n" }, { name: "residual", unit: "", color: HUE.orange, column: 2, scale: "r", log: true }],
                axes: [{ scale: "n" }, { scale: "r", log: true }] }),
            new Plot({ key: "energy", title: "Energy", series: this.energy, span: SPAN,
                lines: [{ name: "kinetic", unit: "J", color: HUE.blue, column: 1 }, { name: "elastic", unit: "J", color: HUE.orange, column: 2 }], axes: [{ scale: "J", unit: "J" }] }),
            this.balancePlot = new Plot({ key: "balance", title: "Energy balance", help: "kinetic, elastic and potential energy of all bodies, the work done on them, and energy that appeared without external work", series: this.balance, span: SPAN,
                lines: [{ name: "energy", help: "kinetic, elastic, potential and stored in contacts", unit: "J", color: HUE.blue, column: 1 }, { name: "work", help: "done on the bodies since the start", unit: "J", color: HUE.green, column: 2, dash: [6, 4] },
                    { name: "appeared", help: "energy that appeared without external work: an error of the simulation", unit: "J", color: HUE.red, column: 3 }], axes: [{ scale: "J", unit: "J" }] }),
            new Plot({ key: "picked", title: "Picked point", help: "of what you drag, or dragged last: its displacement from the rest shape, and the force of the spring", series: this.picked, span: SPAN,
                lines: [{ name: "displacement", unit: "m", color: HUE.green, column: 1, scale: "m" }, { name: "pull", unit: "N", color: HUE.red, column: 2, scale: "N" }],
                axes: [{ scale: "m", unit: "m" }, { scale: "N", unit: "N" }] }),
        ];
        this.showBalance(false);
        this.place();
    }

    // what the scene measures stands first
    place() {
        this.plots = [...this.probes.plots, ...(this.own ?? [])];
        this.grid.replaceChildren(...this.plots.map((p) => p.root));
    }

    setProbes(list) {
        const old = this.probes.plots;
        if (!this.probes.set(list)) return;
        for (const p of old) p.dispose();
        this.place();
    }

    add(s) {
        this.timing.push([s.time, ...s.stages, s.budget_ms]);
        this.solver.push([s.time, s.iterations, s.residual]);
        this.energy.push([s.time, s.kinetic, s.elastic]);
        const { energy, work, appeared } = balanceOf(s);
        this.balance.push([s.time, energy, work, appeared]);
        if ([energy, work, appeared].some((v) => v !== null)) this.showBalance(true);
        this.picked.push([s.time, s.picked?.displacement ?? null, s.picked?.force ?? null]);
    }

    // no plot where the server sends no energy balance
    showBalance(on) {
        if (this.balancePlot) setFlag(this.balancePlot.root, "hidden", !on);
    }

    get all() {
        return [this.timing, this.solver, this.energy, this.balance, this.picked, ...this.probes.series];
    }

    clear() {
        for (const s of this.all) s.clear();
        this.showBalance(false);
    }

    update() {
        for (const p of this.plots) p.update();
    }

    restyle() {
        for (const p of this.plots) p.restyle();
    }

    table() {
        return joined(this.all).csv();
    }
}
