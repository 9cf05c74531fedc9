// Recordings: what kind a file is by its first bytes, and those of earlier versions (docs/protocol.md), the messages that a page
// would have received. They are readable up to their last whole record.
import { decodeFrame, STATE, TOPOLOGY } from "./protocol.js";

const MAGIC = "SPVREC1\0", HDF5 = "\x89HDF\r\n\x1a\n";

const begins = (bytes, magic) => bytes.length >= magic.length && [...magic].every((c, i) => bytes[i] === c.charCodeAt(0));
export const isOldRecording = (head) => begins(head, MAGIC);
export const isHdf5 = (head) => begins(head, HDF5);

// -> { hello, topologies: [frame], states: [{ at, size, time, step }], frame(i) }
export function readRecording(buffer) {
    const bytes = new Uint8Array(buffer), view = new DataView(buffer);
    if (!isOldRecording(bytes)) throw new Error("this is not a recording of souple view");
    const out = { hello: null, frames: [], states: [] };
    for (let at = 8; at + 8 <= bytes.length;) {
        const kind = view.getUint32(at, true), size = view.getUint32(at + 4, true), from = at + 8;
        if (from + size > bytes.length) break;
        if (kind === 0) {
            const message = JSON.parse(new TextDecoder().decode(bytes.subarray(from, from + size)));
            if (message.type === "hello") out.hello ??= message;
        } else takeFrame(out, view, from, size);
        at = from + Math.ceil(size / 8) * 8;
    }
    if (!out.hello || !out.states.length) throw new Error("the recording has no states");
    out.decode = (f) => decodeFrame(buffer.slice(f.at, f.at + f.size));
    return out;
}

function takeFrame(out, view, at, size) {
    if (size < 16) return;
    const kind = view.getUint16(at + 4, true);
    const frame = { kind, at, size };
    if (kind === STATE && size >= 64) {
        frame.step = Number(view.getBigUint64(at + 16, true));
        frame.time = view.getFloat64(at + 24, true);
        frame.number = out.states.length;
        out.states.push(frame);
    } else if (kind !== TOPOLOGY) return;
    out.frames.push(frame);
}
