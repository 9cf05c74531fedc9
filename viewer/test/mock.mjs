// A stand-in for `souple view`: a bar that sways by a formula, enough of the protocol to work on the page without the engine.
// Run it alone: node test/mock.mjs [PORT]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { stateFrame, topologyFrame } from "./frames.mjs";
import { accept } from "./socket.mjs";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const NX = 40, NY = 8, NZ = 8, L = 1, W = 0.2;

// the surface of a box, vertices shared over the edges
function boxSkin() {
    const ids = new Map(), at = [], faces = [];
    const vertex = (i, j, k) => {
        const key = `${i},${j},${k}`;
        if (!ids.has(key)) ids.set(key, at.length / 3), at.push((i / NX) * L, (j / NY - 0.5) * W, (k / NZ - 0.5) * W);
        return ids.get(key);
    };
    const quad = (a, b, c, d) => faces.push(a, b, c, a, c, d);
    for (let i = 0; i < NX; i++)
        for (let j = 0; j < NY; j++) {
            quad(vertex(i, j, NZ), vertex(i + 1, j, NZ), vertex(i + 1, j + 1, NZ), vertex(i, j + 1, NZ));
            quad(vertex(i, j + 1, 0), vertex(i + 1, j + 1, 0), vertex(i + 1, j, 0), vertex(i, j, 0));
            quad(vertex(i, 0, j), vertex(i + 1, 0, j), vertex(i + 1, 0, j + 1), vertex(i, 0, j + 1));
            quad(vertex(i, NY, j + 1), vertex(i + 1, NY, j + 1), vertex(i + 1, NY, j), vertex(i, NY, j));
        }
    for (let j = 0; j < NY; j++)
        for (let k = 0; k < NZ; k++) {
            quad(vertex(0, j, k), vertex(0, j, k + 1), vertex(0, j + 1, k + 1), vertex(0, j + 1, k));
            quad(vertex(NX, j + 1, k), vertex(NX, j + 1, k + 1), vertex(NX, j, k + 1), vertex(NX, j, k));
        }
    return { rest: Float32Array.from(at), faces: Uint32Array.from(faces) };
}

const SKIN = boxSkin();
const COUNT = SKIN.rest.length / 3;
const SCENES = [["", "beam.xml", "swaying bar"], ["", "torus-drop.xml", "torus on a plane"], ["organs", "organs/liver.xml", "liver with a tumour"], ["rods", "rods/ribbon.xml", "ribbon"]]
    .map(([group, file, title], number) => ({ number, group, path: `scenes/${file}`, title }));

class Mock {
    constructor() {
        Object.assign(this, { clients: new Map(), next: 1, holder: 0, wants: 0, playing: false, speed: 1, step: 0, time: 0, dt: 0.02, generation: 1, young: 2e4, drag: null, pins: [], recording: false });
        this.timer = setInterval(() => this.playing && this.advance(1), 33);
    }

    state() {
        return { playing: this.playing, speed: this.speed, dt: this.dt, threads: 2, threads_max: 4, step: this.step, time: this.time, recording: this.recording, failed: null };
    }

    hello(you) {
        const fields = [["displacement", "displacement", "m", 1], ["velocity", "speed", "m/s", 1], ["von-mises", "von Mises stress", "Pa", 1], ["rotation", "rotation", "deg", 57.29578], ["refresh", "steps since refresh", "", 1], ["region", "region", "", 1]];
        return { type: "hello", protocol: 1, version: "mock", you, generation: this.generation, scene: SCENES[0], scenes: SCENES, state: this.state(), control: this.control(you),
            bodies: [{ body: 1, name: "bar", kind: "solid", nodes: 2000, elements: 9000, mass: 40, pull: 400, solver: "cg", solver_in_use: "cg (assembled)",
                surfaces: [{ surface: 0, name: "boundary", roles: ["visual", "collision", "mechanical"], vertices: COUNT, faces: SKIN.faces.length / 3, revision: 0,
                    look: { color: [0.82, 0.42, 0.3], opacity: 1, roughness: 0.6, metallic: 0, edges: false } }] }],
            params: [...["x", "y", "z"].map((a, i) => ({ path: `gravity.${a}`, unit: "m/s2", value: i === 1 ? -9.81 : 0, low: -1e6, high: 1e6, meaning: "gravity" })),
                { path: "bar.young", unit: "Pa", value: this.young, low: 1e-3, high: 1e15, meaning: "Young's modulus" }, { path: "bar.poisson", unit: "", value: 0.3, low: -0.99, high: 0.499, meaning: "Poisson's ratio" }],
            solvers: ["auto", "cg", "pcg", "cholesky"], fields: fields.map(([name, label, unit, scale], i) => ({ name, code: i + 1, label, unit, scale, discrete: i >= 4 })),
            stages: ["take_edits", "prescribe", "free_motion", "guard", "commit", "publish"], view: { colour: null, background: [1, 1, 1], camera: null } };
    }

    control(you) {
        return { holder: this.holder, you, wants: this.wants };
    }

    // where the bar is: it sways, bends to where it is pulled, softer when Young's modulus is small
    positions() {
        const out = SKIN.rest.slice();
        const softness = 2e4 / this.young, pull = this.drag ? [0, 1, 2].map((i) => this.drag.target[i] - (i === 0 ? L : 0)) : [0, 0, 0];
        const sway = 0.12 * softness * Math.sin(3 * this.time), sag = -0.1 * softness;
        for (let v = 0; v < COUNT; v++) {
            const s = (out[3 * v] / L) ** 2;
            out[3 * v + 1] += s * (sway + sag + 0.5 * pull[1]), out[3 * v + 2] += s * 0.5 * pull[2];
        }
        return out;
    }

    frame(client) {
        const positions = this.positions(), code = client.field;
        const values = code ? Float32Array.from({ length: COUNT }, (_, v) => (code === 6 ? (SKIN.rest[3 * v] > 0.5 ? 1 : 0) : Math.hypot(...[0, 1, 2].map((i) => positions[3 * v + i] - SKIN.rest[3 * v + i])) * (code === 3 ? 1e5 : 1))) : null;
        const low = values ? values.reduce((a, b) => Math.min(a, b)) : 0, high = values ? values.reduce((a, b) => Math.max(a, b)) : 0;
        return stateFrame({ generation: this.generation, step: this.step, time: this.time, hash: BigInt(this.step) * 0x9e3779b97f4an, field: code, low, high, surfaces: [{ positions, values }] });
    }

    advance(n) {
        this.step += n, this.time += n * this.dt;
        const force = this.drag ? 40 * Math.hypot(this.drag.target[1], this.drag.target[2]) : 0;
        const stats = { type: "stats", generation: this.generation, step: this.step, time: this.time, hash: "0", steps: n, step_ms: 6 + Math.random(), budget_ms: 20, rtf: 3, achieved: 0.6,
            stages: [0.1, 0.05, 5 + Math.random(), 0.2, 0.3, 0.4], iterations: 30 + Math.round(8 * Math.sin(this.time)), residual: 10 ** (-7 + Math.sin(3 * this.time)), kinetic: 0.02 * (1 + Math.cos(6 * this.time)),
            elastic: 0.03 * (1 - Math.cos(6 * this.time)), picked: this.drag || this.dragged ? { body: 1, x: [0, 0, 0], displacement: force / 40, force } : null, frames: { sent: this.step, dropped: 3 },
            // a strong pull turns elements inside out
            bodies: [{ body: 1, inverted: force > 20 ? 12 : 0, volume_lost: 0.01, penetration: null, energy: { kinetic: 0.02, elastic: 0.03, potential: 0.01 * Math.sin(this.time), work: 0.06, appeared: 0 } }],
            reservations: force > 20 ? [{ name: "inverted", text: "bar: 12 elements are inverted" }] : [] };
        for (const c of this.clients.values()) c.socket.send(this.frame(c)), c.socket.send(JSON.stringify(stats));
    }

    tell(message, but = null) {
        for (const [you, c] of this.clients) if (you !== but) c.socket.send(JSON.stringify(typeof message === "function" ? message(you) : message));
    }

    join(socketOf) {
        const you = this.next++;
        const client = { field: 0 };
        client.socket = socketOf({ text: (t) => this.take(you, JSON.parse(t)), closed: () => this.leave(you) });
        this.clients.set(you, client);
        this.greet(you, client);
    }

    greet(you, client) {
        client.socket.send(JSON.stringify(this.hello(you)));
        client.socket.send(topologyFrame({ generation: this.generation, vertexCount: COUNT, faces: SKIN.faces, nodes: Array.from({ length: COUNT }, (_, i) => i) }));
        client.socket.send(this.frame(client));
    }

    leave(you) {
        this.clients.delete(you);
        if (this.holder === you) this.holder = this.wants, this.wants = 0, this.drag = null, this.tell((n) => ({ type: "control", ...this.control(n) }));
    }

    marks() {
        const vertices = [];
        for (let v = 0; v < COUNT; v++) if (SKIN.rest[3 * v] === 0) vertices.push(v);
        this.tell({ type: "marks", held: [{ body: 1, vertices }], loads: [{ at: [1, 0.1, 0], force: [0, -3, 0] }, { at: [0.6, 0.1, 0], force: [0, -1, 0] }], pins: this.pins.length ? [{ body: 1, nodes: this.pins }] : [] });
    }

    take(you, m) {
        const client = this.clients.get(you);
        const free = ["control", "show", "ack", "ping"].includes(m.type);
        const answer = (type, more = {}) => m.id !== undefined && client.socket.send(JSON.stringify({ type, id: m.id, ...more }));
        if (!free && this.holder !== you) return answer("refused", { why: "another client has the controls" });
        const changed = () => this.tell({ type: "state", ...this.state() });
        switch (m.type) {
        case "ack": return undefined;
        case "control":
            if (m.action === "request") this.holder === 0 ? (this.holder = you) : (this.wants = you);
            if (m.action === "grant" || m.action === "release") this.holder = this.wants, this.wants = 0;
            if (m.action === "deny") this.wants = 0;
            this.tell((n) => ({ type: "control", ...this.control(n) }));
            break;
        case "show": {
            const codes = ["displacement", "velocity", "von-mises", "rotation", "refresh", "region"];
            client.field = m.colour ? codes.indexOf(m.colour) + 1 : 0;
            client.socket.send(this.frame(client));
            this.marks();
            break;
        }
        case "play": case "pause": this.playing = m.type === "play"; changed(); break;
        case "step": this.playing = false; this.advance(1); changed(); break;
        case "reset": this.step = this.time = 0; this.generation++; this.pins = []; for (const [n, c] of this.clients) this.greet(n, c); break;
        case "speed": if (m.value > 10) return answer("refused", { why: `speed = ${m.value}, must be in [0.1, 10]` }); this.speed = m.value; changed(); break;
        case "param": if (m.path === "bar.young") this.young = m.value; this.tell({ type: "params", params: [{ path: m.path, value: m.value }] }, you); break;
        case "drag": this.drag = m; this.dragged = true; break;
        case "drop": this.drag = null; break;
        case "pin": this.pins = [...this.pins, m.node]; this.marks(); break;
        case "unpin": this.pins = this.pins.filter((n) => n !== m.node); this.marks(); break;
        case "record": this.recording = m.action === "start"; changed(); break;
        default: break;
        }
        return answer("ok");
    }
}

export async function startMock(port = 0) {
    const mock = new Mock();
    const server = createServer(async (request, response) => {
        const path = normalize(new URL(request.url, "http://x").pathname).replace(/^\/$/, "/index.html");
        try {
            const data = await readFile(join(DIST, path));
            response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(data);
        } catch {
            response.writeHead(404).end("no such file\n");
        }
    });
    server.on("upgrade", (request, socket) => mock.join((handlers) => accept(request, socket, handlers)));
    await new Promise((done) => server.listen(port, "127.0.0.1", done));
    return { mock, url: `http://127.0.0.1:${server.address().port}/`, stop: () => (clearInterval(mock.timer), server.closeAllConnections(), server.close()) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const { url } = await startMock(Number(process.argv[2] ?? 8765));
    console.log(url);
}
