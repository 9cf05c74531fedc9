// Recordings: a time slider under the stage. The server plays those of the command and of this page (.h5); files of earlier
// versions (.spv) play in the page.
import { clock } from "../format.js";
import { STATE } from "../net/protocol.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";

export class TimeBar {
    // span: { from, until, frames }; act: { toggle(), seek(time), close() }
    constructor(holder, name, { from, until, frames }, act) {
        this.until = until;
        // a frame per position; the nearest one is shown where their times are not regular
        const step = frames > 1 && until > from ? (until - from) / (frames - 1) : "any";
        this.slider = h("input", { type: "range", min: from, max: until, step, value: from, "aria-label": "Time in the recording", oninput: () => act.seek(Number(this.slider.value)) });
        this.button = h("button", { class: "button square main", title: "Play or pause the recording", "aria-label": "Play or pause the recording", onclick: act.toggle }, icon("play"));
        this.text = h("output", {});
        const close = h("button", { class: "button square plain", title: "Back to the live simulation", "aria-label": "Back to the live simulation", onclick: act.close }, icon("close"));
        this.root = h("div", { class: "player", title: name }, this.button, this.slider, this.text, close);
        holder.append(this.root);
    }

    show(time) {
        if (!this.slider.matches(":active")) this.slider.value = time;  // a hand on it is ahead of what is drawn
        setText(this.text, `${clock(time)} of ${clock(this.until)} s`);
    }

    playing(on) { this.button.replaceChildren(icon(on ? "pause" : "play")); }
    remove() { this.root.remove(); }
}

export class Player {
    // show: { hello(message), frame(decoded), playing(on) }; done: back to the live simulation
    constructor(holder, recording, name, show, done) {
        this.recording = recording;
        this.show = show;
        this.done = done;
        this.applied = -1;
        const { states } = recording, act = { toggle: () => this.toggle(), seek: (t) => (this.pause(), this.go(this.nearest(t))), close: () => this.close() };
        this.bar = new TimeBar(holder, name, { from: states[0].time, until: states.at(-1).time, frames: states.length }, act);
    }

    nearest(time) {
        const far = (i) => Math.abs(this.recording.states[i].time - time);
        return this.recording.states.reduce((best, _, i) => (far(i) < far(best) ? i : best), 0);
    }

    // once the page knows that it shows a recording
    start() {
        this.show.hello(this.recording.hello);
        this.pause();
        this.go(0);
    }

    // topologies that stand before the state in the file, then the state
    go(number) {
        const state = this.recording.states[number];
        const frames = this.recording.frames, place = frames.indexOf(state);
        const from = place > this.applied ? this.applied + 1 : 0;
        for (let i = from; i < place; i++) if (frames[i].kind !== STATE) this.show.frame(this.recording.decode(frames[i]));
        this.applied = place;
        this.number = number;
        this.show.frame(this.recording.decode(state));
        this.bar.show(state.time);
    }

    toggle() {
        if (this.timer) return this.pause();
        const states = this.recording.states;
        if (this.number >= states.length - 1) this.go(0);
        this.bar.playing(true);
        this.show.playing(true);
        const t0 = performance.now(), s0 = states[this.number].time;
        this.timer = setInterval(() => {
            const t = s0 + (performance.now() - t0) / 1000;
            let n = this.number;
            while (n + 1 < states.length && states[n + 1].time <= t) n++;
            if (n !== this.number) this.go(n);
            if (n === states.length - 1) this.pause();
        }, 16);
    }

    pause() {
        clearInterval(this.timer);
        this.timer = 0;
        this.bar.playing(false);
        this.show.playing(false);
    }

    close() {
        this.pause();
        this.bar.remove();
        this.done();
    }
}
