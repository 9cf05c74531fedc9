import assert from "node:assert/strict";
import { test } from "node:test";
import { fileUrl, Link, socketUrl } from "../src/net/link.js";

class FakeSocket {
    static all = [];
    constructor(url) {
        this.url = url;
        this.sent = [];
        this.readyState = 1;
        FakeSocket.all.push(this);
    }
    send(t) { this.sent.push(JSON.parse(t)); }
    close() { this.readyState = 3; }
    say(m) { this.onmessage({ data: JSON.stringify(m) }); }
}

function open() {
    FakeSocket.all = [];
    const heard = [], lost = [];
    const link = new Link("ws://x/ws", { text: (m) => heard.push(m), binary: () => {}, lost: (e) => lost.push(e) }, FakeSocket);
    return { link, heard, lost, socket: FakeSocket.all[0] };
}

test("answers find who asked", async () => {
    const { link, socket, heard } = open();
    const first = link.ask({ type: "play" }), second = link.ask({ type: "speed", value: 99 });
    socket.say({ type: "refused", id: 2, why: "speed = 99" });
    socket.say({ type: "ok", id: 1 });
    assert.equal((await first).type, "ok");
    await assert.rejects(second, /speed = 99/);
    socket.say({ type: "refused", id: null, why: "drag" });
    assert.deepEqual(heard.map((m) => m.why), ["drag"]);
});

test("a lost connection refuses what waits and comes back", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { link, socket, lost } = open();
    const waiting = link.ask({ type: "play" });
    socket.readyState = 3;
    socket.onclose({ code: 1006, reason: "" });
    await assert.rejects(waiting, /connection lost/);
    await assert.rejects(link.ask({ type: "play" }), /not connected/);
    assert.equal(lost[0].retryIn, 500);
    t.mock.timers.tick(500);
    assert.equal(FakeSocket.all.length, 2);
    FakeSocket.all[1].onclose({ code: 1006, reason: "" });
    assert.equal(lost[1].retryIn, 1000);
    t.mock.timers.tick(1000);
    FakeSocket.all[2].say({ type: "hello" });
    FakeSocket.all[2].onclose({ code: 1001, reason: "the server ends" });
    assert.deepEqual(lost.slice(2), [{ code: 1001, reason: "the server ends", retryIn: 500 }]);
});

test("the token of the page goes with it", () => {
    const at = { search: "?token=a%26b", protocol: "https:", host: "h:1" };
    assert.equal(socketUrl(at), "wss://h:1/ws?token=a%26b");
    assert.equal(socketUrl({ search: "", protocol: "http:", host: "h" }), "ws://h/ws");
    assert.equal(fileUrl(at, "files/x.log"), "/files/x.log?token=a%26b");
});
