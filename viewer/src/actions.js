// What buttons, keys and gestures do. Whatever the server refuses is shown, and handed on so that a slider can go back.
import { clock, quantity, sentence } from "./format.js";
import { fileUrl, sceneUrl } from "./net/link.js";
import { isHdf5, isOldRecording, readRecording } from "./net/recording.js";
import { h, saveFile, setFlag, setText } from "./ui/dom.js";
import { Player } from "./ui/player.js";
import { forceOn } from "./view/contacts.js";

// a recording of earlier versions holds positions only, and nothing in it plays or records by itself
const asRecorded = (hello, control) => ({ ...hello, control, fields: [], state: { ...hello.state, playing: false, recording: false } });

export const RECORDED = "A recording is shown, which cannot be changed: close it to go back to the live simulation.";

const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];

const NAMES = ["playPause", "step", "reset", "slower", "faster", "realTime", "control", "gallery", "fit", "homeView", "wire", "mesh", "hull", "clip", "interfaces", "fixed", "loads", "contacts", "contactsAct", "color", "holdRange", "hand", "tool", "throwTool", "probeTool", "attachTool", "deepen", "toolValue", "removeAdded",
    "plots", "panel", "theme", "screenshot", "link", "help", "escape", "speed", "dt", "gravity", "param", "solver", "threads", "record", "log", "download", "set", "unpinAll", "openRecording", "seek", "closeReplay", "openScene", "openFile", "saveTable", "undo"];

const SCENE_MAX = 4 << 20;  // bytes of a scene that the server takes

const LARGE_FILE = 2e7, SENT_MAX = 4 * 2 ** 30;  // bytes: sending it takes a moment; the server takes no more
const NAME_MAX = 40;  // characters of a file name, at most 127 bytes
const ONE_CHANGE = 1000;  // ms: moves of one slider with shorter breaks are one change
const UNDO_MAX = 100;

export class Actions {
    constructor(app) {
        this.app = app;
        this.done = [];  // changes that can be undone: { key, at, text, message }
        // buttons call these without us
        this.bound = Object.fromEntries(NAMES.map((n) => [n, this[n].bind(this)]));
    }

    // for buttons: a refusal is shown, nothing else happens
    async try(message) {
        try {
            return await this.ask(message);
        } catch {
            return null;
        }
    }

    async ask(message) {
        // a recording is shown: the simulation, which is hidden, is not changed by a key or a link
        if (this.app.player && message.type !== "control") {
            this.app.toasts.show(RECORDED);
            throw new Error(RECORDED);
        }
        try {
            return await this.app.link.ask(message);
        } catch (e) {
            // a lost connection has its banner
            if (e.messages?.length) this.app.problems.show("The scene cannot be opened", e.messages);
            else if (this.app.link.open) this.app.toasts.bad(sentence(e.message));
            throw e;
        }
    }

    // ---- simulation

    playPause() {
        if (this.app.player) return this.app.player.toggle();
        return this.try({ type: this.app.state.playing ? "pause" : "play" });
    }

    step() { return this.try({ type: "step", count: 1 }); }
    reset() { return this.try({ type: "reset", keep: true }); }
    speed(value) { return this.ask({ type: "speed", value }); }
    dt(value) { return this.change("dt", "time step", { type: "dt", value: this.app.state.dt }, { type: "dt", value }); }
    gravity(value) { return this.change("gravity", "gravity", { type: "gravity", value: this.app.gravityNow() }, { type: "gravity", value }); }
    param(path, value) { return this.change(path, path, { type: "param", path, value: this.app.paramNow(path) }, { type: "param", path, value }); }
    solver(body, solver) { return this.ask({ type: "solver", body, solver }); }
    threads(value) { return this.ask({ type: "threads", value }); }
    scene(scene) { return this.try({ type: "scene", number: scene.number }); }
    realTime() { return this.try({ type: "speed", value: 1 }); }
    slower() { return this.try({ type: "speed", value: SPEEDS.findLast((s) => s < (this.app.state.speed || 11) - 1e-9) ?? 0.1 }); }
    faster() { return this.try({ type: "speed", value: SPEEDS.find((s) => s > (this.app.state.speed || 11) + 1e-9) ?? 10 }); }

    control() {
        const { mine, link } = this.app;
        if (!link.open) return link.reconnect();
        return this.try({ type: "control", action: mine ? "release" : "request" });
    }

    async unpinAll() {
        for (const p of [...(this.app.marks.message?.pins ?? [])])
            for (const node of [...p.nodes]) await this.pin(p.body, node);
    }

    // what a link asks of the simulation; needs the controls. What begins a new generation comes first
    async applyLink({ values, params }) {
        const { app } = this;
        const scene = values.scene && app.hello.scenes.find((s) => s.path === values.scene);
        if (values.scene && !scene && values.scene !== app.hello.scene?.path) app.toasts.bad(`The link asks for ${values.scene}, which this server does not have.`);
        try {
            if (scene && scene.path !== app.hello.scene?.path) await this.andHello(() => this.ask({ type: "scene", number: scene.number }));
            if (values.dt && values.dt !== app.state.dt) await this.andHello(() => this.dt(values.dt));
            if (values.threads && values.threads !== app.state.threads) await this.andHello(() => this.threads(values.threads));
            if (values.solver && values.solver !== app.initial?.solver) await this.andHello(() => this.solver(0, values.solver));
            if (values.gravity) await this.gravity(values.gravity);
            for (const [path, value] of Object.entries(params)) if (app.hello.params.some((p) => p.path === path && p.value !== value)) await this.param(path, value);
            if (values.speed && values.speed !== app.state.speed) await this.speed(values.speed);
            if (values.play) await this.ask({ type: "play" });
        } catch {
            // ask has shown the refusal; the rest of the link depends on what was refused
        }
    }

    // the next hello after it, or 15 s
    andHello(act) {
        const next = new Promise((done) => {
            (this.app.helloWaiters ??= []).push(done);
            setTimeout(done, 15000);
        });
        return act().then(() => next);
    }

    // ---- undo

    // asks for a change and keeps what takes it back. text: what was changed
    async change(key, text, back, message) {
        const answer = await this.ask(message), now = performance.now(), last = this.done.at(-1);
        if (last?.key === key && now - last.at < ONE_CHANGE) last.at = now;
        else if (back.value !== null) this.done.push({ key, at: now, text, message: typeof back === "function" ? back(answer) : back });
        this.done.splice(0, this.done.length - UNDO_MAX);
        return answer;
    }

    async undo() {
        const last = this.done.pop(), message = typeof last?.message === "function" ? last.message() : last?.message;
        if (!last) this.app.toasts.show("There is no change to undo.");
        else if (!message) this.app.toasts.show(`The ${last.text} is not there.`);
        else if (await this.try(message)) {
            if (/^(un)?pin$/.test(message.type)) this.notePin(message.body, message.node, message.type === "pin");
            this.app.toasts.show(`Undone: ${last.text}.`);
        }
    }

    // ---- view

    set(name, value) { this.app.set(name, value); }
    flip(name) { this.app.set(name, !this.app.settings[name]); }
    wire() { this.flip("wire"); }
    mesh() { this.flip("mesh"); }
    hull() { this.flip("hull"); }
    interfaces() { this.flip("interfaces"); }
    clip() { this.app.set("clip", this.app.settings.clip ? false : this.app.clipPlane()); }
    fixed() { this.flip("fixed"); }
    loads() { this.flip("loads"); }
    contacts() { this.flip("contacts"); }
    // from another tool back to dragging
    hand() {
        if (this.app.tools.tool === "drag") return this.flip("hand");
        this.tool("drag");
        if (!this.app.settings.hand) this.flip("hand");
    }
    theme() { this.app.set("theme", this.app.settings.theme === "dark" ? "light" : "dark"); }
    color(key) { if (!this.app.player) this.app.set("color", this.app.fields[Number(key) - 1]?.name ?? "none"); }
    holdRange() { if (this.app.legend.field) this.app.legend.toggle(); }

    // two sheets do not fit a narrow screen
    sheet(name, other) {
        const { app } = this;
        if (window.innerWidth <= 900 && !app.settings[name]) app.settings[other] = false;
        this.flip(name);
    }

    plots() { this.sheet("plots", "panel"); }
    panel() { this.sheet("panel", "plots"); }
    gallery() { this.app.gallery.open(); }

    help() {
        if (this.app.help.open) this.app.help.close();
        else this.app.help.showModal();
    }

    escape() {
        const { app } = this;
        app.touch.dropAll();
        if (app.tools.first) app.tools.forgetFirst();
        else this.tool("drag");
        if (window.innerWidth <= 900) app.settings.panel = app.settings.plots = false, app.applySettings();
    }

    fit() {
        const { stage, bodies } = this.app, box = bodies.box();
        if (box.isEmpty()) return;
        const direction = stage.camera.position.clone().sub(stage.controls.target);
        const view = stage.viewOf(box, direction);
        stage.look(view.at, view.to);
        this.app.writeAddress();
    }

    homeView() {
        const { home, stage } = this.app;
        if (!home) return;
        stage.look(home.at, home.to);
        this.app.writeAddress();
    }

    // ---- files

    name(extension) {
        const { hello, bodies } = this.app;
        const base = (hello?.scene?.path ?? "souple").split("/").pop().replace(/\.xml$/, "");
        return `${base}-${clock(bodies.frame?.time ?? 0)}s.${extension}`;
    }

    async screenshot() {
        saveFile(this.name("png"), await this.app.stage.picture());
        this.app.toasts.show("Screenshot saved.");
    }

    saveTable() { saveFile(this.name("csv"), this.app.plots.table(), "text/csv"); }

    async link() {
        this.app.writeAddressNow();
        try {
            await navigator.clipboard.writeText(location.href);
            this.app.toasts.show("Link copied.");
        } catch {
            // clipboards may be closed to pages; the address bar has it all the same
            this.app.toasts.show("The address bar holds the link to this view.");
        }
    }

    // button: what else can be done with the file
    offer(answer, what, button = null) {
        if (!answer?.file) return;
        const note = answer.command ? ` Replay: ${answer.command}` : "";
        const short = answer.file.split("/").pop();
        this.app.toasts.show(`${what} written.${note}`, { link: { href: fileUrl(location, answer.file), text: `Save ${short}`, download: short }, button, ms: 30000 });
    }

    async record() {
        const on = this.app.state.recording;
        const answer = await this.try({ type: "record", action: on ? "stop" : "start" });
        if (on) this.offer(answer, "Recording", { text: "Play", act: () => this.try({ type: "open", file: answer.file.split("/").pop() }) });
        else if (answer) this.app.toasts.show("Recording. Press Stop when done.");
    }

    async log() { this.offer(await this.try({ type: "log" }), "Edit log"); }
    async download() { this.offer(await this.try({ type: "download" }), "Scene"); }

    // a file of one's own: a scene, or else a recording
    openFile(file) {
        return /\.xml$/i.test(file.name) ? this.openScene(file) : this.openRecording(file);
    }

    // the server saves the text, simulates it and answers with what is wrong in it
    async openScene(file) {
        const { app } = this;
        if (app.player) return app.toasts.show(RECORDED);
        if (app.control.holder && !app.mine) return app.toasts.show("You are watching: request the controls (K) to open a scene.");
        if (!file.size || file.size > SCENE_MAX) return app.toasts.bad(`${file.name}: ${file.size ? "more than 4 MiB, which is too much for a scene" : "the file is empty"}.`);
        app.gallery.root.close();
        const opening = app.toasts.show(`Opening ${file.name}…`, { ms: 60000 });
        try {
            const answer = await fetch(sceneUrl(location, file.name, app.liveHello?.key ?? ""), { method: "POST", body: await file.arrayBuffer(), headers: { "content-type": "application/xml" } });
            if (answer.headers.get("content-type") !== "application/json") return app.toasts.bad(`${file.name}: ${await answer.text()}.`);
            const { type, why, messages } = await answer.json();
            if (messages?.length) app.problems.show(type === "ok" ? `${file.name} runs, with warnings` : `${file.name} cannot be opened`, messages);
            else if (type === "refused") app.toasts.bad(`${file.name}: ${why}`);
        } catch (e) {
            app.toasts.bad(`${file.name}: ${e.message}`);
        } finally {
            opening.remove();
        }
    }

    // the server plays recordings, for all pages; those of earlier versions play in this page
    async openRecording(file) {
        const { app } = this;
        try {
            const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
            if (isOldRecording(head)) this.playOld(file, readRecording(await file.arrayBuffer()));
            else if (isHdf5(head)) await this.sendRecording(file);
            else if (/\.xdmf$/i.test(file.name)) throw new Error("choose the .h5 file beside it, which holds the states.");
            else throw new Error("this is not a recording of Souple (.h5).");
        } catch (e) {
            app.toasts.bad(`${file.name}: ${e.message}`);
        }
    }

    async sendRecording(file) {
        const { app } = this;
        if (app.player) throw new Error("close the recording that is open first.");
        if (!app.mine) throw new Error("all pages see a recording, and another one has the controls. Request them (K).");
        if (file.size > SENT_MAX) throw new Error(`it has ${quantity(file.size, "B")}, at most 4 GiB can be sent. Open it with souple view FILE.`);
        if (file.size > LARGE_FILE) app.toasts.show(`Sending ${file.name} to the server: ${quantity(file.size, "B")}…`);
        const answer = await fetch(fileUrl(location, "files/"), { method: "POST", body: file });
        if (!answer.ok) throw new Error(await answer.text());
        const sent = (await answer.json()).file.split("/").pop();
        try {
            await app.link.ask({ type: "open", file: sent, name: file.name.slice(0, NAME_MAX) });
        } catch (e) {
            throw new Error(e.message.replace(/\S*upload-\S*: /, ""));  // the name that the server gave it says nothing
        }
    }

    // one request at a time, the last place that the slider had
    async seek(time) {
        this.seekTo = time;
        if (this.seeking) return;
        this.seeking = true;
        try {
            if (this.app.state.playing) await this.ask({ type: "pause" });
            while (this.seekTo !== null) {
                const next = this.seekTo;
                this.seekTo = null;
                await this.ask({ type: "seek", time: next });
            }
        } catch {
            // ask has shown the refusal
        } finally {
            this.seeking = false;
        }
    }

    closeReplay() { return this.try({ type: "close" }); }

    playOld(file, recording) {
        const { app } = this, before = app.player;
        try {
            app.player?.close();
            app.touch.dropAll();
            this.hover(null);
            app.boxed = false;
            const show = { hello: (m) => app.takeHello(asRecorded(m, app.control)), frame: (f) => app.takeFrame(f), playing: (on) => app.showPlaying(on) };
            app.player = new Player(app.ui.stage, recording, file.name, show, () => this.closeRecording());
            app.player.start();
            app.applySettings();
            setText(app.ui.sceneName, `${file.name} (recording)`);
        } catch (e) {
            if (app.player !== before) app.player?.close();
            throw e;
        }
    }

    closeRecording() {
        const { app } = this;
        app.player = null;
        app.hello = null;
        app.applySettings();
        app.rememberControls();
        if (app.liveHello) app.link.reconnect();  // the server sends the skipped frames again
    }

    // ---- tools

    tool(name) {
        const { app } = this, why = app.whyNot(name);
        if (why) return app.toasts.show(why);
        if (name !== "drag" && !this.mayUse()) return;
        app.tools.select(app.tools.tool === name ? "drag" : name);
    }

    throwTool() {
        const { tools } = this.app;
        if (tools.tool !== "throw") this.tool("throw");
        else if (this.mayUse()) tools.throwBall();
    }

    probeTool() { this.tool("probe"); }
    attachTool() { this.tool("attach"); }
    deepen(key) { this.app.tools.deepen(key === "+" ? 1 : -1); }
    toolValue(name, value) { this.app.tools.values[name] = value; }

    mayUse() {
        const { app } = this;
        if (app.recorded) return false;
        if (!app.mine) app.toasts.show("You are watching: request the controls (K) to use a tool.");
        return app.mine;
    }

    toolHooks() {
        const { app } = this;
        return {
            may: () => this.mayUse(),
            gravity: () => app.gravityNow(),
            throw: (message) => this.throwBall(message),
            probe: (message) => app.link.send({ type: "probe", ...message }),
            unprobe: () => app.link.send({ type: "unprobe" }),
            attach: (message) => this.attach(message),
            stiffness: (strength, bodies, length) => this.springStiffness(strength, bodies, length),
            detach: (name) => this.detach(name),
            selected: (tool) => app.toolSelected(tool),
            moved: () => app.stage.invalidate(),
        };
    }

    // a change that ask may have refused, with a message
    async changed(...args) {
        try {
            return await this.change(...args);
        } catch {
            return null;
        }
    }

    // a body is in the list once a step has added it
    removal(name) {
        const body = this.app.hello.bodies.find((b) => b.name === name)?.body;
        return body ? { type: "remove", body } : null;
    }

    throwBall(message) { return this.changed(`throw ${performance.now()}`, "thrown ball", (answer) => () => this.removal(answer.name), { type: "throw", ...message }); }

    // so that a spring begins with some times the weight of the lighter body
    springStiffness(strength, bodies, length) {
        const gravity = Math.hypot(...this.app.gravityNow()) || 9.81;
        const masses = this.app.hello.bodies.filter((b) => bodies.includes(b.body) && b.pull > 0).map((b) => b.mass);
        return masses.length ? (strength * gravity * Math.min(...masses)) / length : 1;
    }

    async attach(message) {
        const answer = await this.changed(`attach ${performance.now()}`, "link", (a) => ({ type: "detach", name: a.name }), { type: "attach", ...message });
        if (answer) this.app.toasts.show(message.to ? "Attached to a fixed place." : "Attached. Click the link to detach it.");
    }

    // a link to a fixed place leaves with the place
    async detach(name) {
        const placed = this.app.hello.bodies.some((b) => b.name === name.replace(/^tie-/, "peg-")), message = { type: "detach", name };
        const answer = placed ? await this.try(message) : await this.changed(`detach ${name}`, "detached link", { type: "attach", name }, message);
        if (answer) this.app.toasts.show("Detached.");
    }

    async removeAdded() {
        for (const b of this.app.hello.bodies.filter((x) => x.added && !x.name.startsWith("probe-"))) await this.try({ type: "remove", body: b.body });
    }

    contactsAct() {
        const now = this.app.paramNow("contact.enabled");
        if (now === null) return this.app.toasts.show("This scene has no contact by constraints, which alone can be switched.");
        return this.param("contact.enabled", now ? 0 : 1).then(() => this.app.toasts.show(now ? "Contacts do not act." : "Contacts act."), () => {});
    }

    // ---- drags

    touchHooks() {
        const { app } = this;
        return {
            mayDrag: () => {
                if (app.recorded) return false;
                if (!app.mine) app.toasts.show("You are watching: request the controls (K) to drag bodies.");
                return app.mine;
            },
            grab: (message) => this.ask(this.dragMessage(message)),
            drag: (message) => app.link.send(this.dragMessage(message)),
            drop: (slot) => app.link.send({ type: "drop", slot }),
            pin: (body, node) => this.pin(body, node),
            hover: (hit, e, cap) => this.hover(hit, e, cap),
            refused: (text) => app.toasts.show(text),
            moved: () => app.stage.invalidate(),
        };
    }

    dragMessage(message) {
        const { app } = this;
        app.dragSent ??= { at: performance.now(), step: app.bodies.frame?.step ?? 0 };
        return { type: "drag", ...message, ...(app.settings.k ? { stiffness: app.settings.k } : {}) };
    }

    async pin(body, node) {
        const { app } = this;
        if (app.recorded) return;
        const pinned = app.marks.hasPin(body, node);
        // marks may come only with the next step; what the server agreed to is shown at once
        const message = (type) => ({ type, body, node });
        try {
            await this.change(`pin ${body} ${node} ${pinned}`, pinned ? "unpinned node" : "pin", message(pinned ? "pin" : "unpin"), message(pinned ? "unpin" : "pin"));
            this.notePin(body, node, !pinned);
        } catch {
            // ask has shown the refusal
        }
    }

    notePin(body, node, on) {
        this.app.marks.notePin(body, node, on);
        this.app.showPins();
    }

    // cap: of a body that the clipping plane cuts, or null
    hover(hit, e, cap = null) {
        const { app } = this;
        const { hover, canvas } = app.ui;
        const soft = hit && hit.surfaceMesh.info.pull !== null;
        const tool = app.tools.tool !== "drag";
        app.stage.canvas.style.cursor = app.clip.near ? "move" : tool ? "crosshair" : hit && soft && app.settings.hand ? "grab" : "";
        setFlag(hover, "hidden", !hit && !cap);
        if (!hit && !cap) return;
        const body = app.hello.bodies.find((b) => b.body === (cap ? cap.body : hit.surfaceMesh.info.body));
        const r = canvas.getBoundingClientRect();
        hover.style.translate = `${Math.min(r.width - 160, e.clientX - r.left + 14)}px ${Math.min(r.height - 50, e.clientY - r.top + 18)}px`;
        const contact = app.contacts.under(e.clientX - r.left, e.clientY - r.top);
        const text = contact >= 0 ? this.contactText(contact) : `${body?.name ?? ""}${cap ? this.valueText(cap.value) : this.valueAt(hit)}${this.touchText(body)}`;
        hover.replaceChildren(h("span", {}, text));
    }

    // what presses on the body under the pointer, while contacts are shown
    touchText(body) {
        const { contacts, shown } = this.app.contacts;
        if (!body || !shown || !contacts) return "";
        const force = Math.hypot(...forceOn(contacts, body.body));
        return force > 0 ? `, contacts ${quantity(force, "N")}` : "";
    }

    contactText(i) {
        const { app } = this, { bodies, force, pressure } = app.contacts.contacts;
        const name = (b) => app.hello.bodies.find((x) => x.body === b)?.name ?? "";
        const size = Math.hypot(...force.subarray(3 * i, 3 * i + 3));
        return `${name(bodies[2 * i])} on ${name(bodies[2 * i + 1])}: ${quantity(size, "N")}${pressure[i] > 0 ? `, ${quantity(pressure[i], "Pa")}` : ""}`;
    }

    // the field under the pointer, as the server sent it
    valueAt(hit) {
        const { app } = this;
        const field = app.legend.field, { values, topology } = hit.surfaceMesh;
        if (!field || !values) return "";
        const v = [0, 1, 2].reduce((s, k) => s + hit.weights[k] * values[topology.faces[3 * hit.face + k]], 0);
        return this.valueText(v);
    }

    valueText(v) {
        const { field } = this.app.legend;
        return field && !Number.isNaN(v) ? `: ${quantity(v * (field.scale || 1), field.unit)}` : "";
    }
}
