// Numbers over time, kept for plots and for export. Rows are dropped from the front when the table is full, a quarter at once, so
// that a page left open overnight does not grow.

export class Series {
    // names: of the columns, the first is time
    constructor(names, limit = 20000) {
        this.names = names;
        this.limit = limit;
        this.clear();
    }

    clear() {
        this.columns = this.names.map(() => []);
        this.revision = (this.revision ?? 0) + 1;
    }

    get length() {
        return this.columns[0].length;
    }

    // null in a column: nothing known at that time, a gap in the plot
    push(row) {
        const last = this.columns[0][this.length - 1];
        if (this.length && row[0] < last) this.clear();
        else if (this.length && row[0] === last) this.columns.forEach((c) => c.pop());
        if (this.length >= this.limit) this.columns.forEach((c) => c.splice(0, this.limit >> 2));
        this.columns.forEach((c, i) => c.push(row[i] ?? null));
        this.revision++;
    }

    // the last `span` of the first column, thinned to at most `most` rows
    window(span, most = 600) {
        const t = this.columns[0];
        if (!t.length) return this.names.map(() => []);
        const from = t[t.length - 1] - span;
        let first = t.length - 1;
        while (first > 0 && t[first - 1] >= from) first--;
        const stride = Math.max(1, Math.ceil((t.length - first) / most));
        // rows at multiples of the stride: chosen from the end, thinned lines would shimmer while they move
        const out = this.names.map(() => []);
        const take = (i) => this.columns.forEach((c, k) => out[k].push(c[i]));
        let i = Math.ceil(first / stride) * stride;
        for (; i < t.length; i += stride) take(i);
        if (i - stride !== t.length - 1) take(t.length - 1);
        return out;
    }

    csv() {
        const lines = [this.names.map(quoted).join(",")];
        for (let i = 0; i < this.length; i++) lines.push(this.columns.map((c) => (c[i] === null ? "" : String(c[i]))).join(","));
        return lines.join("\n") + "\n";
    }
}

// one table of several series: a row for each time that one of them has, empty cells where a series has none
export function joined(list) {
    const out = new Series(["time [s]", ...list.flatMap((s) => s.names.slice(1))], Infinity), rows = new Map();
    let first = 1;
    for (const s of list) {
        for (let i = 0; i < s.length; i++) {
            const t = s.columns[0][i];
            if (!rows.has(t)) rows.set(t, new Array(out.names.length).fill(null)), (rows.get(t)[0] = t);
            for (let k = 1; k < s.names.length; k++) rows.get(t)[first + k - 1] = s.columns[k][i];
        }
        first += s.names.length - 1;
    }
    const sorted = [...rows.values()].sort((a, b) => a[0] - b[0]);
    out.columns = out.names.map((_, k) => sorted.map((row) => row[k]));
    return out;
}

function quoted(text) {
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
