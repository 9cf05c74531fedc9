// Whether what is shown can be trusted: figures of each body and reservations of the last steps, as sent in `stats`. All of
// it may be missing: older servers send none, and a figure that is not available is null.
import { count, number, quantity, sentence } from "./format.js";

const known = (v) => Number.isFinite(v);
const sum = (list) => (list.length && list.every(known) ? list.reduce((a, b) => a + b) : null);

// of all bodies [J]: their energy, that of contacts included, and the work done on them, null where a part of it is unknown; energy that came from nowhere
export function balanceOf(stats) {
    const energies = (stats.bodies ?? []).map((b) => b.energy ?? {});
    return {
        energy: sum(energies.flatMap((e) => [e.kinetic, e.elastic, e.potential, e.contact ?? 0])),
        work: sum(energies.map((e) => e.work)),
        appeared: sum(energies.map((e) => e.appeared).filter(known)),
    };
}

// a line for each body of which something is known
export function healthRows(stats, hello) {
    const rows = [];
    for (const b of stats.bodies ?? []) {
        const appeared = b.energy?.appeared;
        if (![b.inverted, b.volume_lost, b.penetration, appeared].some(known)) continue;
        rows.push({
            name: hello.bodies.find((x) => x.body === b.body)?.name ?? `body ${b.body}`,
            inverted: known(b.inverted) ? count(b.inverted) : "–",
            volume: known(b.volume_lost) ? `${number(100 * b.volume_lost, 2)} %` : "–",
            penetration: known(b.penetration) ? quantity(b.penetration, "m") : "–",
            appeared: known(appeared) ? quantity(appeared, "J") : "–",
            bad: b.inverted > 0,
        });
    }
    return rows;
}

// The text of a warning from the reservations of step after step. One that was put away does not come again until another does.
export class Warnings {
    constructor(stay) {
        this.stay = stay;  // ms
        this.clear();
    }

    clear() {
        this.seen = new Map();  // name -> { text, at }
        this.hidden = new Set();
    }

    take(list, now) {
        for (const { name, text } of list ?? []) this.seen.set(name, { text, at: now });
        for (const [name, { at }] of this.seen) if (now - at > this.stay) this.seen.delete(name);
        const shown = [...this.seen].filter(([name]) => !this.hidden.has(name));
        return shown.map(([, { text }]) => sentence(text)).join(" ");
    }

    hide() {
        for (const name of this.seen.keys()) this.hidden.add(name);
    }
}
