// A recording instead of the live simulation: a time slider under the stage.
import { clock } from "../format.js";
import { STATE } from "../net/protocol.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";

export class Player {
    // show: { hello(message), frame(decoded), playing(on) }; done: back to the live simulation
    constructor(holder, recording, name, show, done) {
        this.recording = recording;
        this.show = show;
        this.done = done;
        this.applied = -1;
        const last = recording.states.length - 1;
        this.bar = h("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "Time in the recording", oninput: () => (this.pause(), this.go(Number(this.bar.value))) });
        this.button = h("button", { class: "button square main", title: "Play or pause the recording", "aria-label": "Play or pause the recording", onclick: () => this.toggle() }, icon("play"));
        this.text = h("output", {});
        const close = h("button", { class: "button square plain", title: "Back to the live simulation", "aria-label": "Back to the live simulation", onclick: () => this.close() }, icon("close"));
        this.root = h("div", { class: "player", title: name }, this.button, this.bar, this.text, close);
        holder.append(this.root);
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
        this.bar.value = number;
        const end = this.recording.states.at(-1).time;
        setText(this.text, `${clock(state.time)} of ${clock(end)} s`);
    }

    toggle() {
        if (this.timer) return this.pause();
        const states = this.recording.states;
        if (this.number >= states.length - 1) this.go(0);
        this.button.replaceChildren(icon("pause"));
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
        this.button.replaceChildren(icon("play"));
        this.show.playing(false);
    }

    close() {
        this.pause();
        this.root.remove();
        this.done();
    }
}
