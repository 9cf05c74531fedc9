// The control panel, rebuilt for each simulation. Its sections reach the page only through the actions passed in.
import { number, quantity } from "../format.js";
import { explain, h, setFlag, setText } from "./dom.js";
import { icon } from "./icons.js";
import { ClipControls } from "./clip-controls.js";
import { fileButton } from "./open.js";
import { checkbox, choice, slider } from "./slider.js";

const SPEED = { min: 0.1, max: 10, log: true };
const EARTH = 9.81;
const NO_PINS = "No pins. Shift + click a body, or press it long, to pin it.";

function section(title, open, ...children) {
    return h("details", { class: "section", open }, h("summary", {}, title), h("div", { class: "inside" }, children));
}

const isGravity = (p) => /^gravity(\.|$)/.test(p.path);
const ENABLED = "contact.enabled";

export class Panel {
    // actions: see main.js; root: where it goes
    constructor(root, actions) {
        this.root = root;
        this.actions = actions;
        this.open = new Map([["Simulation", true], ["Look", true], ["Touch", true], ["Tools", false], ["Health", true], ["Parameters", true], ["Files", false]]);
        this.locked = h("div", { class: "locked hidden" }, h("span", { class: "text" }),
            this.ask = h("button", { class: "button small", onclick: () => actions.control() }, icon("hand"), "Request the controls"));
        this.holder = h("div", {});
        root.append(this.locked, this.holder);
        this.widgets = [];
        this.live = [];
        this.opening = [];
        this.why = "Not connected.";
        this.params = new Map();
    }

    section(title, ...children) {
        const s = section(title, this.open.get(title) ?? true, ...children);
        s.addEventListener("toggle", () => this.open.set(title, s.open));
        return s;
    }

    // needs the controls: greyed out while somebody else has them
    steer(widget) {
        this.widgets.push(widget);
        return widget.root;
    }

    build(hello, settings, initial, tools) {
        this.widgets = [];
        this.live = [];
        this.opening = [];
        this.params = new Map();
        this.hello = hello;
        const sections = [];
        if (hello.scene) sections.push(this.parameters(hello, initial), this.simulation(hello, initial), this.look(hello, settings), this.touch(hello, settings), this.tools(hello, tools), this.health());
        else sections.push(this.look(hello, settings));
        sections.push(this.files(hello));
        this.holder.replaceChildren(...sections);
        this.allow(this.why, this.recorded, this.mayAsk);
    }

    // ---- simulation

    simulation(hello, initial) {
        const { actions } = this;
        this.speed = slider({ label: "Speed", unit: "×", value: hello.state.speed || 1, low: 0.1, high: 10, range: SPEED, help: "simulated over real time",
            marks: [{ at: 0.1, text: "0.1" }, { at: 1, text: "real time", strong: true }, { at: 10, text: "10" }], change: (v) => actions.speed(Math.abs(v - 1) < 0.03 ? 1 : v) });
        this.fast = checkbox("As fast as it can", hello.state.speed === 0, "Do not wait for real time", (on) => actions.speed(on ? 0 : this.speed.value));
        this.dt = slider({ label: "Time step", unit: "s", value: initial.dt, low: 1e-6, high: 1, help: "length of a step", live: false, change: actions.dt,
            range: { min: initial.dt / 100, max: Math.min(1, initial.dt * 10), log: true } });
        this.dt.set(hello.state.dt);
        const parts = [this.steer(this.speed), this.steer(this.fast), this.steer(this.dt), this.gravity(hello, initial), this.solver(hello), this.threads(hello)];
        return this.section("Simulation", ...parts.flat());
    }

    gravity(hello, initial) {
        const g = hello.params.filter(isGravity).slice(0, 3);
        if (g.length < 3) return [];
        const first = initial.gravity, size = Math.hypot(...first) || EARTH;
        const down = Math.hypot(...first) ? first.map((v) => v / Math.hypot(...first)) : [0, -1, 0];
        const fields = ["x", "y", "z"].map((axis, i) => slider({ label: axis, unit: "", value: g[i].value, low: -1e6, high: 1e6, range: { min: -1, max: 1, log: false },
            help: `gravity along ${axis} [m/s²]`, change: (v) => this.sendGravity(i, v) }));
        this.gravityFields = fields;
        this.gravityValue = g.map((p) => p.value);
        const along = (v) => v.reduce((s, c, i) => s + c * down[i], 0);
        this.gravitySize = slider({ label: "Gravity", unit: "m/s²", value: along(this.gravityValue), low: -1e6, high: 1e6, range: { min: -2.5 * size, max: 2.5 * size, log: false },
            help: "along the direction it has in the scene; below 0: upwards", marks: [{ at: 0, text: "0" }, { at: size, text: number(size, 3), strong: true }, { at: -size, text: number(-size, 3) }],
            change: (v) => this.applyGravity(down.map((d) => d * v)) });
        this.gravityAlong = along;
        const cells = fields.map((f, i) => h("label", {}, ["x", "y", "z"][i], f.root.querySelector("input[type=text]")));
        const three = { root: h("div", { class: "three", title: "Gravity by its components [m/s²]" }, cells), enable: (on) => fields.forEach((f) => f.enable(on)) };
        return [this.steer(this.gravitySize), this.steer(three)];
    }

    sendGravity(i, v) {
        const next = this.gravityValue.slice();
        next[i] = v;
        return this.applyGravity(next);
    }

    applyGravity(value) {
        this.gravityValue = value;
        value.forEach((v, i) => this.gravityFields[i].set(v));
        this.gravitySize.set(this.gravityAlong(value));
        return this.actions.gravity(value);
    }

    solver(hello) {
        const soft = hello.bodies.filter((b) => b.solver);
        if (!soft.length) return [];
        const rows = [];
        let body = soft.length > 1 ? 0 : soft[0].body;
        const using = h("p", { class: "note" });
        const solverOf = () => (body ? soft.find((b) => b.body === body) : soft[0]);
        const showUse = () => setText(using, solverOf().solver_in_use ? `in use: ${solverOf().solver_in_use}` : "");
        const solver = choice("Linear solver", hello.solvers.map((s) => ({ value: s, text: s })), solverOf().solver, "How the system of each step is solved; the state is kept",
            (v) => this.actions.solver(body, v).catch(() => solver.set(solverOf().solver)));
        if (soft.length > 1) {
            const names = [{ value: "0", text: `all soft bodies (${soft.length})` }, ...soft.map((b) => ({ value: String(b.body), text: b.name }))];
            rows.push(choice("Body", names, "0", "Whose solver is chosen", (v) => {
                body = Number(v);
                solver.set(solverOf().solver);
                showUse();
            }).root);
        }
        showUse();
        return [...rows, this.steer(solver), using];
    }

    threads(hello) {
        const { threads, threads_max: most } = hello.state;
        const list = [];
        for (let n = 1; n <= Math.max(most, threads); n++) list.push({ value: String(n), text: n === 1 ? "1 thread" : `${n} threads` });
        const widget = choice("Threads", list, String(threads), "Workers of the simulation; the results are the same, bit for bit, with any number", (v) => this.actions.threads(Number(v)).catch(() => widget.set(String(threads))));
        return [this.steer(widget)];
    }

    // ---- look

    look(hello, settings) {
        const { actions } = this;
        const fields = [{ value: "none", text: "own colours" }, ...hello.fields.map((f, i) => ({ value: f.name, text: `${i + 1}  ${f.label}` }))];
        this.color = choice("Colour by", fields, settings.color ?? "none", "Keys 0 to 7", (v) => actions.set("color", v));
        const flags = [["visual", "Surfaces", "What the bodies look like"], ["wire", "Wireframe", "Edges of the surfaces (W)"], ["mesh", "Mechanical mesh", "Boundary of the elements that are computed (M)"],
            ["hull", "Collision surface", "What contact sees (C)"], ["interfaces", "Interfaces", "Faces between the regions of a body, inside it (N)"], ["fixed", "Fixed nodes", "Dots where bodies are held (X)"], ["loads", "Loads", "Arrows: forces from outside (L)"],
            ["contacts", "Contacts", "Points where bodies touch, arrows along the forces; the longest arrow is the largest force (O)"],
            ["grid", "Floor grid", "A grid below the scene"], ["shadow", "Shadows", "Costs some time to draw"]];
        this.flags = new Map(flags.map(([key, text, help]) => [key, checkbox(text, settings[key], help, (v) => actions.set(key, v))]));
        // recordings of earlier versions hold positions of visual surfaces, nothing else
        this.live.push(this.color, ...["mesh", "hull", "interfaces", "fixed", "loads", "contacts"].map((key) => this.flags.get(key)));
        this.clipBox = checkbox("Clipping plane", !!settings.clip, "See inside: what lies in front of a plane is not drawn (I)", () => actions.clip());
        this.clip = new ClipControls(actions.clipHooks);
        return this.section("Look", this.color.root, h("div", { class: "checks" }, [...this.flags.values()].map((f) => f.root)), this.clipBox.root, this.clip.root);
    }

    // ---- touch

    touch(hello, settings) {
        const pulls = hello.bodies.map((b) => b.pull).filter((k) => k > 0).sort((a, b) => a - b);
        const typical = pulls.length ? pulls[pulls.length >> 1] : 100;
        this.hand = checkbox("Drag bodies", settings.hand, "Off: gestures on bodies rotate the view too (D)", (v) => this.actions.set("hand", v));
        this.stiffness = slider({ label: "Drag spring", unit: "N/m", value: settings.k ?? typical, low: 1e-9, high: 1e12, range: { min: typical / 100, max: typical * 100, log: true },
            help: "stiffness of the spring between the pointer and the picked point", change: (v) => this.actions.set("k", v) });
        this.auto = checkbox("One that suits the body", settings.k === null, "The server chooses the stiffness for each body", (on) => this.actions.set("k", on ? null : this.stiffness.value));
        this.live.push(this.hand, this.stiffness, this.auto);
        this.force = h("b", {}, "–");
        this.way = h("b", {}, "–");
        this.pinCount = h("span", { class: "note" }, NO_PINS);
        this.unpin = h("button", { class: "button small", title: "Unpin every node pinned from a page", onclick: () => this.actions.unpinAll() }, icon("pin"), "Unpin all");
        this.steer({ root: this.unpin, enable: (on) => (this.unpin.disabled = !on) });
        this.unpin.classList.add("hidden");
        return this.section("Touch", this.hand.root, h("div", { class: "readout" }, h("div", { title: "Force of the spring on the picked point" }, h("small", {}, "Pull"), this.force),
            h("div", { title: "Displacement of the picked point from the rest shape" }, h("small", {}, "Displacement"), this.way)), this.auto.root, this.stiffness.root, this.pinCount, this.unpin);
    }

    // ---- tools

    // values: of the tools, changed in place
    tools(hello, values) {
        const { actions } = this;
        const number = (name, label, unit, scale, range, help) => slider({ label, unit, value: values[name] * scale, low: range.min, high: range.max, range, help, change: (v) => actions.toolValue(name, v / scale) });
        const widgets = [
            number("ball", "Ball size", "%", 100, { min: 1, max: 50, log: true }, "radius of a thrown ball, in percent of the size of the bodies that can move"),
            number("density", "Ball density", "kg/m3", 1, { min: 10, max: 1e4, log: true }, "of a thrown ball"),
            number("speed", "Ball speed", "sizes/s", 1, { min: 0.3, max: 20, log: true }, "sizes of the bodies that a thrown ball flies in a second"),
            number("probe", "Probe size", "%", 100, { min: 0.5, max: 20, log: true }, "radius of the tip of the probe, in percent of the size of the bodies that can move"),
            choice("Link", [{ value: "spring", text: "spring" }, { value: "weld", text: "weld" }], values.link, "What the tool attaches by: a spring that pulls two points together, or a weld that keeps them as they are", (v) => actions.toolValue("link", v)),
            number("strength", "Link strength", "weights", 1, { min: 0.3, max: 100, log: true }, "force with which a spring begins, in weights of the lighter body"),
        ];
        this.live.push(...widgets);
        const act = hello.params.find((p) => p.path === ENABLED), parts = widgets.map((w) => w.root);
        if (act) {
            const box = checkbox("Contacts act", act.value !== 0, "Off: bodies pass through each other (Y)", (on) => actions.param(ENABLED, on ? 1 : 0).catch(() => box.set(!on)));
            this.params.set(ENABLED, { set: (v) => box.set(v !== 0) });
            parts.unshift(this.steer(box));
        }
        this.removeAdded = h("button", { class: "button small hidden", title: "Remove the balls and fixed places that were added here", onclick: actions.removeAdded }, icon("close"), "Remove what was added");
        this.steer({ root: this.removeAdded, enable: (on) => (this.removeAdded.disabled = !on) });
        return this.section("Tools", ...parts, this.removeAdded);
    }

    showAdded(n) {
        if (this.removeAdded) setFlag(this.removeAdded, "hidden", !n);
    }

    showPicked(picked) {
        if (!this.force) return;
        setText(this.force, picked ? quantity(picked.force, "N") : "–");
        setText(this.way, picked ? quantity(picked.displacement, "m") : "–");
    }

    showPins(n) {
        if (!this.pinCount) return;
        setText(this.pinCount, n ? `${n} ${n === 1 ? "node is" : "nodes are"} pinned. Shift + click one, or press it long, to unpin it.` : NO_PINS);
        setFlag(this.unpin, "hidden", !n);
    }

    // ---- health

    // shown once the server has sent a figure
    health() {
        const head = [["", ""], ["inverted", "Inverted elements"], ["volume lost", "Share of the rest volume that is missing"], ["depth", "Deepest point below a rigid surface"], ["appeared", "Energy that appeared without external work"]];
        this.healthBody = h("tbody", {});
        this.healthSection = this.section("Health", h("table", { class: "health" }, h("thead", {}, h("tr", {}, head.map(([text, title]) => h("th", { title }, text)))), this.healthBody));
        this.healthSection.classList.add("hidden");
        return this.healthSection;
    }

    showHealth(rows) {
        if (!this.healthSection) return;
        setFlag(this.healthSection, "hidden", !rows.length);
        while (this.healthBody.children.length > rows.length) this.healthBody.lastChild.remove();
        rows.forEach(({ bad, ...texts }, i) => {
            const row = this.healthBody.children[i] ?? this.healthBody.appendChild(h("tr", {}, Object.keys(texts).map(() => h("td", {}))));
            setFlag(row, "bad", bad);
            Object.values(texts).forEach((text, k) => setText(row.children[k], text));
            row.firstChild.title = texts.name;
        });
    }

    // ---- parameters

    parameters(hello, initial) {
        const list = hello.params.filter((p) => !isGravity(p) && p.path !== ENABLED);
        const groups = new Map();
        for (const p of list) {
            const cut = p.path.lastIndexOf(".");
            const key = cut < 0 ? "" : p.path.slice(0, cut);
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push({ ...p, name: p.path.slice(cut + 1) });
        }
        // what newcomers try first stands first
        for (const params of groups.values()) params.sort((a, b) => (b.name === "young") - (a.name === "young"));
        const blocks = [...groups].map(([name, params]) => h("div", { style: { display: "grid", gap: "0.7rem" } }, groups.size > 1 || name ? h("h3", { title: name }, this.titleOf(hello, name)) : null,
            params.map((p) => this.param(p, initial.params.get(p.path) ?? p.value))));
        const rows = () => this.parameterSection.querySelectorAll("[data-path]");
        const filter = h("input", { type: "search", placeholder: `Search ${list.length} parameters`, "aria-label": "Search parameters", oninput: () => {
            const wanted = filter.value.trim().toLowerCase();
            for (const row of rows()) setFlag(row, "hidden", !row.dataset.path.toLowerCase().includes(wanted));
            for (const b of blocks) setFlag(b, "hidden", !b.querySelector("[data-path]:not(.hidden)"));
        } });
        const undo = h("button", { class: "button small", title: "Undo the last change of a value or pin (Z)", onclick: () => this.actions.undo() }, icon("reset"), "Undo");
        this.steer({ root: undo, enable: (on) => (undo.disabled = !on) });
        this.parameterSection = this.section("Parameters", list.length > 8 ? filter : null, list.length ? blocks : h("p", { class: "note" }, "This scene has no parameters that change while it runs."), h("div", { class: "buttons" }, undo));
        return this.parameterSection;
    }

    // "liver.region[0]" is called "tumour" in the scene
    titleOf(hello, group) {
        const [, name, number] = /^(.*)\.region\[(\d+)\]$/.exec(group) ?? [];
        const regions = hello.bodies.find((b) => b.name === name)?.regions ?? [], region = regions[Number(number)];
        // a region of a rod may have several cross sections
        const several = regions.filter((r) => r === region).length > 1;
        return region ? `${name}: ${region}${several ? ` [${number}]` : ""}` : group;
    }

    param(p, first) {
        // a region without a value of its own has its body's
        const unset = first === null || first === undefined;
        if (unset) first = p.value ?? this.hello.params.find((q) => q.path === `${p.path.split(".")[0]}.${p.name}`)?.value ?? p.low ?? 0;
        const name = p.meaning && p.meaning.length <= 28 ? p.meaning[0].toUpperCase() + p.meaning.slice(1) : p.name.replaceAll(/[-_]/g, " ");
        const widget = slider({ label: `${name}${unset ? " (as the body)" : ""}`, unit: p.unit, value: first, low: p.low, high: p.high, help: `${p.path}${p.meaning ? `: ${p.meaning}` : ""}`, change: (v) => this.actions.param(p.path, v) });
        if (p.value !== null) widget.set(p.value);
        widget.root.dataset.path = p.path;
        this.params.set(p.path, widget);
        return this.steer(widget);
    }

    setParams(list) {
        for (const p of list) {
            this.params.get(p.path)?.set(p.value);
            if (isGravity(p) && this.gravityFields) this.setGravityPart("xyz".indexOf(p.path.slice(-1)), p.value);
        }
    }

    setGravityPart(i, value) {
        if (i < 0) return;
        this.gravityValue[i] = value;
        this.gravityFields[i].set(value);
        this.gravitySize.set(this.gravityAlong(this.gravityValue));
    }

    setState(state) {
        if (!this.speed) return;
        if (state.speed > 0) this.speed.set(state.speed);
        this.fast.set(state.speed === 0);
        this.dt.set(state.dt);
    }

    // ---- files

    files(hello) {
        const { actions } = this;
        const button = (name, text, title, act) => h("button", { class: "button", title, onclick: act }, icon(name), text);
        this.record = button("record", "Record", "Write every state to a file on the server (HDF5)", actions.record);
        const log = button("table", "Edit log", "What was done since the start, replayed to the same hash", actions.log);
        const scene = button("download", "Scene", "The scene with the parameters as they are now", actions.download);
        for (const b of [this.record, log, scene]) this.steer({ root: b, enable: (on) => (b.disabled = !on) });
        const recording = fileButton("play", "Open recording", "Play a recording (.h5) of this page or of souple run, with a time slider", ".h5,.xdmf,.spv", actions.openRecording);
        const own = fileButton("scenes", "Open scene", "A scene of your own, from a file (.xml)", ".xml", actions.openScene);
        this.opening.push({ root: own.button, enable: (on) => (own.button.disabled = !on) });
        return this.section("Files", h("div", { class: "buttons" }, button("camera", "Screenshot", "The view as PNG (S)", actions.screenshot), button("link", "Copy link", "A link to this view (U)", actions.link),
            hello.scene ? [this.record, log, scene] : null, own.button, recording.button), own.input, recording.input,
        h("p", { class: "note" }, "A recording holds states, an edit log holds inputs. Both are written by the server and offered here. souple view, souple render and ParaView open recordings too."));
    }

    setRecording(on) {
        if (!this.record) return;
        setFlag(this.record, "live", on);
        this.record.replaceChildren(icon(on ? "stop" : "record"), on ? "Stop recording" : "Record");
    }

    // ---- who may

    // why: nothing can be changed now; "": it can. recorded: what is shown is a file with positions only. mayAsk: the controls would help
    allow(why, recorded = false, mayAsk = true) {
        Object.assign(this, { why, recorded, mayAsk });
        setFlag(this.locked, "hidden", !why);
        setFlag(this.ask, "hidden", recorded || !mayAsk);
        setText(this.locked.querySelector(".text"), why);
        const set = (list, reason) => list.forEach((w) => (w.enable(!reason), explain(w.root, reason)));
        set(this.widgets, why);
        set(this.live, recorded ? why : "");
        set(this.opening, recorded || mayAsk ? why : "");  // a scene replaces a recording that the server shows
    }
}
