// The status line below the stage: frames, steps, speed, hash.
import { count, number, quantity } from "../format.js";
import { h, setFlag, setText } from "./dom.js";

// fewer frames than are needed for smooth motion, though the simulation makes more; one second may hold one frame less than its steps
export function framesLate(frames, stepsPerSecond) {
    return frames > 0 && frames < Math.min(12, 0.75 * stepsPerSecond);
}

export class Status {
    constructor(root) {
        const item = (title, className = "") => {
            const e = h("span", { title, class: className });
            root.append(e);
            return e;
        };
        this.frames = item("State frames drawn in the last second, and states the simulation made that this page did not get");
        this.speed = item("Simulated over real time since the last report");
        this.load = item("Mean time of a step, and what a step may take to keep up with real time");
        this.step = item("Steps done", "more");
        this.hash = item("Hash of the state: the same for the same scene, edits and build", "more");
        this.size = item("Faces drawn", "more");
        this.latency = item("From a pointer event to the next frame drawn, as measured by this page", "more");
        this.contacts = item("Contacts of the last step: their number, the sum of their normal forces, and the largest force of one, which is the longest arrow");
        this.times = [];
        this.achieved = 0;
        this.dropped = 0;
    }

    drew(now) {
        this.times.push(now);
    }

    // once in a while: rates are over the last second
    refresh(now, playing, stepsPerSecond) {
        while (this.times.length && this.times[0] < now - 1000) this.times.shift();
        const n = this.times.length;
        setText(this.frames, `${n} frames/s${this.dropped ? ` · ${count(this.dropped)} dropped` : ""}`);
        setFlag(this.frames, "late", playing && framesLate(n, stepsPerSecond));
        if (!playing) setText(this.speed, "paused"), setFlag(this.speed, "late", false);
    }

    stats(s, wanted) {
        setText(this.speed, `${number(s.achieved, 3)}× real time`);
        // late by a tenth: it cannot keep up with the speed that was asked for
        setFlag(this.speed, "late", wanted > 0 && s.achieved < 0.9 * wanted);
        setText(this.load, `${number(s.step_ms, 3)} of ${number(s.budget_ms, 3)} ms`);
        this.achieved = s.achieved ?? 0;
        this.dropped = s.frames?.dropped ?? 0;
    }

    // totals: of the contacts of a frame; null: they are not shown
    showContacts(totals) {
        setText(this.contacts, !totals ? "" : totals.count ? `${count(totals.count)} ${totals.count === 1 ? "contact" : "contacts"} · ${quantity(totals.sum, "N")} · largest ${quantity(totals.largest, "N")}` : "no contacts");
    }

    frame(step, hash, faces) {
        setText(this.step, `step ${count(step)}`);
        setText(this.hash, `#${hash.slice(0, 8)}`);
        this.hash.dataset.hash = hash;
        this.step.dataset.step = step;
        setText(this.size, `${count(faces)} faces`);
    }
}
