// The page as a whole: what comes from the server goes to the stage, the panel and the plots; what the user does goes to the server.
import * as THREE from "three";
import { Actions, RECORDED } from "./actions.js";
import { readAddress, writeAddress } from "./address.js";
import { clock, number, quantity, sentence } from "./format.js";
import { healthRows, Warnings } from "./health.js";
import { fileUrl, Link, socketUrl } from "./net/link.js";
import { decodeFrame, STATE } from "./net/protocol.js";
import { naturalScale } from "./ranges.js";
import { defaultSettings, framesAllow, keep, loadKept } from "./settings.js";
import { Gallery, helpDialog } from "./ui/dialogs.js";
import { explain, h, setFlag, setText, throttle } from "./ui/dom.js";
import { icon } from "./ui/icons.js";
import { actionOf } from "./ui/keys.js";
import { Legend } from "./ui/legend.js";
import { acceptDrops, Problems } from "./ui/open.js";
import { Panel } from "./ui/panel.js";
import { TimeBar } from "./ui/player.js";
import { Plots } from "./ui/plots.js";
import { buildShell } from "./ui/shell.js";
import { Status } from "./ui/status.js";
import { Toasts } from "./ui/toasts.js";
import { Bodies } from "./view/bodies.js";
import { Clip, extentOf, planeOf } from "./view/clip.js";
import { shapeOf } from "./view/lens.js";
import { Contacts, contactTotals, forceOn } from "./view/contacts.js";
import { Marks } from "./view/marks.js";
import { Stage } from "./view/stage.js";
import { Tools } from "./view/tools.js";
import { Touch } from "./view/touch.js";

const PROTOCOL = 1;
const RETURN = 20000;  // ms within which a page that lost its connection asks for its controls again
const CLIP = 30;  // ms between two places of a plane that is moved
const NUMBERS = 200;  // ms between two texts of a running clock
const STAY = 3000;  // ms that a warning stays after its cause has gone
const vector = (a) => new THREE.Vector3().fromArray(a);

export class App {
    constructor(root) {
        this.actions = new Actions(this);
        this.ui = buildShell(this.actions.bound);
        root.append(this.ui.bar, this.ui.stage, this.ui.panel, this.ui.plots, this.ui.tabs);
        this.toasts = new Toasts(this.ui.stage);
        this.stage = new Stage(this.ui.canvas);
        this.address = readAddress(location.hash);
        this.defaults = defaultSettings(window);
        this.settings = { ...this.defaults, ...loadKept(), ...pickSettings(this.address.values, this.defaults) };
        this.fields = [];
        this.hello = null;
        this.state = { playing: false, speed: 1, dt: 0 };
        this.control = { holder: 0, you: 0, wants: 0 };
        this.initial = null;
        this.unacked = [];
        this.latencies = [];
        this.makeParts();
        this.applySettings();
        this.showEmpty("connecting");
        this.listen();
        this.link = new Link(socketUrl(location), {
            text: (m) => this.takeText(m), binary: (b) => this.takeBinary(b), lost: (e) => this.lost(e), open: () => this.connected(),
        });
    }

    makeParts() {
        const { ui, stage } = this;
        this.bodies = new Bodies(stage);
        this.marks = new Marks(stage, this.bodies);
        this.contacts = new Contacts(stage, this.bodies);
        this.legend = new Legend(ui.stage, () => this.rangeChanged());
        this.panel = new Panel(ui.panel, { ...this.actions.bound, clipHooks: this.clipHooks() });
        this.plots = new Plots();
        this.plots.onSaveAll = this.actions.bound.saveTable;
        ui.plots.append(this.plots.head(this.actions.bound.plots), this.plots.grid);
        this.status = new Status(ui.hud);
        this.warnings = new Warnings(STAY);
        ui.hideWarning.addEventListener("click", () => {
            this.warnings.hide();
            this.showWarnings([]);
        });
        this.gallery = new Gallery((scene) => this.actions.scene(scene), this.actions.bound.openScene);
        this.problems = new Problems(ui.stage);
        acceptDrops(ui.stage, this.actions.bound.openFile);
        this.help = helpDialog();
        document.body.append(this.gallery.root, this.help);
        this.clip = new Clip(stage, this.bodies, { moved: (plane) => this.set("clip", plane), pick: (e) => this.touch.pick(e) });
        this.touch = new Touch(stage, this.bodies, this.marks, this.actions.touchHooks());
        this.touch.clip = this.clip;
        this.tools = new Tools(stage, this.bodies, this.marks, this.touch, this.actions.toolHooks());
        stage.onDraw = () => this.beforeDraw();
        stage.controls.addEventListener("end", () => this.writeAddress());
        this.sendClip = throttle(CLIP, () => this.link?.send({ type: "show", clip: this.clipMessage() }));
        this.showNumbers = throttle(NUMBERS, () => this.showNumbersNow());
        this.writeAddress = throttle(400, () => this.writeAddressNow());
        this.bodies.shown = this.settings;
        setInterval(() => this.tick(), 100);
    }

    listen() {
        window.addEventListener("keydown", (e) => {
            const found = actionOf(e);
            if (!found || (document.querySelector("dialog[open]") && found.action !== "help")) return;
            e.preventDefault();
            if (!e.repeat || found.action !== "playPause") this.actions.bound[found.action](found.key);
        });
        // browsers press a focused button when Space is released
        window.addEventListener("keyup", (e) => {
            if (e.key === " " && actionOf(e) && !document.querySelector("dialog[open]")) e.preventDefault();
        });
        window.addEventListener("hashchange", () => this.followAddress());
        window.addEventListener("error", (e) => this.toasts.bad(`Error in the page: ${e.message}`));
        window.addEventListener("unhandledrejection", (e) => this.toasts.bad(`Error in the page: ${e.reason?.message ?? e.reason}`));
        // a tab in the background draws nothing: its drags end
        document.addEventListener("visibilitychange", () => document.hidden && this.touch.dropAll());
    }

    get mine() {
        return this.control.holder !== 0 && this.control.holder === this.control.you;
    }

    // a recording is shown: in this page only, or by the server to all pages
    get recorded() {
        return !!(this.player || this.hello?.replay);
    }

    // ---- from the server

    takeText(m) {
        if (this.player && m.type !== "hello" && m.type !== "control" && m.type !== "state") return;
        switch (m.type) {
        case "hello": this.liveHello = m; this.takeControl(m.control); if (!this.player) this.takeHello(m); break;
        case "state": this.takeState(m); break;
        case "params": this.takeParams(m.params); break;
        case "bodies": this.takeBodies(m); break;
        case "control": this.takeControl(m); break;
        case "stats": this.takeStats(m); break;
        case "probes": if (m.generation === this.hello?.generation) this.plots.probes.add(m.samples); break;
        case "marks": if ((m.generation ?? this.bodies.generation) === this.bodies.generation) this.marks.set(m), this.showPins(); break;
        case "event": this.takeEvent(m); break;
        case "refused": this.toasts.bad(sentence(m.why)); break;
        default: break;  // newer servers may send more
        }
    }

    takeHello(m) {
        if (m.protocol !== PROTOCOL) this.toasts.bad(`The server speaks protocol ${m.protocol}, this page ${PROTOCOL}: rebuild the page.`);
        const path = m.scene?.path ?? null, other = path !== (this.hello?.scene?.path ?? null) || !this.hello;
        const version = m.replay ? this.version : m.scene?.version, read = !other && version !== this.version;  // the same scene, from its changed file
        this.version = version;
        this.touch.dropAll(this.mine);  // a run that goes on with another time step still holds what was dragged
        if (this.mine) this.tools.leave();
        this.picked = null;  // of the run before
        this.hello = m;
        this.fields = m.fields ?? [];
        this.state = m.state;
        if (other || m.state.step === 0) this.actions.done = [];  // the values and pins of another run
        if (other) this.newScene(m);
        else if (read) this.initial = initialOf(m);
        if (other || read) this.problems.hide();
        this.showReplay(m.replay);
        this.bodies.clear(m.generation, m.bodies);
        this.marks.clear();
        this.contacts.setBodies(m.bodies);
        if (this.whyNot(this.tools.tool)) this.tools.select("drag");
        this.panel.showPins(0);
        this.warnings.clear();
        this.showWarnings([]);
        this.plots.setStages(m.stages ?? []);
        this.plots.setProbes(this.player ? [] : m.probes ?? []);
        this.panel.build(m, { ...this.settings, shadow: this.stage.shadows }, this.initial, this.tools.values);
        this.showAdded(m.bodies);
        this.applyClip();
        this.takeState(m.state);
        this.showControl();
        this.applyField();
        this.sendShow();
        this.showEmpty(m.scene ? "loading" : "gallery");
        const name = m.replay ? `${m.replay.file} (recording)` : m.scene?.title || m.scene?.path;
        document.title = name ? `${name} · Souple` : "Souple";
        setText(this.ui.sceneName, name ?? "Choose a scene");
        if (!m.scene && other && !this.address.values.scene) this.gallery.open();
        this.helloWaiters?.splice(0).forEach((done) => done(m));
        if (!this.player && !this.entered) this.enter();
        this.writeAddress();
    }

    // the time slider of a recording that the server shows
    showReplay(replay) {
        this.timeBar?.remove();
        const { playPause, seek, closeReplay } = this.actions.bound;
        this.timeBar = replay ? new TimeBar(this.ui.stage, replay.file, replay, { toggle: playPause, seek, close: closeReplay }) : null;
        if (replay) setText(this.status.load, "");  // no step is computed
        this.applySettings();
    }

    newScene(m) {
        this.initial = initialOf(m);
        this.boxed = false;
        this.actions.hover(null);
        this.plots.clear();
        const link = this.takeFromLink("color", "range", "k", "clip", "interfaces", "contacts");
        this.settings.clip = link.clip ?? null;
        this.lastClip = null;
        this.settings.interfaces = link.interfaces ?? !!m.view?.interfaces;
        this.settings.contacts = link.contacts ?? !!m.view?.contacts;
        this.settings.color = link.color || m.view?.colour || "none";
        this.settings.range = link.range ?? null;
        this.settings.k = link.k ?? null;
        this.latencies = [];
    }

    // what a link says of the view is for the scene that it names, which may come only after this page has asked for it; taken once
    takeFromLink(...names) {
        const { values } = this.address, scene = this.hello?.scene, taken = {};
        if (this.recorded || !scene || (values.scene && values.scene !== scene.path)) return taken;
        for (const name of names) {
            taken[name] = values[name];
            delete values[name];
        }
        return taken;
    }

    // what the link asks for, once the first hello is here
    async enter() {
        this.entered = true;
        try {
            if (this.control.holder === 0) await this.link.ask({ type: "control", action: "request" });
        } catch {
            this.greeted = true;
            return;  // somebody was faster: watch
        }
        this.greeted = true;
        if (!this.recorded) await this.actions.applyLink(this.address);
    }

    takeState(state) {
        this.state = { ...this.state, ...state };
        if (this.player) return setText(this.ui.speedText, "recording");
        const { playing, speed, recording, failed } = this.state;
        this.showPlaying(playing);
        const rate = speed === 0 ? "as fast as it can" : speed === 1 ? "real time" : `${number(speed, 2)}× real time`;
        setText(this.ui.speedText, !this.timeBar ? rate : speed === 1 ? "recording" : `recording, ${rate}`);
        setFlag(this.ui.recording, "hidden", !recording);
        this.panel.setState(this.state);
        this.panel.setRecording(recording);
        if (failed && failed !== this.failedShown) this.toasts.bad(`The last step failed: ${failed}`);
        this.failedShown = failed;
        if (!playing && Number.isFinite(this.state.time) && !this.bodies.frame) setText(this.ui.time, clock(this.state.time));
        this.writeAddress();
    }

    showPlaying(playing) {
        const { play } = this.ui, what = this.recorded ? " the recording" : "";
        this.timeBar?.playing(playing);
        play.replaceChildren(icon(playing ? "pause" : "play"));
        play.title = `${playing ? "Pause" : "Play"}${what} (Space)`;
        play.setAttribute("aria-label", play.title);
    }

    // current values; null: a region that has that of its body
    paramNow(path) { return this.hello.params.find((p) => p.path === path)?.value ?? null; }
    gravityNow() { return ["x", "y", "z"].map((a) => this.paramNow(`gravity.${a}`) ?? 0); }

    takeParams(list) {
        for (const p of list) {
            const known = this.hello?.params.find((q) => q.path === p.path);
            if (known) known.value = p.value;
        }
        this.panel.setParams(list);
        this.writeAddress();
    }

    // what can be removed: nothing of a recording
    showAdded(bodies) {
        const added = bodies.filter((b) => b.added && !b.name.startsWith("probe-"));
        this.panel.showAdded(this.hello?.replay ? 0 : added.length);
    }

    // bodies have come or gone
    takeBodies(m) {
        if (m.generation !== this.hello?.generation) return;
        this.hello.bodies = m.bodies;
        this.bodies.setBodies(m.bodies);
        this.contacts.noteBodies(m.bodies);
        this.showAdded(m.bodies);
    }

    takeStats(m) {
        if (m.generation !== this.hello?.generation) return;
        this.plots.add(m);
        this.status.stats(m, this.state.speed);
        this.picked = m.picked;
        this.panel.showPicked(m.picked);
        this.panel.showHealth(healthRows(m, this.hello));
        this.showWarnings(m.reservations);
    }

    // reservations of the engine
    showWarnings(list) {
        const text = this.warnings.take(list, performance.now());
        setText(this.ui.warningText, text);
        setFlag(this.ui.warning, "hidden", !text);
    }

    showPins() {
        this.panel.showPins(this.marks.pinCount());
    }

    takeEvent(m) {
        if (m.messages?.length) this.problems.show(sentence(m.text.replace(/:.*/s, "")), m.messages);
        else if (m.severity === "error" || m.severity === "warning") this.toasts.bad(sentence(m.text));
        else this.toasts.show(sentence(m.text));
    }

    takeBinary(buffer) {
        if (this.player) {
            const step = Number(new DataView(buffer).getBigUint64(16, true));
            if (new DataView(buffer).getUint16(4, true) === STATE) this.link.send({ type: "ack", step });
            return;
        }
        let frame;
        try {
            frame = decodeFrame(buffer);
        } catch (e) {
            this.toasts.bad(`A frame from the server cannot be read: ${e.message}`);
            return;
        }
        this.takeFrame(frame);
        if (frame.kind === STATE) this.unacked.push(frame.step);
    }

    takeFrame(frame) {
        if (frame.kind !== STATE) return this.bodies.addTopology(frame);
        for (const p of this.bodies.addState(frame)) this.toasts.bad(sentence(p));
        if (frame.generation !== this.bodies.generation) return;
        this.fresh = true;
        if (!this.boxed) this.enterBox();
        if (frame.sections && this.settings.clip) this.showCaps(frame.sections);
        this.contacts.set(frame.contacts);
        // dots stand on surfaces: where those are new, the dots are placed again
        if (this.marks.message && this.bodies.renewed) this.marks.rebuild();
        this.bodies.renewed = false;
        this.stage.invalidate();
    }

    // the first frame of a scene: how large it is, where to look from
    enterBox() {
        const box = this.bodies.box();
        if (box.isEmpty()) return;
        this.boxed = true;
        this.showEmpty(null);
        const up = this.hello.view?.camera?.up ? vector(this.hello.view.camera.up).normalize() : new THREE.Vector3(0, 1, 0);
        this.stage.setBox(box, up);
        this.applyField();  // what counts as noise depends on the size
        this.settings.clip ??= this.sceneClip();
        this.applyClip();
        this.sendClip();
        const camera = this.hello.view?.camera;
        this.stage.setLens(camera ? { fov: camera.fov, shape: shapeOf(camera, up, box) } : null);
        this.home = camera ? { at: vector(camera.at), to: vector(camera.to) } : this.stage.viewOf(box);
        this.stage.placeLights(this.home);
        const asked = this.takeFromLink("camera").camera;
        if (asked) this.stage.look(vector(asked.slice(0, 3)), vector(asked.slice(3)));
        else this.stage.look(this.home.at, this.home.to);
        this.tryShadows();
    }

    // ---- the clipping plane

    // that of the scene; its point may be left to us
    sceneClip() {
        const clip = this.hello?.view?.clip, box = this.stage.box;
        return clip && this.boxed ? planeOf(clip.point ? vector(clip.point) : box.getCenter(new THREE.Vector3()), vector(clip.normal)) : false;
    }

    // where it was before, or a new one
    clipPlane() { return this.lastClip ?? (this.sceneClip() || this.clip.facing(this.stage.box)); }

    clipMessage() {
        const v = this.settings.clip;
        return v ? { point: v.slice(0, 3), normal: v.slice(3) } : null;
    }

    applyClip() {
        const v = (this.boxed && this.settings.clip) || null;
        if (v) this.lastClip = v;
        this.clip.set(v, !!this.player);
        this.marks.setClip(this.clip.on ? this.clip.planes : null);
        this.contacts.setClip(this.clip.on ? this.clip.planes : null);
        this.panel.clipBox?.set(!!v);
        this.panel.clip?.set(v);
    }

    // caps, and the plane that they were made for
    showCaps(sections) {
        this.clip.show([...sections.point, ...sections.normal]);
        this.marks.setClip(this.clip.planes);
        this.bodies.setCaps(sections);
    }

    clipHooks() {
        return {
            change: (plane) => this.set("clip", plane),
            extent: (direction) => extentOf(this.stage.box, vector(direction)),
            view: () => this.stage.camera.position.clone().sub(this.stage.controls.target).normalize().toArray(),
        };
    }

    // unless the user has chosen: shadows where this machine draws fast enough with them
    tryShadows() {
        if (this.settings.shadow !== null) return;
        this.stage.setShadows(true);
        if (!framesAllow(this.stage.timeDraw())) this.stage.setShadows(false);
        this.applySettings();
    }

    // ---- drawing

    beforeDraw() {
        const now = performance.now();
        if (this.fresh) {
            this.fresh = false;
            this.status.drew(now);
            const f = this.bodies.frame;
            if (f) this.showFrame(f);
            this.measure(now);
        }
        this.placeTag();
        this.clip.place();
        if (this.stage.software) this.bodies.drawOutlines(this.stage.camera, this.stage.canvas.height);
        for (const step of this.unacked.splice(0)) this.link.send({ type: "ack", step });
    }

    showFrame(f) {
        const field = this.fields.find((x) => x.code === f.field) ?? null;
        if (field && field.name === this.settings.color) this.bodies.paint(field, ...this.legend.follow(f.low, f.high));
        else this.bodies.paint(null, 0, 1);
        this.marks.follow();
        this.touch.follow();
        this.tools.follow();
        this.showNumbers();
        this.timeBar?.show(f.time);
        if (f.step > 0) this.showStartHint(false);
        else this.showStartHint(this.mine && !this.state.playing && !this.recorded);
    }

    // texts are drawn again with what is around them, which costs as much as the bodies where there is no graphics card: now and then
    showNumbersNow() {
        const f = this.bodies.frame;
        if (!f) return;
        setText(this.ui.time, clock(f.time));
        let faces = 0;
        for (const s of this.bodies.drawn()) faces += s.topology.faces.length / 3;
        this.status.frame(f.step, f.hash, faces);
        const { shown, contacts } = this.contacts;
        this.status.showContacts(shown && contacts ? contactTotals(contacts) : null);
    }

    // from a move of the hand to the first frame of a later step
    measure(now) {
        const sent = this.dragSent, step = this.bodies.frame?.step ?? 0;
        if (!sent || step <= sent.step) return;
        this.latencies.push(now - sent.at);
        this.latencies = this.latencies.slice(-200);
        this.dragSent = null;
        const sorted = this.latencies.slice().sort((a, b) => a - b);
        setText(this.status.latency, `input to frame ${Math.round(sorted[sorted.length >> 1])} ms`);
    }

    // ---- tools

    // why a tool cannot be used in this scene; "": it can
    whyNot(tool) {
        if (tool === "drag") return "";
        if (this.recorded) return RECORDED;
        if (!this.hello?.scene) return "No scene is open.";
        if (tool === "attach" || this.hello.contact === "proximity") return "";
        const what = tool === "throw" ? "A ball" : "A probe";
        return this.hello.contact === "penalty" ? `${what} needs contact by constraints (formulation="proximity"); this scene has penalty contact.` : `${what} needs contact by constraints; this scene has no contact.`;
    }

    toolSelected() {
        this.actions.hover(null);
        this.applySettings();
        this.sendShow();
    }

    showTools() {
        for (const [name, button] of this.ui.toolButtons) {
            const on = this.tools.tool === name, why = this.whyNot(name);
            setFlag(button, "on", on);
            button.setAttribute("aria-pressed", String(on));
            button.disabled = !!why;
            explain(button, why);
        }
    }

    // the force that the probe feels, at its tip
    probeForce() {
        const body = this.hello?.bodies.find((b) => b.added && b.name.startsWith("probe-"))?.body;
        return body ? Math.hypot(...forceOn(this.contacts.contacts, body)) : null;
    }

    // the force beside the hand, or beside the probe
    placeTag() {
        const drag = this.touch.first(), poke = this.tools.tool === "probe" && this.tools.poking ? this.tools.probeAt : null;
        setFlag(this.ui.tag, "hidden", !drag && !poke);
        if (poke) {
            const r = this.ui.canvas.getBoundingClientRect(), force = this.probeForce();
            this.ui.tag.style.translate = `${Math.min(r.width - 40, Math.max(40, poke.clientX - r.left))}px ${Math.min(r.height - 10, Math.max(60, poke.clientY - r.top))}px`;
            return setText(this.ui.tag, force === null ? "… N" : quantity(force, "N"));
        }
        if (!drag) return;
        const p = drag.target.clone().project(this.stage.camera), w = this.ui.canvas.clientWidth, t = this.ui.canvas.clientHeight;
        const x = Math.min(w - 40, Math.max(40, (0.5 + 0.5 * p.x) * w)), y = Math.min(t - 10, Math.max(60, (0.5 - 0.5 * p.y) * t));
        this.ui.tag.style.translate = `${x}px ${y}px`;
        setText(this.ui.tag, this.picked ? quantity(this.picked.force, "N") : "… N");
    }

    tick() {
        if (this.settings.plots) this.plots.update();
        // unlimited speed: the achieved speed is the maximum
        const steps = (this.state.speed || this.status.achieved) / this.state.dt;
        this.status.refresh(performance.now(), this.state.playing && !this.recorded, steps);
    }

    // ---- settings

    set(name, value) {
        this.settings[name] = value;
        if (name === "clip") {
            this.applyClip();
            this.sendClip();
            return this.writeAddress();
        }
        if (name === "color") this.settings.range = null, this.applyField(), this.sendShow();
        if (name === "theme" || name === "shadow") keep(this.settings);
        this.applySettings();
        if (["mesh", "hull", "interfaces", "visual", "fixed", "loads", "contacts"].includes(name)) this.sendShow();
        this.writeAddress();
    }

    applySettings() {
        const s = this.settings, { ui } = this;
        document.documentElement.dataset.theme = s.theme;
        document.querySelector('meta[name="theme-color"]').content = s.theme === "dark" ? "#181d24" : "#ffffff";
        ui.theme.replaceChildren(icon(s.theme === "dark" ? "sun" : "moon"));
        if (this.stage.theme !== s.theme) {
            this.stage.setTheme(s.theme);
            this.plots.restyle();
        }
        const shadows = s.shadow ?? this.stage.shadows ?? false;
        if (this.stage.shadows !== shadows) this.stage.setShadows(shadows);
        this.stage.setFloor(s.grid);
        this.bodies.setStyle(s);
        this.marks.setShown({ fixed: s.fixed, loads: s.loads });
        this.contacts.setShown(s.contacts && !this.player);
        this.showNumbers();
        const drags = s.hand && this.tools.tool === "drag";
        this.touch.enabled = drags && !this.recorded;  // a recording cannot be pulled: gestures on it turn the view
        setFlag(ui.handButton, "on", drags);
        ui.handButton.setAttribute("aria-pressed", String(drags));
        this.showTools();
        for (const [name, holder, buttons] of [["panel", ui.panel, [ui.panelButton, ui.tabPanel]], ["plots", ui.plots, [ui.plotsButton, ui.tabPlots]]]) {
            setFlag(holder, "hidden", !s[name]);
            for (const b of buttons) setFlag(b, "on", s[name]), b.setAttribute("aria-pressed", String(s[name]));
        }
        this.panel.flags?.forEach((f, key) => f.set(key === "shadow" ? shadows : s[key]));
        this.applyClip();
        this.panel.hand?.set(s.hand);
        this.panel.color?.set(s.color ?? "none");
        this.panel.auto?.set(s.k === null);
        this.stage.invalidate();
    }

    applyField() {
        const field = this.fields.find((f) => f.name === this.settings.color) ?? null;
        this.legend.names = this.hello?.bodies.map((b) => b.regions ?? []) ?? [];
        this.legend.setField(field, this.settings.range, field ? this.naturalScale(field) : 0);
        this.fresh = true;
        this.stage.invalidate();
    }

    naturalScale(field) {
        const young = Math.max(0, ...(this.hello?.params ?? []).filter((p) => p.path.endsWith(".young")).map((p) => p.value));
        return naturalScale(field.unit, { size: this.stage.size, young }) / (field.scale || 1);
    }

    rangeChanged() {
        this.settings.range = this.legend.held;
        this.fresh = true;
        this.stage.invalidate();
        this.writeAddress();
    }

    // only what is shown is sent; marks need the boundary of the body, in which other surfaces are embedded
    sendShow() {
        if (this.player) return;
        const s = this.settings, surfaces = [];
        const riding = this.hello?.bodies.some((b) => b.surfaces.some((x) => x.surface > 0 && !x.roles.includes("interfaces")));
        if (s.visual) surfaces.push("visual");
        if (s.interfaces) surfaces.push("interfaces");
        if (s.hull) surfaces.push("collision");
        if (s.mesh || (riding && s.fixed)) surfaces.push("mechanical");
        const colour = s.color && s.color !== "none" && this.fields.some((f) => f.name === s.color) ? s.color : null;
        this.link?.send({ type: "show", colour, surfaces, marks: true, contacts: s.contacts || this.tools.tool === "probe", clip: this.clipMessage() });
    }

    // ---- the address

    writeAddressNow() {
        if (!this.hello || this.recorded) return;
        const v = { ...this.settings, hand: undefined };
        const i = this.initial;
        v.scene = this.hello.scene?.path;
        v.camera = this.movedCamera();
        if (i) Object.assign(v, { speed: this.state.speed || undefined, dt: this.state.dt, threads: this.state.threads, play: this.state.playing });
        const params = {};
        for (const p of this.hello.params) if (!p.path.startsWith("gravity.") && p.value !== i?.params.get(p.path)) params[p.path] = p.value;
        v.gravity = ["x", "y", "z"].map((a) => this.hello.params.find((p) => p.path === `gravity.${a}`)?.value ?? 0);
        v.solver = this.hello.bodies.find((b) => b.solver)?.solver;
        const defaults = { ...this.defaults, clip: this.sceneClip(), interfaces: !!this.hello.view?.interfaces, contacts: !!this.hello.view?.contacts, color: this.hello.view?.colour || "none", speed: i?.speed, dt: i?.dt, threads: i?.threads, gravity: i?.gravity, solver: i?.solver, play: false };
        const text = writeAddress(v, defaults, params);
        if (text !== location.hash) history.replaceState(null, "", `${location.pathname}${location.search}${text}`);
    }

    movedCamera() {
        if (!this.home) return undefined;
        const { camera, controls } = this.stage;
        const moved = camera.position.distanceTo(this.home.at) + controls.target.distanceTo(this.home.to);
        return moved > 1e-4 * this.stage.size ? [...camera.position.toArray(), ...controls.target.toArray()] : undefined;
    }

    // a link pasted into the open page
    followAddress() {
        this.address = readAddress(location.hash);
        Object.assign(this.settings, pickSettings(this.address.values, this.defaults));
        this.applySettings();
        this.applyField();
        this.sendShow();
        const { camera: c } = this.takeFromLink("camera", "color", "range", "k", "clip", "interfaces", "contacts");
        if (c) this.stage.look(vector(c.slice(0, 3)), vector(c.slice(3)));
        if (this.mine) this.actions.applyLink(this.address);
    }

    // ---- who holds the controls

    takeControl(c) {
        const had = this.mine;
        this.control = { holder: c.holder, you: c.you, wants: c.wants };
        if (had && !this.mine) this.touch.dropAll(false), this.tools.lose(), this.toasts.show(c.holder ? `Page ${c.holder} has the controls now.` : "You gave the controls back.");
        if (!had && this.mine && this.greeted) this.toasts.show("You have the controls.");
        this.showControl();
        this.wantControlsBack();
    }

    // who steered before the connection went steers again, if nobody else does; the server may need a moment to see the old one go
    rememberControls() {
        if (this.mine) this.steeredUntil = performance.now() + RETURN;
    }

    wantControlsBack() {
        if (this.control.holder !== 0 || !(performance.now() < this.steeredUntil)) return;
        this.steeredUntil = 0;
        this.link.ask({ type: "control", action: "request" }).catch(() => {});
    }

    showControl() {
        const { holder, you, wants } = this.control, { ui, mine } = this;
        const text = mine ? "you control" : wants === you && you ? "asked…" : holder ? `page ${holder} controls` : "no page controls";
        setText(ui.control.querySelector(".word"), text);
        ui.control.className = `chip ${mine ? "mine" : "other"}`;
        ui.control.title = mine ? "You have the controls. Click to pass them on (K)" : `${holder ? `Page ${holder} has the controls.` : "No page has the controls."} Click to request them (K)`;
        this.allow(mine ? "" : holder ? `You are watching: page ${holder} has the controls. Request them (K).` : "No page has the controls. Request them (K).");
        if (mine && wants && wants !== you) this.askHandOver(wants);
        else this.hideBanner("ask");
    }

    // why: nothing of the simulation can be changed now; "": it can
    allow(why) {
        const { ui, player, recorded } = this, scene = this.hello?.scene, reason = player || (recorded && !why) ? RECORDED : why;
        ui.play.disabled = !player && (!!why || !scene);  // a recording that plays in the page is everybody's own
        const fixed = player ? RECORDED : why;  // frames of a recording of the server can be stepped through
        for (const b of [ui.step, ui.reset, ui.recording]) b.disabled = !!fixed || !scene, explain(b, fixed);
        ui.handButton.disabled = recorded;
        explain(ui.handButton, recorded ? reason : "");
        this.showTools();
        this.panel.allow(reason, !!player, !recorded || !this.mine);
        this.gallery.set(this.hello?.scenes ?? [], scene?.number ?? -1, fixed);
    }

    askHandOver(who) {
        const answer = (action) => () => this.actions.try({ type: "control", action });
        this.showBanner("ask", `Page ${who} requests the controls. Without an answer it gets them in 10 s.`, [["Hand over", answer("grant")], ["Keep them", answer("deny")]]);
    }

    // ---- banners and empty states

    showBanner(kind, text, buttons) {
        const { banner } = this.ui;
        banner.className = `banner ${kind}`;
        banner.dataset.kind = kind;
        banner.replaceChildren(h("span", {}, text), ...buttons.map(([name, act]) => h("button", { class: "button small", onclick: act }, name)));
    }

    hideBanner(kind = null) {
        if (!kind || this.ui.banner.dataset.kind === kind) this.ui.banner.className = "banner hidden";
    }

    connected() {
        this.opened = true;
        this.badToken = false;
        this.hideBanner();
    }

    lost({ code, reason, retryIn }) {
        console.info(`connection closed: ${code} ${reason}`);
        this.rememberControls();
        this.touch.dropAll(false);
        this.tools.lose();
        this.control = { holder: 0, you: 0, wants: 0 };
        this.state.playing = false;
        this.unacked = [];
        this.allow("Not connected.");
        this.ui.control.className = "chip gone";
        setText(this.ui.control.querySelector(".word"), "not connected");
        const report = () => this.showBanner("gone", `${this.whyLost(reason)} Trying again in ${number(retryIn / 1000, 2)} s.`, [["Try now", () => this.link.reconnect()]]);
        report();
        // one that never came about may have been refused
        if (!this.opened) this.checkToken().then((changed) => changed && !this.link.open && report());
        this.opened = false;
        if (!this.hello) this.showEmpty("connecting");
    }

    whyLost(reason) {
        if (reason) return sentence(reason);
        if (!this.badToken) return this.hello ? "The connection is lost." : "The server does not answer.";
        const what = new URLSearchParams(location.search).get("token") ? "The token in the address of this page is wrong" : "The token is missing in the address of this page";
        return `${what}: it stands behind “/?token=” in the address that souple view has printed.`;
    }

    // a browser does not say why a WebSocket was refused, but files need the same token. -> whether the answer has changed
    async checkToken() {
        const before = !!this.badToken;
        try {
            this.badToken = (await fetch(fileUrl(location, "files/x"))).status === 401;
        } catch {
            this.badToken = false;  // nobody is there
        }
        return this.badToken !== before;
    }

    showEmpty(kind) {
        const { empty } = this.ui;
        setFlag(empty, "hidden", !kind);
        this.emptyKind = kind;
        const spinner = h("div", { class: "spinner", role: "progressbar", "aria-label": "Loading" });
        if (kind === "connecting") empty.replaceChildren(spinner, h("p", {}, "Looking for the simulation…"));
        if (kind === "loading") empty.replaceChildren(...(this.boxed ? [] : [spinner, h("p", {}, "Waiting for the first frame…")]));
        if (kind === "gallery") empty.replaceChildren(h("h2", {}, "Nothing is simulated yet"), h("p", {}, "Choose a scene to begin with."), h("button", { class: "button main", onclick: this.actions.bound.gallery }, icon("scenes"), "Scenes"));
        setFlag(empty, "hidden", !kind || (kind === "loading" && this.boxed));
    }

    showStartHint(on) {
        if (this.emptyKind && this.emptyKind !== "start") return;
        if (on === (this.emptyKind === "start")) return;
        this.emptyKind = on ? "start" : null;
        setFlag(this.ui.empty, "hidden", !on);
        if (on) this.ui.empty.replaceChildren(h("div", { style: { marginTop: "45vh" } }, h("button", { class: "button main", onclick: this.actions.bound.playPause }, icon("play"), "Play"), " ", h("span", { class: "note only-wide" }, " or pull at a body")));
    }
}

// the values of the scene, with which those of the controls are compared
function initialOf(m) {
    return { dt: m.state.dt, speed: m.state.speed, threads: m.state.threads, params: new Map(m.params.map((p) => [p.path, p.value])),
        gravity: ["x", "y", "z"].map((a) => m.params.find((p) => p.path === `gravity.${a}`)?.value ?? 0), solver: m.bodies.find((b) => b.solver)?.solver };
}

function pickSettings(values, defaults) {
    return Object.fromEntries(Object.entries(values).filter(([k, v]) => k in defaults && (k !== "theme" || v === "light" || v === "dark")));
}
