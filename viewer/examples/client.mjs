// A small client of `souple view`: prints what is simulated and, once a second, how fast. It changes nothing, so that it can watch
// beside a page.
//
//     souple view scenes/beam.xml          in one terminal
//     node viewer/examples/client.mjs http://127.0.0.1:8765/      in another, with the address that the first one printed
//
// The messages are those of docs/protocol.md. Nothing but Node.js 18 or later is needed.
import { SmallSocket } from "./socket.mjs";

const address = new URL(process.argv[2] ?? "http://127.0.0.1:8765/");
const Socket = globalThis.WebSocket ?? SmallSocket;
const socket = new Socket(`ws://${address.host}/ws${address.search}`, "souple");
socket.binaryType = "arraybuffer";

const seen = { generation: 0, frames: 0, bytes: 0, step: 0, time: 0, hash: "", surfaces: 0 };
let last = { step: 0, time: 0, at: performance.now() };

function takeText(m) {
    if (m.type === "event") console.log(`${m.severity}: ${m.text}`);
    if (m.type !== "hello") return;
    seen.generation = m.generation;
    last = { step: m.state.step, time: m.state.time, at: performance.now() };
    console.log(m.scene ? `${m.scene.title} (${m.scene.path}), ${m.state.playing ? "playing" : "paused"}` : "no scene yet");
    for (const b of m.bodies) console.log(`  ${b.name}: ${b.kind}, ${b.nodes} nodes, ${b.elements} elements`);
}

// the head of a state frame; its surfaces follow from byte 64 on
function takeFrame(buffer) {
    const v = new DataView(buffer), kind = v.getUint16(4, true);
    seen.bytes += buffer.byteLength;
    if (kind !== 1 || v.getUint32(8, true) !== seen.generation) return;
    seen.frames++;
    seen.step = Number(v.getBigUint64(16, true));
    seen.time = v.getFloat64(24, true);
    seen.hash = v.getBigUint64(32, true).toString(16).padStart(16, "0");
    seen.surfaces = v.getUint32(40, true);
    // drawn, as it were: the next one may come
    socket.send(JSON.stringify({ type: "ack", step: seen.step }));
}

function report() {
    const now = performance.now(), s = (now - last.at) / 1000;
    console.log(`step ${seen.step}  ${seen.time.toFixed(3)} s  ${((seen.step - last.step) / s).toFixed(1)} steps/s  ${((seen.time - last.time) / s).toFixed(2)} x real time  ` +
        `${(seen.frames / s).toFixed(1)} frames/s  ${(seen.bytes / s / 1e6).toFixed(2)} MB/s  hash ${seen.hash}`);
    last = { step: seen.step, time: seen.time, at: now };
    seen.frames = seen.bytes = 0;
}

const timer = setInterval(report, 1000);
socket.onmessage = (e) => (typeof e.data === "string" ? takeText(JSON.parse(e.data)) : takeFrame(e.data));
socket.onerror = () => {};
socket.onclose = (e) => {
    clearInterval(timer);
    console.log(`closed: ${e.code} ${e.reason}`);
    process.exitCode = 1;
};
