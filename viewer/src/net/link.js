// The connection: messages out with answers as promises, messages in by type. It comes back by itself when it is lost, waiting a
// little longer each time.

const WAITS = [500, 1000, 2000, 4000];
const ANSWER_TIMEOUT = 20000;  // for an answer; the simulation may be inside a long step

export class Link {
    // handlers: { open, text(message), binary(buffer), lost({ code, reason, retryIn }) }
    constructor(url, handlers, Socket = WebSocket) {
        this.url = url;
        this.handlers = handlers;
        this.Socket = Socket;
        this.waiting = new Map();
        this.nextId = 1;
        this.tries = 0;
        this.bytes = 0;
        this.connect();
    }

    get open() {
        return this.socket?.readyState === 1;
    }

    connect() {
        clearTimeout(this.timer);
        this.timer = 0;
        const socket = new this.Socket(this.url, "souple");
        socket.binaryType = "arraybuffer";
        this.socket = socket;
        socket.onopen = () => this.handlers.open?.();
        socket.onmessage = (e) => socket === this.socket && this.take(e.data);
        socket.onclose = (e) => socket === this.socket && this.lost(e);
    }

    reconnect() {
        const old = this.socket;
        this.socket = null;
        old?.close();
        this.connect();
    }

    take(data) {
        if (typeof data !== "string") {
            this.bytes += data.byteLength;
            this.handlers.binary(data);
            return;
        }
        this.bytes += data.length;
        const message = JSON.parse(data);
        if (message.type === "hello") this.tries = 0;
        if ((message.type === "ok" || message.type === "refused") && this.answer(message)) return;
        this.handlers.text(message);
    }

    answer(message) {
        const asked = this.waiting.get(message.id);
        if (!asked) return false;
        this.waiting.delete(message.id);
        clearTimeout(asked.timer);
        if (message.type === "ok") asked.resolve(message);
        else asked.reject(Object.assign(new Error(message.why || "refused"), { messages: message.messages }));
        return true;
    }

    lost(e) {
        for (const asked of this.waiting.values()) {
            clearTimeout(asked.timer);
            asked.reject(new Error("connection lost"));
        }
        this.waiting.clear();
        const retryIn = WAITS[Math.min(this.tries++, WAITS.length - 1)];
        this.timer = setTimeout(() => this.connect(), retryIn);
        this.handlers.lost?.({ code: e.code, reason: e.reason, retryIn });
    }

    // a message whose answer matters
    ask(message) {
        if (!this.open) return Promise.reject(new Error("not connected"));
        const id = this.nextId++;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                this.waiting.delete(id);
                reject(new Error(`no answer to "${message.type}" within ${ANSWER_TIMEOUT / 1000} s`));
            }, ANSWER_TIMEOUT);
            this.waiting.set(id, { resolve, reject, timer });
            this.socket.send(JSON.stringify({ ...message, id }));
        });
    }

    // without waiting for an answer; only a refusal comes back
    send(message) {
        if (this.open) this.socket.send(JSON.stringify(message));
    }
}

// the server's own address, with the token that the page was opened with
export function socketUrl(location) {
    const token = new URLSearchParams(location.search).get("token");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return `${scheme}://${location.host}/ws${token ? `?token=${encodeURIComponent(token)}` : ""}`;
}

// where a scene is sent to, as text; key: of hello, it says who sends it
export function sceneUrl(location, name, key) {
    const token = new URLSearchParams(location.search).get("token");
    return `/scene?${new URLSearchParams({ name, as: key, ...(token ? { token } : {}) })}`;
}

export function fileUrl(location, file) {
    const token = new URLSearchParams(location.search).get("token");
    return `/${file}${token ? `?token=${encodeURIComponent(token)}` : ""}`;
}
