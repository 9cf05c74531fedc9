// A browser on the page of a server, for `souple bench page`: node page_browser.mjs URL SAMPLES
//
// Opens the page in a headless browser with software rendering, plays, and drags the body up and down with the mouse. A script
// inside the page observes its WebSocket. Prints a line of JSON; or a sentence that says what is missing, with exit code 2.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const [url, samples] = [process.argv[2], Number(process.argv[3] ?? 25)];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function missing(what) {
    console.log(what);
    process.exit(2);
}

function findBrowser() {
    const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => p && existsSync(p));
    return found ?? missing("Chromium is not there");
}

function findDriver() {
    try {
        return createRequire(new URL("../viewer/package.json", import.meta.url))("playwright-core").chromium;
    } catch {
        return missing("playwright-core is not there");
    }
}

// Runs in the page before its scripts: follows one vertex through the state frames and records when a frame that shows the effect
// of a drag was drawn. The acknowledgement of the page marks that time.
function watch() {
    const spy = { drawn: 0, kick: 0, rest: 0, first: 0, sentAt: 0, took: -1, latency: [], armed: false };
    const faces = new Map();
    let at = null, way = null, lastStep = 0, vertex = -1, key = "";
    window.spy = spy;
    const topology = (v) => {
        const m = v.getUint32(32, true);
        faces.set(`${v.getUint32(16, true)}/${v.getUint32(20, true)}`, new Uint32Array(v.buffer.slice(40, 40 + 12 * m)));
    };
    const follow = (v) => {
        const step = Number(v.getBigUint64(16, true));
        let o = 64, now = null;
        for (let i = v.getUint32(40, true); i > 0; i--) {
            const n = v.getUint32(o + 12, true), p = o + 24 + 12 * vertex;
            if (`${v.getUint32(o, true)}/${v.getUint32(o + 4, true)}` === key) now = [0, 4, 8].map((k) => v.getFloat32(p + k, true));
            o += 24 + 12 * n + (v.getUint32(o + 16, true) & 1 ? 4 * n : 0);
        }
        if (!now) return;
        // distance from the linear extrapolation
        const steps = Math.max(1, step - lastStep), went = now.map((c, k) => (at ? (c - at[k]) / steps : 0));
        spy.kick = way ? steps * Math.hypot(...went.map((w, k) => w - way[k])) : 0;
        at = now, way = went, lastStep = step;
        if (!spy.sentAt) spy.rest = Math.max(spy.rest, spy.first ? 0 : spy.kick);
        if (spy.sentAt && spy.took < 0 && spy.kick > (spy.first ? spy.first / 2 : 4 * spy.rest + 1e-6)) {
            spy.took = step;
            spy.first ||= spy.kick;
        }
    };
    const sent = (m) => {
        if (m.type === "drag") {
            if (vertex < 0) key = `${m.body}/${m.surface}`, vertex = faces.get(key)[3 * m.face];
            if (spy.armed) spy.sentAt = performance.now(), spy.took = -1, spy.armed = false;
        }
        if (m.type !== "ack") return;
        spy.drawn++;
        if (spy.sentAt && spy.took >= 0 && m.step >= spy.took) spy.latency.push(performance.now() - spy.sentAt), spy.sentAt = 0;
    };
    const Plain = window.WebSocket;
    window.WebSocket = class extends Plain {
        constructor(...args) {
            super(...args);
            this.addEventListener("message", (e) => {
                if (typeof e.data === "string") return;
                const v = new DataView(e.data);
                if (v.getUint16(4, true) === 2) topology(v);
                else if (vertex >= 0) follow(v);
            });
        }
        send(text) {
            sent(JSON.parse(text));
            super.send(text);
        }
    };
}

// the page forbids the evaluation of text (CSP): conditions are functions
const until = async (page, what, ms = 3000) => page.waitForFunction(what, undefined, { timeout: ms, polling: 20 }).then(() => true, () => false);

// the first drag gives the displacement of the vertex in one step: it is not counted
async function drags(page, box) {
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await sleep(500);
    for (let i = 0; i <= samples; i++) {
        await until(page, () => !window.spy.first || window.spy.kick < window.spy.first / 5);
        await sleep(100 + Math.random() * 50);  // not synchronised with the frames
        await page.evaluate("spy.armed = true");
        await page.mouse.move(x, y + (i % 2 ? 60 : -60));
        await until(page, () => !window.spy.armed && !window.spy.sentAt);
        if (i === 0) await page.evaluate("spy.latency = []");
    }
    await page.mouse.up();
}

async function main() {
    const chromium = findDriver();
    const browser = await chromium.launch({ executablePath: findBrowser(), headless: true,
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.addInitScript(watch);
    await page.goto(url);
    const canvas = page.locator("canvas").first();
    await canvas.waitFor({ timeout: 20000 });
    await until(page, () => window.spy.drawn > 0, 20000);
    await page.keyboard.press(" ");
    await sleep(3000);  // the block sinks to its equilibrium
    const before = await page.evaluate("spy.drawn"), begin = performance.now();
    await sleep(5000);
    const frames = (1000 * (await page.evaluate("spy.drawn") - before)) / (performance.now() - begin);
    await drags(page, await canvas.boundingBox());
    const ms = (await page.evaluate("spy.latency")).sort((a, b) => a - b);
    const part = (p) => (ms.length ? ms[Math.max(0, Math.ceil(p * ms.length) - 1)] : null);
    await page.keyboard.press(" ");
    await browser.close();
    console.log(JSON.stringify({ frames_per_s: frames, p50_ms: part(0.5), p95_ms: part(0.95), samples: ms.length }));
}

main().catch((e) => missing(`the browser failed: ${String(e.message).split("\n")[0].slice(0, 120)}`));
