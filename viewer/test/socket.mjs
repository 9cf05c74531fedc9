// The server's side of WebSocket (RFC 6455), as much as a test needs: text and binary, unfragmented, masked from the client.
import { createHash } from "node:crypto";

const KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export function accept(request, socket, { text, closed }) {
    const answer = createHash("sha1").update(request.headers["sec-websocket-key"] + KEY).digest("base64");
    const protocol = request.headers["sec-websocket-protocol"] ? "Sec-WebSocket-Protocol: souple\r\n" : "";
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\n${protocol}\r\n`);
    socket.setNoDelay(true);
    let rest = Buffer.alloc(0);
    socket.on("data", (data) => {
        rest = Buffer.concat([rest, data]);
        for (let used; (used = takeFrame(rest, text, socket)) > 0;) rest = rest.subarray(used);
    });
    socket.on("close", closed);
    socket.on("error", closed);
    return {
        send: (data) => socket.writable && socket.write(frame(typeof data === "string" ? 1 : 2, Buffer.from(data))),
        close: (code, reason) => {
            const body = Buffer.alloc(2 + Buffer.byteLength(reason));
            body.writeUInt16BE(code), body.write(reason, 2);
            socket.end(frame(8, body));
        },
    };
}

// -> bytes taken, 0: not whole yet
function takeFrame(b, text, socket) {
    if (b.length < 6) return 0;
    let n = b[1] & 127, at = 2;
    if (n === 126) n = b.readUInt16BE(2), at = 4;
    if (b.length < at + 4 + n) return 0;
    const mask = b.subarray(at, at + 4), body = Buffer.from(b.subarray(at + 4, at + 4 + n));
    for (let i = 0; i < n; i++) body[i] ^= mask[i & 3];
    const kind = b[0] & 15;
    if (kind === 1) text(body.toString("utf8"));
    if (kind === 8) socket.end();
    return at + 4 + n;
}

function frame(kind, body) {
    const head = body.length < 126 ? Buffer.from([0x80 | kind, body.length]) : body.length < 65536 ? Buffer.from([0x80 | kind, 126, body.length >> 8, body.length & 255]) : Buffer.alloc(10);
    if (body.length >= 65536) head[0] = 0x80 | kind, head[1] = 127, head.writeBigUInt64BE(BigInt(body.length), 2);
    return Buffer.concat([head, body]);
}
