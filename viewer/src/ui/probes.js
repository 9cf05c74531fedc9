// The probes of the scene as plots: one plot per probe and unit, filled with the samples that the server sends.
import { LINE_HUES } from "../colours.js";
import { Series } from "../series.js";
import { Plot } from "./plot.js";

const HUES = Object.values(LINE_HUES);
const DASHES = [undefined, [6, 4], [2, 3]];

// "position.x" of a probe of the position alone is "x"
function lineName(column, alone) {
    const rest = column.name.slice(column.quantity.length).replace(/^\./, "");
    return alone && rest ? rest : column.name;
}

function seriesOf(probe) {
    return new Series(["time [s]", ...probe.columns.map((c) => `${probe.name} ${c.name}${c.unit && c.unit !== "1" ? ` [${c.unit}]` : ""}`)]);
}

// columns of one unit share an axis, and so a plot
function plotsOf(probe, index, series, span) {
    const columns = probe.columns.map((c, i) => ({ ...c, unit: c.unit === "1" ? "" : c.unit, column: i + 1 }));
    return [...new Set(columns.map((c) => c.unit))].map((unit, k) => {
        const own = columns.filter((c) => c.unit === unit), quantities = [...new Set(own.map((c) => c.quantity))];
        const lines = own.map((c, i) => ({ name: lineName(c, quantities.length === 1), help: `${c.name}${unit ? ` [${unit}]` : ""}`, unit, color: HUES[i % HUES.length],
            dash: DASHES[Math.floor(i / HUES.length) % DASHES.length], column: c.column, sampled: true }));
        const more = probe.width > probe.columns.length ? ` The first ${probe.columns.length} of ${probe.width} numbers.` : "";
        return new Plot({ key: `probe-${index}-${k}`, file: `${probe.name}${k ? `-${k + 1}` : ""}`.replaceAll(/[^\w.-]+/g, "-"), title: `${probe.name}: ${quantities.join(", ")}${unit ? ` [${unit}]` : ""}`,
            help: `Probe “${probe.name}”${probe.body ? ` of ${probe.body}` : ""}, sampled as the scene says.${more}`, series, span, lines, axes: [{ scale: "y", unit, fit: true }] });
    });
}

export class Probes {
    constructor(span) {
        this.span = span;
        this.set([]);
    }

    // list: of hello. -> whether there are other plots than before
    set(list) {
        const key = JSON.stringify(list), other = key !== this.key;
        if (other) {
            this.key = key;
            this.series = list.map(seriesOf);
            this.plots = list.flatMap((probe, i) => (probe.columns.length ? plotsOf(probe, i, this.series[i], this.span) : []));
        }
        this.clear();  // the server sends all samples of a run
        return other;
    }

    add(samples) {
        for (const s of samples) this.series[s.probe]?.push([s.time, ...s.values]);
    }

    clear() {
        for (const s of this.series) s.clear();
    }
}
