// A WebSocket (RFC 6455) for a Node.js that has none: text out, text and binary in, as the browser's in the few members used here.
import { request } from "node:http";
import { randomBytes } from "node:crypto";

const MORE = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

export class SmallSocket {
    constructor(url, protocol) {
        const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": 13, "Sec-WebSocket-Key": randomBytes(16).toString("base64"), "Sec-WebSocket-Protocol": protocol };
        const asked = request(url.replace(/^ws/, "http"), { headers });
        this.rest = Buffer.alloc(0);
        this.parts = [];
        asked.on("upgrade", (answer, socket, head) => {
            this.socket = socket.setNoDelay(true);
            socket.on("data", (data) => this.take(data)).on("close", () => this.end(1006, "")).on("error", () => {});
            this.onopen?.();
            this.take(head);
        });
        asked.on("response", (answer) => this.end(1006, `the server answers ${answer.statusCode}`));
        asked.on("error", (e) => this.end(1006, e.message));
        asked.end();
    }

    send(text) {
        this.write(TEXT, Buffer.from(text));
    }

    close() {
        this.write(CLOSE, Buffer.from([3, 232]));
        this.socket?.end();
    }

    // clients mask what they send
    write(kind, body) {
        const size = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255], mask = randomBytes(4);
        if (this.socket?.writable) this.socket.write(Buffer.concat([Buffer.from([0x80 | kind, ...size]), mask, body.map((b, i) => b ^ mask[i & 3])]));
    }

    take(data) {
        this.rest = Buffer.concat([this.rest, data]);
        for (let n; (n = this.frame(this.rest)) > 0;) this.rest = this.rest.subarray(n);
    }

    // -> bytes of the first frame, 0: not all of it is here yet
    frame(b) {
        if (b.length < 2) return 0;
        const short = b[1] & 127, at = short === 126 ? 4 : short === 127 ? 10 : 2;
        if (b.length < at) return 0;
        const size = short === 126 ? b.readUInt16BE(2) : short === 127 ? Number(b.readBigUInt64BE(2)) : short;
        if (b.length < at + size) return 0;
        this.message(b[0] & 15, (b[0] & 128) !== 0, b.subarray(at, at + size));
        return at + size;
    }

    message(kind, last, body) {
        if (kind === PING) this.write(PONG, body);
        if (kind === CLOSE) this.end(body.length > 1 ? body.readUInt16BE(0) : 1005, body.subarray(2).toString());
        if (kind > BINARY) return;
        if (kind !== MORE) this.kind = kind;
        this.parts.push(body);
        if (!last) return;
        const whole = Buffer.concat(this.parts.splice(0));
        this.onmessage?.({ data: this.kind === TEXT ? whole.toString() : whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length) });
    }

    end(code, reason) {
        if (this.ended) return;
        this.ended = true;
        this.socket?.end();
        this.onclose?.({ code, reason });
    }
}
