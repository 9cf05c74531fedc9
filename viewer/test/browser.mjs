// The page in a real browser against the real server: node test/browser.mjs COMMAND SCENES OUT
//   COMMAND  the souple command, built with the server
//   SCENES   folder of the scenes
//   OUT      where screenshots go
// Needs Chromium (CHROMIUM=path, otherwise /usr/bin/chromium); draws in software, so it runs on machines without a graphics card.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer as createPageServer } from "node:http";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { oldRecording, stateFrame, topologyFrame } from "./frames.mjs";

const [command, scenes, out] = process.argv.slice(2, 5).map((p) => resolve(p));
const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const WAIT = { timeout: 30000 };  // patience, not an expectation: two busy cores draw a frame in a second
mkdirSync(out, { recursive: true });

function freePort() {
    return new Promise((done) => {
        const s = createServer().listen(0, "127.0.0.1", () => {
            const { port } = s.address();
            s.close(() => done(port));
        });
    });
}

// the server, and the address that it prints
async function serve(...args) {
    const port = await freePort();
    const child = spawn(command, ["view", ...args, "--port", String(port), "--threads", "1", "--page", DIST, "--out", join(out, "files")], { cwd: dirname(scenes), stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const url = await new Promise((done, fail) => {
        const hear = (data) => {
            said += data;
            const m = /https?:\/\/\S+/.exec(said);
            if (m) done(m[0].replace(/[.,]$/, ""));
        };
        child.stdout.on("data", hear), child.stderr.on("data", hear);
        child.on("exit", (code) => fail(new Error(`souple view ended with ${code}: ${said}`)));
    });
    return { url, child, stop: () => new Promise((done) => (child.once("exit", done), child.kill("SIGTERM"))) };
}

// The canvas is drawn by SwiftShader through WebGL. The rest of the page is not: its own painter takes half the time.
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing", "--disable-gpu-rasterization"],
});
const complaints = [];

async function openPage(url, { width = 1280, height = 800, theme = "light", touch = false } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT.timeout);
    page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(e.stack));
    await page.goto(url);
    await page.waitForFunction(() => window.souple?.hello, null, WAIT);
    return page;
}

const drawn = (page) => page.waitForFunction(() => souple.bodies.frame && souple.stage.frames > 0 && souple.boxed, null, WAIT);
const hash = (page) => page.evaluate(() => souple.bodies.frame.hash);
const step = (page) => page.evaluate(() => souple.bodies.frame.step);
const shot = (page, name) => page.screenshot({ path: join(out, `${name}.png`) });
const steers = async (page) => {
    await page.waitForFunction(() => souple.mine || souple.greeted, null, WAIT);
    if (!(await page.evaluate(() => souple.mine))) await answered(page, { type: "control", action: "request" });
    await page.waitForFunction(() => souple.mine, null, WAIT);
};
const after = (page, n) => page.waitForFunction((k) => souple.bodies.frame?.step >= k, n, WAIT);
const answered = (page, message) => page.evaluate((m) => souple.link.ask(m), message);

async function pause(page) {
    await answered(page, { type: "pause" });
    // the last frame may still be under way
    await page.waitForFunction(() => !souple.state.playing && souple.bodies.frame?.step === souple.state.step && !souple.fresh, null, WAIT);
}

// a place on the screen where a soft body is, as far from what holds it as can be
function placeOnBody(page) {
    return page.evaluate(() => {
        const { stage, bodies, touch } = souple;
        const r = stage.canvas.getBoundingClientRect();
        const held = souple.marks.held.list ?? [];
        const places = [];
        for (const surfaceMesh of bodies.drawn().filter((s) => s.info.pull !== null))
            for (let v = 0; v < surfaceMesh.topology.vertexCount; v += 7) {
                const p = surfaceMesh.vertex(v, stage.camera.position.clone()), q = p.clone().project(stage.camera);
                const far = Math.min(1, ...held.map(([s, w]) => s.vertex(w, stage.camera.position.clone()).distanceTo(p)));
                places.push({ far, clientX: Math.round(r.left + (0.5 + 0.5 * q.x) * r.width), clientY: Math.round(r.top + (0.5 - 0.5 * q.y) * r.height) });
            }
        places.sort((a, b) => b.far - a.far);
        // well inside: a mouse stands on whole pixels, and the outline is thinner than one
        const inside = (e) => [[0, 0], [4, 0], [-4, 0], [0, 4], [0, -4]].every(([x, y]) => touch.pick({ clientX: e.clientX + x, clientY: e.clientY + y })?.surfaceMesh.info.pull);
        const found = places.find((e) => document.elementFromPoint(e.clientX, e.clientY) === stage.canvas && inside(e));
        return found && { x: found.clientX, y: found.clientY };
    });
}

// Before pixels are counted: the same state of the scene in each run, and functions in the page that count the pixels of two
// pictures that differ. Pictures hold the canvas only.
async function prepare(page) {
    await outcome(page, 20);
    await page.waitForFunction(() => !souple.fresh, null, WAIT);
    await page.evaluate(() => {
        window.pixels = async () => {
            const image = await createImageBitmap(await souple.stage.picture());
            const c = new OffscreenCanvas(image.width, image.height).getContext("2d", { willReadFrequently: true });
            c.drawImage(image, 0, 0);
            return c.getImageData(0, 0, image.width, image.height);
        };
        window.different = (a, b, i) => Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]);
        window.changed = (a, b, least) => {
            let n = 0;
            for (let i = 0; i < a.data.length; i += 4) if (different(a, b, i) > least) n++;
            return n;
        };
    });
}

const tests = [];
const test = (name, run) => tests.push({ name, run });

test("the page draws the bodies, without complaints", async ({ url }) => {
    const page = await openPage(url);
    await drawn(page);
    await page.waitForTimeout(600);
    // pixels of the canvas that are not clear: the bodies and the floor
    const share = await page.evaluate(async () => {
        souple.stage.setFloor(false);
        const image = await createImageBitmap(await souple.stage.picture());
        const colors = new Set(), c = new OffscreenCanvas(image.width, image.height).getContext("2d", { willReadFrequently: true });
        c.drawImage(image, 0, 0);
        const d = c.getImageData(0, 0, image.width, image.height).data;
        let n = 0;
        for (let i = 0; i < d.length; i += 4) {
            const spread = Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]);
            if (spread > 24) n++, colors.add((d[i] >> 3) << 10 | (d[i + 1] >> 3) << 5 | d[i + 2] >> 3);
        }
        souple.stage.setFloor(true);
        return { covered: n / (d.length / 4), colors: colors.size };
    });
    assert.ok(share.covered > 0.01, `only ${share.covered} of the picture is covered`);
    assert.ok(share.colors > 20, `${share.colors} colours: no shading`);
    await shot(page, "1280-light");
    return page;
});

test("at first the parameters are open, stiffness first, and the plots closed", async (_, page) => {
    const seen = await page.evaluate(() => ({
        plots: !document.querySelector(".plots").classList.contains("hidden"),
        section: document.querySelector(".panel .section summary").textContent, open: document.querySelector(".panel .section").open,
        first: [...document.querySelectorAll(".panel [data-path]")].map((row) => row.dataset.path).filter((path) => path.startsWith("beam.") && path.split(".").length === 2)[0],
    }));
    assert.deepEqual(seen, { plots: false, section: "Parameters", open: true, first: "beam.young" });
    await page.keyboard.press("p");
    await page.waitForFunction(() => !document.querySelector(".plots").classList.contains("hidden"), null, WAIT);
});

test("Space plays and pauses, whatever has the focus", async (_, page) => {
    await steers(page);
    await pause(page);
    await page.evaluate(() => (souple.panel.record.closest("details").open = true, souple.panel.record.focus()));
    await page.keyboard.press(" ");
    await page.waitForFunction(() => souple.state.playing, null, WAIT);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => !souple.state.playing, null, WAIT);
    assert.equal(await page.evaluate(() => souple.state.recording), false);
    // Enter sets a box, twice: as it was
    for (const on of [true, false]) {
        await page.getByLabel("Wireframe").focus();
        await page.keyboard.press("Enter");
        assert.equal(await page.evaluate(() => souple.settings.wire), on);
    }
    await page.evaluate(() => document.activeElement.blur());
});

test("pause stops the hash, a step moves it on by one", async (_, page) => {
    await steers(page);
    await answered(page, { type: "play" });
    await after(page, 5);
    await pause(page);
    const before = await hash(page), at = await step(page);
    await page.waitForTimeout(600);
    assert.equal(await hash(page), before);
    await page.keyboard.press(".");
    await page.waitForFunction((k) => souple.bodies.frame?.step === k + 1, at, WAIT);
    assert.notEqual(await hash(page), before);
});

test("a drag moves the body and the force plot rises", async (_, page) => {
    await steers(page);
    await pause(page);  // grabbed where it was seen, however slowly this machine draws
    const at = await placeOnBody(page);
    assert.ok(at, "no soft body is on the screen");
    await page.evaluate(() => {
        const { socket } = souple.link, send = socket.send.bind(socket);
        souple.sent = [];
        socket.send = (text) => (souple.sent.push(JSON.parse(text)), send(text));
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.waitForFunction(() => souple.touch.drags.size === 1, null, WAIT);
    await answered(page, { type: "play" });
    await page.mouse.move(at.x + 20, at.y - 40, { steps: 4 });
    await page.mouse.move(at.x + 30, at.y - 110, { steps: 6 });
    await page.waitForFunction(() => souple.plots.picked.columns[2].some((f) => f > 0), null, WAIT);
    const first = await page.evaluate(() => ({ force: souple.picked.force, way: souple.picked.displacement }));
    await shot(page, "drag");
    await page.waitForFunction(() => /N$/.test(document.querySelector(".tag").textContent), null, WAIT);
    assert.ok(first.force > 0 && first.way > 0);
    // the point is named once, later messages only move its target
    const [grab, ...moves] = (await page.evaluate(() => souple.sent)).filter((m) => m.type === "drag");
    assert.ok(grab.body && grab.weights && moves.length > 0);
    for (const m of moves) assert.deepEqual(Object.keys(m), ["type", "slot", "target"]);
    await page.mouse.up();
    await page.waitForFunction(() => souple.picked.force === 0, null, WAIT);
    await pause(page);
    assert.equal(await page.evaluate(() => souple.touch.drags.size), 0);
});

test("a point of an embedded surface is held where it was grabbed", async () => {
    const riding = await serve("scenes/mapped-surface.xml");
    const page = await openPage(riding.url);
    await drawn(page);
    await steers(page);
    await answered(page, { type: "step", count: 40 });
    await after(page, 40);
    await pause(page);
    await page.evaluate(() => {
        const { link } = souple, ask = link.ask.bind(link);
        link.ask = (m) => ask(m).then((a) => (m.type === "drag" && (souple.grabbed = { target: m.target, picked: a.picked }), a));
    });
    const at = await placeOnBody(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.waitForFunction(() => souple.grabbed, null, WAIT);
    const { target, picked } = await page.evaluate(() => souple.grabbed);
    assert.equal(await page.evaluate(() => souple.touch.first().surface), 1);
    await page.mouse.up();
    // positions come as floats, of a bar of 0.4 m; the page computes the hit in floats too
    assert.ok(Math.hypot(...target.map((v, k) => v - picked.x[k])) < 1e-6, `grabbed ${target}, held ${picked.x}`);
    await page.context().close();
    await riding.stop();
});

test("a point mass is a ball that follows its point and grows with its mass", async () => {
    const hanging = await serve("scenes/hanging-weight.xml");
    const page = await openPage(hanging.url);
    await drawn(page);
    await steers(page);
    await pause(page);
    const ball = () => page.evaluate(() => {
        const { masses } = souple.marks, m = [...masses.instanceMatrix.array.slice(0, 16)];
        return { count: masses.count, radius: m[0], x: m.slice(12, 15), step: souple.bodies.frame.step };
    });
    await page.waitForFunction(() => souple.marks.masses.count === 1, null, WAIT);
    const first = await ball();
    await answered(page, { type: "step", count: 160 });
    await after(page, first.step + 160);
    await page.waitForFunction(() => souple.marks.masses.count === 1, null, WAIT);
    const later = await ball();
    // 250 g of steel, pulled aside with 8/9.81 of its weight
    assert.ok(Math.abs(first.radius - Math.cbrt((3 * 0.25) / (4 * Math.PI * 7850))) < 1e-6, JSON.stringify(first));
    assert.ok(later.x[0] - first.x[0] > 0.1, JSON.stringify([first, later]));
    await shot(page, "weight");
    await answered(page, { type: "param", path: "strip.ball.value", value: 0.5 });
    await answered(page, { type: "step", count: 20 });
    await page.waitForFunction((r) => souple.marks.masses.instanceMatrix.array[0] > 1.2 * r, later.radius, WAIT);
    await page.context().close();
    await hanging.stop();
});

test("links are lines between their ends, until they tear", async () => {
    const hanging = await serve("scenes/links/ligament.xml");
    const page = await openPage(hanging.url);
    await drawn(page);
    await steers(page);
    await pause(page);
    await page.waitForFunction(() => souple.marks.links.count > 20, null, WAIT);
    await answered(page, { type: "step", count: 20 });
    await after(page, 20);
    // the springs carry the liver, which hangs below the points that they are tied to
    const below = () => page.evaluate(() => {
        const { geometry, count } = souple.marks.links, x = geometry.attributes.position.array;
        return Array.from({ length: count }, (_, i) => x[6 * i + 4] - x[6 * i + 1]).reduce((a, b) => a + b, 0) / count;
    });
    await page.waitForFunction(() => souple.marks.links.count > 20, null, WAIT);
    const stretch = await below();
    assert.ok(stretch > 0.005 && stretch < 0.03, `${stretch}`);
    await shot(page, "links");
    await answered(page, { type: "param", path: "ligament.break", value: 1 });
    await answered(page, { type: "step", count: 2 });
    await page.waitForFunction(() => souple.marks.links.count === 0, null, WAIT);
    await page.context().close();
    await hanging.stop();
});

// a cube of 1 kg on the floor
const CUBE = `<scene version="1" name="cube on the floor" dt="0.01">
  <solid name="cube" density="1000" young="3e5" poisson="0.3" rayleigh="0 0.01" translate="0 0.001 0"><box size="0.1 0.1 0.1" cells="2 2 2"/></solid>
  <rigid name="floor"><plane normal="0 1 0"/></rigid>
  <contact formulation="proximity" friction="0.5"/>
  <camera at="0.25 0.2 0.35" to="0.05 0.04 0.05"/>
</scene>`;

test("contacts are points and arrows, and their forces carry the weight", async () => {
    writeFileSync(join(out, "cube.xml"), CUBE);
    const resting = await serve(join(out, "cube.xml"));
    const page = await openPage(resting.url);
    await drawn(page);
    await steers(page);
    await pause(page);
    const marks = () => page.evaluate(() => ({ balls: souple.contacts.balls, arrows: souple.contacts.arrows, said: souple.status.contacts.textContent, address: location.hash }));
    assert.deepEqual([(await marks()).balls, (await marks()).said], [0, ""]);
    await answered(page, { type: "step", count: 60 });
    await after(page, 60);
    // a frame that did not ask for contacts has none, and the key asks for them while the simulation is paused
    await page.keyboard.press("o");
    await page.waitForFunction(() => souple.contacts.balls === 9 && /9 contacts/.test(souple.status.contacts.textContent) && /contacts=1/.test(location.hash), null, WAIT);
    const shown = await marks();
    assert.equal(shown.arrows, 9, "every vertex of the base carries");
    // the floor, which is many times as large, does not count: the longest arrow is 0.18 diagonals of the cube
    const longest = await page.evaluate(() => Math.max(...Array.from({ length: 9 }, (_, i) => {
        const [shaft, head] = souple.contacts.meshes.slice(1).map((m) => Math.hypot(...m.instanceMatrix.array.slice(16 * i + 4, 16 * i + 7)));
        return shaft + head;
    })));
    assert.ok(Math.abs(longest - 0.18 * 0.1 * Math.sqrt(3)) < 0.001, String(longest));
    // nor for the arrow of a force, 0.15 diagonals
    const arrow = await page.evaluate(() => {
        souple.marks.setArrows([{ at: [0, 0, 0], force: [0, 1, 0] }]);
        const length = Math.hypot(...souple.marks.arrows[0].instanceMatrix.array.slice(4, 7));
        souple.marks.setArrows([]);
        return length;
    });
    assert.ok(Math.abs(arrow - 0.15 * 0.1 * Math.sqrt(3)) < 0.001, String(arrow));
    assert.match(shown.said, /^9 contacts · 9\.8\d? N · largest \d+(\.\d+)? m?N$/);
    // weight of 1 kg, in the single precision of frames and the tolerance of contacts; on the cube upwards
    const sum = await page.evaluate(() => {
        const { force, bodies } = souple.contacts.contacts, cube = souple.hello.bodies.find((b) => b.name === "cube").body, f = [0, 0, 0];
        force.forEach((v, i) => (f[i % 3] += bodies[2 * Math.floor(i / 3)] === cube ? v : -v));
        return f;
    });
    assert.ok(Math.abs(sum[1] - 9.81) < 0.01 && Math.hypot(sum[0], sum[2]) < 0.01, JSON.stringify(sum));
    await page.evaluate(() => souple.set("color", "contact-pressure"));
    // the mean pressure is 981 Pa
    await page.waitForFunction(() => souple.bodies.frame.field === souple.fields.find((f) => f.name === "contact-pressure").code && souple.bodies.frame.high > 981, null, WAIT);
    await page.waitForTimeout(500);
    await shot(page, "contacts");
    await page.keyboard.press("o");
    await page.waitForFunction(() => souple.contacts.balls === 0 && !/contacts/.test(location.hash) && souple.status.contacts.textContent === "", null, WAIT);
    await page.context().close();
    await resting.stop();
});

test("reservations and figures of health are shown, and can be put away", async (_, page) => {
    await pause(page);
    const report = (more) => page.evaluate((m) => souple.takeStats({ type: "stats", generation: souple.hello.generation, time: (souple.bodies.frame.time || 0) + 1e-3, stages: souple.hello.stages.map(() => 1), budget_ms: 10, step_ms: 1, achieved: 1, iterations: 1, residual: 1e-6, kinetic: 1, elastic: 1, picked: null, ...m }), more);
    const seen = () => page.evaluate(() => ({ warning: document.querySelector(".banner.warn").checkVisibility(), rows: [...document.querySelectorAll(".health tbody tr")].map((r) => r.innerText.split("\t").join("|")),
        table: document.querySelector(".health")?.checkVisibility() ?? false, plot: !document.querySelector('[data-plot="balance"]').classList.contains("hidden") }));
    // the server's own figures came before: the plot has them, and what its last steps had to say stays for a while
    for (let i = 0; i < 50 && (i === 0 || (await seen()).warning); i++) await report({}), await new Promise((r) => setTimeout(r, 100));
    assert.deepEqual(await seen(), { warning: false, rows: [], table: false, plot: true });
    const bodies = [{ body: 1, inverted: 12, volume_lost: 0.03, penetration: 0.002, energy: { kinetic: 1, elastic: 2, potential: 0.5, work: 3, appeared: 0.5 } }];
    await report({ bodies, reservations: [{ name: "inverted", text: "beam: 12 elements are inverted" }, { name: "energy-gain", text: "energy increased without external work" }] });
    const name = await page.evaluate(() => souple.hello.bodies[0].name);
    assert.deepEqual(await seen(), { warning: true, rows: [`${name}|12|3 %|2 mm|500 mJ`], table: true, plot: true });
    await page.waitForFunction(() => /12 elements are inverted\. Energy increased/.test(document.querySelector(".banner.warn").textContent));
    await shot(page, "health");
    await page.click(".banner.warn button");
    assert.equal((await seen()).warning, false);
});

test("a finger drags too", async ({ url }, page) => {
    await answered(page, { type: "control", action: "release" });
    const phone = await openPage(url, { width: 360, height: 740, touch: true });
    await drawn(phone);
    await steers(phone);
    await pause(phone);
    await shot(phone, "360-light");
    const at = await placeOnBody(phone);
    const finger = await phone.context().newCDPSession(phone);
    const touch = (type, x, y) => finger.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    // start and first move together: a finger that rests sets a pin
    await Promise.all([touch("touchStart", at.x, at.y), touch("touchMove", at.x + 2, at.y - 12)]);
    await answered(phone, { type: "play" });
    for (let i = 2; i <= 6; i++) await touch("touchMove", at.x + 4 * i, at.y - 12 * i);
    await phone.waitForFunction(() => souple.picked?.force > 0 && souple.touch.drags.size === 1, null, WAIT);
    await shot(phone, "360-finger");
    await touch("touchEnd");
    await phone.waitForFunction(() => souple.picked.force === 0, null, WAIT);
    await pause(phone);
    // a finger that rests pins, and unpins
    const rest = await placeOnBody(phone);
    for (const pins of [1, 0]) {
        await touch("touchStart", rest.x, rest.y);
        await phone.waitForFunction((n) => souple.marks.pinCount() === n && souple.touch.drags.size === 0, pins, WAIT);
        await touch("touchEnd");
    }
    // edits are taken by the next step, those of all pages in the order of the pages: those of the next test must not mix with these
    const now = await step(phone);
    await phone.keyboard.press(".");
    await after(phone, now + 1);
    await phone.context().close();
    await page.waitForFunction(() => souple.control.holder === 0, null, WAIT);
    await steers(page);
});

test("shift and click pins a node, and unpins it", async (_, page) => {
    await steers(page);
    await pause(page);
    await page.waitForTimeout(500);
    const at = await placeOnBody(page);
    const click = async () => {
        await page.keyboard.down("Shift");
        await page.mouse.click(at.x, at.y);
        await page.keyboard.up("Shift");
    };
    const place = () => page.evaluate(() => {
        const [surfaceMesh, v] = souple.marks.pins.list[0];
        return [...surfaceMesh.sent.slice(3 * v, 3 * v + 3)];
    });
    await click();
    await page.waitForFunction(() => souple.marks.pinCount() === 1, null, WAIT);
    // others move, the pinned node stays where it is
    const before = await place(), from = await hash(page), now = await step(page);
    await answered(page, { type: "step", count: 10 });
    await after(page, now + 10);
    await shot(page, "pin");
    assert.notEqual(await hash(page), from);
    assert.deepEqual(await place(), before);
    // the body has moved, the pin has not: click on it
    Object.assign(at, await page.evaluate(() => {
        const { stage, marks } = souple, r = stage.canvas.getBoundingClientRect();
        const q = stage.camera.position.clone().fromArray(marks.pins.geometry.attributes.position.array).project(stage.camera);
        return { x: r.left + (0.5 + 0.5 * q.x) * r.width, y: r.top + (0.5 - 0.5 * q.y) * r.height };
    }));
    await click();
    await page.waitForFunction(() => souple.marks.pinCount() === 0, null, WAIT);
});

test("the floor fades out and is never in front of a body", async (_, page) => {
    await steers(page);
    await pause(page);
    await prepare(page);
    const found = await page.evaluate(async () => {
        const { stage } = souple, { group } = stage.floor, at = stage.camera.position.clone(), to = stage.controls.target.clone(), place = group.position.clone();
        const shown = [souple.marks.group.visible, souple.bodies.group.visible];
        const both = async () => {
            const out = [];
            for (const on of [true, false]) stage.setFloor(on), out.push(await pixels());
            return out;
        };
        // through the middle of the bodies: where they are seen, the floor changes nothing
        souple.marks.group.visible = false;
        group.position.addScaledVector(stage.up, 0.2 * stage.size);
        stage.floor.group.updateMatrixWorld();
        const [through, bare] = await both();
        souple.bodies.group.visible = false;
        const empty = (await both())[1];
        let body = 0, crossed = 0, around = 0;
        for (let i = 0; i < bare.data.length; i += 4) {
            // well inside: pixels of an outline show a little of what is behind
            const near = [0, 8, -8, 8 * bare.width, -8 * bare.width].filter((k) => different(bare, empty, i + k) > 40).length;
            const own = near === 5, touched = different(through, bare, i) > 6;
            body += own, crossed += own && touched, around += near === 0 && touched;
        }
        // from above: rings of the disc, near the middle and at the edge
        group.position.copy(place);
        stage.look(place.clone().addScaledVector(stage.up, 9 * stage.size).add({ x: 0.01 * stage.size, y: 0, z: 0.01 * stage.size }), place);
        const [above, below] = await both(), radius = stage.floor.disc.material.uniforms.radius.value, p = at.clone();
        const ring = (share) => {
            let most = 0;
            for (let k = 0; k < 90; k++) {
                p.set(share * radius * Math.cos(k / 14.3), 0, share * radius * Math.sin(k / 14.3)).applyQuaternion(group.quaternion).add(place).project(stage.camera);
                const x = Math.floor((0.5 + 0.5 * p.x) * above.width), y = Math.floor((0.5 - 0.5 * p.y) * above.height);
                if (x >= 0 && y >= 0 && x < above.width && y < above.height) most = Math.max(most, different(above, below, 4 * (y * above.width + x)));
            }
            return most;
        };
        const rings = [0.15, 0.6, 0.985].map(ring);
        [souple.marks.group.visible, souple.bodies.group.visible] = shown;
        stage.setFloor(true);
        stage.look(at, to);
        return { body, crossed, around, rings };
    });
    assert.ok(found.body > 500 && found.around > 500, JSON.stringify(found));
    assert.ok(found.crossed <= 0.002 * found.body, `${found.crossed} of ${found.body} pixels of the bodies show the floor`);
    const [middle, half, edge] = found.rings;
    assert.ok(middle > half && half > edge && edge <= 3, `floor over backdrop: ${found.rings}`);
});

test("pins and held nodes have a size on the screen, and are seen through bodies", async (_, page) => {
    await steers(page);
    await pause(page);
    await prepare(page);
    const found = await page.evaluate(async () => {
        const { stage, marks, bodies } = souple, at = stage.camera.position.clone(), to = stage.controls.target.clone();
        const surfaceMesh = bodies.withNodes(bodies.drawn().find((s) => s.info.pull !== null).info.body), node = at.clone(), v = surfaceMesh.topology.vertexCount >> 1;
        marks.notePin(surfaceMesh.info.body, surfaceMesh.topology.nodes[v], true);
        surfaceMesh.vertex(v, node);
        const middle = bodies.box().getCenter(at.clone());
        const away = node.clone().sub(middle).normalize();
        const area = async (dots, distance) => {
            stage.look(node.clone().addScaledVector(away, distance * stage.size).addScaledVector(stage.up, 0.05 * stage.size), node);
            const out = [];
            for (const on of [true, false]) dots.group.visible = on, out.push(await pixels());
            dots.group.visible = true;
            return changed(...out, 20);
        };
        const near = await area(marks.pins, 1), far = await area(marks.pins, 5), behind = await area(marks.pins, -2);
        const color = (dots) => dots.seen.material.uniforms.color.value.toArray();
        const size = (dots) => dots.seen.material.uniforms.size.value;
        const result = { near, far, behind, held: await area(marks.held, 5), colors: [color(marks.pins), color(marks.held)], sizes: [size(marks.pins), size(marks.held)] };
        marks.notePin(surfaceMesh.info.body, surfaceMesh.topology.nodes[v], false);
        stage.look(at, to);
        return result;
    });
    const text = JSON.stringify(found);
    assert.ok(found.near > 120 && Math.abs(found.near - found.far) < 0.25 * found.near, text);
    assert.ok(found.behind > 0.6 * found.near, text);
    assert.ok(found.held > 40, text);
    assert.ok(found.sizes[0] > found.sizes[1] && found.sizes[1] >= 8, text);
    assert.ok(Math.hypot(...found.colors[0].map((c, k) => c - found.colors[1][k])) > 0.5, text);
});

test("bodies have highlights and no glare, backs of solids are not drawn", async (_, page) => {
    await steers(page);
    await pause(page);
    await prepare(page);
    const found = await page.evaluate(async () => {
        const { bodies, marks, stage } = souple, looks = bodies.drawn().map((s) => s.material.uniforms), kept = looks.map((u) => u.lobe.value);
        const at = stage.camera.position.clone(), to = stage.controls.target.clone(), middle = bodies.box().getCenter(at.clone());
        // where a level face mirrors the key light
        const mirrored = stage.up.clone().multiplyScalar(2 * stage.up.dot(stage.toKey)).sub(stage.toKey);
        stage.look(middle.clone().addScaledVector(mirrored, 2 * stage.size), middle);
        marks.group.visible = false;
        stage.setFloor(false);
        bodies.paint(null, 0, 1);
        const wet = await pixels();
        looks.forEach((u) => (u.lobe.value = 0));
        bodies.paint(null, 0, 1);
        const dry = await pixels();
        looks.forEach((u, i) => (u.lobe.value = kept[i]));
        bodies.group.visible = false;
        const empty = await pixels();
        bodies.group.visible = marks.group.visible = true;
        stage.setFloor(true);
        stage.look(at, to);
        let body = 0, lit = 0, glare = 0;
        for (let i = 0; i < wet.data.length; i += 4) {
            if (different(wet, empty, i) <= 40) continue;
            body++;
            if (different(wet, dry, i) > 3) lit++;
            if (Math.min(wet.data[i], wet.data[i + 1], wet.data[i + 2]) > 235) glare++;
        }
        souple.fresh = true;  // the colours that were asked for
        stage.invalidate();
        return { body, lit, glare, solid: bodies.drawn().every((s) => s.solid && s.material.side === 0) };
    });
    const text = JSON.stringify(found);
    assert.ok(found.body > 500 && found.lit > 0.02 * found.body, text);
    assert.ok(found.glare < 0.02 * found.body, text);
    assert.ok(found.solid, text);
});

test("edges are smooth while the picture moves", async (_, page) => {
    await steers(page);
    await pause(page);
    await prepare(page);
    const found = await page.evaluate(() => {
        const { stage, bodies, marks } = souple;
        // as while playing: read before the browser clears it
        const moving = () => {
            stage.sharpening = false;
            stage.draw();
            const c = new OffscreenCanvas(stage.canvas.width, stage.canvas.height).getContext("2d", { willReadFrequently: true });
            c.drawImage(stage.canvas, 0, 0);
            return c.getImageData(0, 0, stage.canvas.width, stage.canvas.height);
        };
        marks.group.visible = false;
        stage.setFloor(false);
        const picture = moving();
        let partly = 0, whole = 0;
        for (let i = 3; i < picture.data.length; i += 4) whole += picture.data[i] === 255, partly += picture.data[i] > 20 && picture.data[i] < 235;
        marks.group.visible = true;
        stage.setFloor(true);
        return { whole, partly, ratio: stage.renderer.getPixelRatio() === stage.coarse, bodies: bodies.drawn().length };
    });
    // pixels that a body covers in part: about as many as its outline is long
    assert.ok(found.ratio && found.whole > 500 && found.partly > Math.sqrt(found.whole), JSON.stringify(found));
});

test("shadows are on where frames allow, and as the user says", async (_, page) => {
    await steers(page);
    await pause(page);
    await prepare(page);
    const found = await page.evaluate(async () => {
        const { stage, settings } = souple, { timeDraw } = stage, box = () => souple.panel.flags.get("shadow").root.querySelector("input").checked, out = {};
        const start = (ms) => {
            stage.timeDraw = () => [ms, ms, ms];
            souple.tryShadows();
            return [stage.shadows, box()];
        };
        // from above: the light comes from the side, the shadow lies beside the body
        const at = stage.camera.position.clone(), to = stage.controls.target.clone(), middle = souple.bodies.box().getCenter(at.clone());
        stage.look(middle.clone().addScaledVector(stage.up, 2 * stage.size).addScaledVector(stage.toKey, 0.01 * stage.size), middle);
        out.asked = settings.shadow;
        out.measured = timeDraw.call(stage).length;
        out.slow = start(80);
        const without = await pixels();
        out.fast = start(4);
        out.changed = changed(await pixels(), without, 12);
        souple.set("shadow", false);
        out.off = start(4);
        souple.set("shadow", true);
        out.on = start(80);
        stage.timeDraw = timeDraw;
        settings.shadow = null;
        start(80), stage.timeDraw = timeDraw;
        stage.look(at, to);
        return out;
    });
    // without shadows no pixel of a paused scene changes
    assert.ok(found.changed > 1000, JSON.stringify(found));
    assert.deepEqual({ ...found, changed: 0 }, { asked: null, measured: 3, slow: [false, false], fast: [true, true], off: [false, false], on: [true, true], changed: 0 });
});

// the scene from its start, that many steps on: the hash
async function outcome(page, steps, before = async () => {}) {
    const generation = await page.evaluate(() => souple.hello.generation);
    await answered(page, { type: "reset", keep: false });
    await page.waitForFunction((g) => souple.hello.generation > g && souple.bodies.frame, generation, WAIT);
    assert.equal(await page.evaluate(() => souple.picked), null);
    await before();
    await answered(page, { type: "step", count: steps });
    await page.waitForFunction((k) => souple.bodies.frame?.step >= k, steps, WAIT);
    return hash(page);
}

test("the same start gives the same hash, a parameter another one", async (_, page) => {
    await steers(page);
    const first = await outcome(page, 10), again = await outcome(page, 10);
    assert.equal(first, again);
    const other = await outcome(page, 10, async () => {
        const row = page.locator('[data-path$=".young"] input[type="text"]').first();
        await row.scrollIntoViewIfNeeded();
        const old = await page.evaluate(() => souple.hello.params.find((p) => p.path.endsWith(".young")).value);
        await row.fill(String(old / 3));
        await row.press("Enter");
        await page.waitForFunction((v) => souple.hello.params.find((p) => p.path.endsWith(".young")).value < v, old, WAIT);
    });
    assert.notEqual(other, first);
});

test("the edit log replays to the same hash", async (_, page) => {
    await steers(page);
    await outcome(page, 5, () => answered(page, { type: "gravity", value: [1, -5, 0] }));
    await answered(page, { type: "drag", slot: 0, body: 1, surface: 0, face: 3, weights: [1, 0, 0], target: [0.3, 0.2, 0.1], stiffness: 300 });
    await answered(page, { type: "step", count: 5 });
    await after(page, 10);
    await answered(page, { type: "drop" });
    await answered(page, { type: "step", count: 5 });
    await after(page, 15);
    const { file } = await answered(page, { type: "log" });
    const said = execFileSync(command, ["run", "scenes/beam.xml", "--edits", join(out, file), "--steps", "15", "--json"], { cwd: dirname(scenes), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    assert.ok(said.includes(await hash(page)), `replay ends at another hash than ${await hash(page)}`);
});

// ---- scenes of one's own, probes

const own = ({ young = "1e5", more = "" } = {}) => `<scene version="1" name="my wire" dt="0.01" gravity="0 -9.81 0">
  <rod name="wire" length="0.4" elements="4" radius="0.01" young="${young}" density="1000" rayleigh="2 0.001">
    <region name="joint" s="0.1 0.2" young="2e4"/>
    <region s="0.2 0.3" young="3e4"/>
    <probe name="tip" end="tip" quantity="position velocity" every="5"/>
    <probe name="energy" quantity="kinetic" period="0.025"/>${more}
  </rod>
</scene>
`;
const asFile = (name, text) => ({ name, mimeType: "application/xml", buffer: Buffer.from(text) });
const opened = (page, title, version = 1) => page.waitForFunction(([t, v]) => souple.hello?.scene?.title === t && souple.hello.scene.version === v && souple.bodies.frame && souple.boxed, [title, version], WAIT);

test("a scene of one's own is opened from the list, from the files and by a drop", async (_, page) => {
    await steers(page);
    await page.evaluate(() => (document.activeElement.blur(), souple.actions.gallery()));
    await page.locator("dialog.scenes input[type=file]").setInputFiles(asFile("my wire.xml", own()));
    await opened(page, "my wire");
    assert.equal(await page.evaluate(() => document.querySelector("dialog.scenes").open), false);
    assert.match(await page.evaluate(() => souple.hello.scene.path), /opened\/my-wire\.xml$/);
    // the same file again is the same scene
    await page.locator(".panel input[type=file][accept='.xml']").setInputFiles(asFile("my wire.xml", own()));
    await opened(page, "my wire", 2);
    await page.evaluate((text) => {
        const files = new DataTransfer();
        files.items.add(new File([text], "dropped.xml"));
        window.dispatchEvent(new DragEvent("dragenter", { dataTransfer: files, cancelable: true }));
        souple.hinted = document.querySelector(".drop").checkVisibility();
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
    }, own().replace("my wire", "dropped wire"));
    await opened(page, "dropped wire");
    assert.deepEqual(await page.evaluate(() => [souple.hinted, document.querySelector(".drop").checkVisibility()]), [true, false]);
    await page.evaluate(() => souple.actions.gallery());
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("dialog.scenes .cards")][0].innerText.split("\n")), ["My wire", "my-wire.xml", "Dropped wire", "dropped.xml"]);
    await shot(page, "opened");
    await page.keyboard.press("Escape");
});

test("what is wrong in a scene is listed, and the old one goes on", async (_, page) => {
    await steers(page);
    const wrong = own({ more: '\n    <surface role="visual" file="nowhere.obj"/>' }).replace("elements", "elments").replace('young="1e5"', 'young="stiff"').replace("kinetic", "kinetik");
    const before = await page.evaluate(() => souple.hello.generation);
    await page.evaluate((text) => souple.actions.openScene(new File([text], "wrong.xml")), wrong);
    const rows = await page.evaluate(() => [...document.querySelectorAll(".problems li")].map((e) => e.textContent));
    for (const expected of [/^wrong\.xml:2 .*"elments"; did you mean "elements"/, /^wrong\.xml:2 .*"stiff"/, /^wrong\.xml:6 .*did you mean "kinetic"/, /^wrong\.xml:7 .*nowhere\.obj/])
        assert.ok(rows.some((r) => expected.test(r)), `${expected} in ${rows.join("\n")}`);
    await shot(page, "problems");
    assert.equal(await page.evaluate(() => souple.hello.generation), before);
    await answered(page, { type: "step", count: 2 });
    await page.waitForFunction(() => souple.bodies.frame?.step >= 2, null, WAIT);
    await page.click(".problems button");
    assert.equal(await page.locator(".problems").isVisible(), false);
    await page.evaluate(() => souple.actions.openScene(new File([new Uint8Array(5 << 20)], "large.xml")));
    await page.waitForFunction(() => [...document.querySelectorAll(".toast.bad")].some((t) => /large\.xml: more than 4 MiB/.test(t.textContent)), null, WAIT);
    // a browser notes every answer of this kind
    assert.deepEqual(complaints.splice(0).filter((c) => !/status of 422/.test(c)), []);
});

test("a scene of one's own needs the controls", async ({ url }, page) => {
    await steers(page);
    const other = await openPage(url);
    await drawn(other);
    const answer = (p, key) => p.evaluate(async ([k, text]) => (await fetch(`/scene?name=x.xml&as=${k}`, { method: "POST", body: text })).status, [key, own()]);
    const keys = await Promise.all([page, other].map((p) => p.evaluate(() => souple.liveHello.key)));
    assert.ok(keys.every((k) => /^[0-9a-f]{32}$/.test(k)) && keys[0] !== keys[1]);
    assert.equal(await answer(other, keys[1]), 409);
    await other.evaluate((text) => souple.actions.openScene(new File([text], "x.xml")), own());
    await other.waitForFunction(() => /You are watching/.test(document.querySelector(".toasts").textContent), null, WAIT);
    assert.equal(await other.evaluate(() => document.querySelector("dialog.scenes header .button").disabled), true);
    await other.context().close();
    assert.deepEqual(complaints.splice(0).filter((c) => !/status of 409/.test(c)), []);
});

test("a saved file is read again, and its values are the new ones", async (_, page) => {
    await steers(page);
    await page.evaluate((text) => souple.actions.openScene(new File([text], "saved.xml")), own());
    await opened(page, "my wire");
    const row = page.locator('[data-path="wire.young"]'), changed = () => page.evaluate(() => [...document.querySelectorAll(".row.changed")].map((r) => r.dataset.path));
    await row.locator("input[type=text]").fill("7e4");
    await row.locator("input[type=text]").press("Enter");
    await page.waitForFunction(() => document.querySelector('[data-path="wire.young"]').classList.contains("changed"), null, WAIT);
    assert.deepEqual(await changed(), ["wire.young"]);
    await page.evaluate(() => document.activeElement.blur());
    writeFileSync(join(out, "files/opened/saved.xml"), own({ young: "4e5" }));
    await opened(page, "my wire", 2);
    assert.equal(await page.evaluate(() => souple.paramNow("wire.young")), 4e5);
    assert.deepEqual(await changed(), []);
    await page.waitForFunction(() => !/wire\.young/.test(location.href), null, WAIT);  // the address is written with a delay
    // a mistake is listed, and the scene stays
    writeFileSync(join(out, "files/opened/saved.xml"), own().replace("radius", "radios"));
    await page.waitForFunction(() => /saved\.xml:2 .*did you mean "radius"/.test(document.querySelector(".problems:not(.hidden)")?.textContent), null, WAIT);
    writeFileSync(join(out, "files/opened/saved.xml"), own({ young: "5e5" }));
    await opened(page, "my wire", 3);
    assert.equal(await page.locator(".problems").isVisible(), false);
});

test("probes of the scene are plots, with every sample", async ({ url }, page) => {
    await steers(page);
    await outcome(page, 20);
    const rows = (p) => p.evaluate(() => souple.plots.probes.series.map((s) => s.columns[0].map((t) => Math.round(1e4 * t) / 10)));
    const every = [[0, 50, 100, 150, 200], [0, 25, 50, 75, 100, 125, 150, 175, 200]];  // ms
    await page.waitForFunction(() => souple.plots.probes.series[1].length === 9, null, WAIT);
    assert.deepEqual(await rows(page), every);
    // a page that comes later has them too
    const late = await openPage(url);
    await late.waitForFunction(() => souple.plots.probes.series[1]?.length === 9, null, WAIT);
    assert.deepEqual(await rows(late), every);
    await late.context().close();
    // the values are those of the command
    const steps = execFileSync(command, ["run", join(out, "files/opened/saved.xml"), "--steps", "20", "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    assert.ok(steps.includes(await hash(page)));
    const titles = await page.evaluate(() => [...document.querySelectorAll(".plot h3")].map((e) => e.textContent).slice(0, 4));
    assert.deepEqual(titles, ["tip: position [m]", "tip: velocity [m/s]", "energy: kinetic [J]", "Step time [ms]"]);
    await page.waitForFunction(() => document.querySelector('[data-plot="probe-0-0"] canvas') && /m$/.test(document.querySelector('[data-plot="probe-0-0"] .names b').textContent), null, WAIT);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator('[data-plot="probe-0-0"] button', { hasText: "CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "souple-tip.csv");
    const table = readFileSync(await download.path(), "utf8").trim().split("\n");
    assert.equal(table[0], "time [s],tip position.x [m],tip position.y [m],tip position.z [m],tip velocity.x [m/s],tip velocity.y [m/s],tip velocity.z [m/s]");
    assert.equal(table.length, 6);
    const [picture] = await Promise.all([page.waitForEvent("download"), page.locator('[data-plot="probe-0-0"] button', { hasText: "PNG" }).click()]);
    assert.equal(picture.suggestedFilename(), "souple-tip.png");
    await shot(page, "probes");
});

test("regions of a rod have their names", async (_, page) => {
    await page.evaluate(() => souple.set("color", "region"));
    await page.waitForFunction(() => [...document.querySelectorAll(".legend .regions span")].map((e) => e.textContent).join() === "other,joint,2", null, WAIT);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".panel h3")].map((e) => e.textContent).filter((t) => /joint|region/.test(t))), ["wire: joint", "wire.region[1]"]);
    await page.evaluate(() => souple.set("color", "none"));
});

// three corners a ring, shaded as round: no vertex is split
test("hair has few faces, shaded smoothly", async (_, page) => {
    const hair = '<scene version="1" name="hair" dt="0.01"><template name="t"><rod name="h" length="0.2" elements="2" radius="0.001" young="1e7" density="1000"/></template>' +
        '<instance name="hair" of="t" count="120" translate="0 0 {0.01*i}" merge="yes"/></scene>';
    await page.evaluate((text) => souple.actions.openScene(new File([text], "hair.xml")), hair);
    await opened(page, "hair");
    const seen = await page.evaluate(() => {
        const s = souple.bodies.drawn()[0], p = s.geometry.attributes.position.array, n = s.geometry.attributes.normal.array;
        let least = 1;
        // the middle of the third ring of the first strand; rings have three vertices
        const middle = [0, 1, 2].map((k) => (p[18 + k] + p[21 + k] + p[24 + k]) / 3);
        for (let v = 6; v < 9; v++) {
            const d = [0, 1, 2].map((k) => p[3 * v + k] - middle[k]), size = Math.hypot(...d);
            least = Math.min(least, d.reduce((sum, x, k) => sum + x * n[3 * v + k], 0) / size);
        }
        return { faces: s.topology.faces.length / 3, split: s.count - s.topology.vertexCount, stripes: s.topology.stripes, least };
    });
    // 8 bands of 6 faces and two lids
    assert.deepEqual({ ...seen, least: 0 }, { faces: 120 * 50, split: 0, stripes: null, least: 0 });
    assert.ok(seen.least > 0.99, `normals are off by ${seen.least}`);
    await shot(page, "hair");
    await answered(page, { type: "scene", number: await page.evaluate(() => souple.hello.scenes.find((s) => /beam\.xml$/.test(s.path)).number) });
    await opened(page, "heterogeneous beam");
});

// what is shown is a recording of the server: its frames, its colours, and nothing that would change the simulation
const replayed = (page, name) => page.waitForFunction((f) => souple.hello?.replay?.file === f && souple.bodies.frame?.generation === souple.hello.generation && !souple.fresh, name, WAIT);
const slideTo = async (page, share) => {
    const { from, until } = await page.evaluate(() => souple.hello.replay), time = from + share * (until - from);
    await page.locator(".player input[type=range]").fill(String(time));
    await page.waitForFunction((t) => Math.abs(souple.bodies.frame.time - t) < 1e-6 && !souple.fresh, time, WAIT);
};
const toast = (page, text) => page.waitForFunction((t) => [...document.querySelectorAll(".toast")].some((e) => new RegExp(t).test(e.textContent)), text, WAIT);

test("a recording plays, with a time slider", async (_, page) => {
    await steers(page);
    await pause(page);
    await page.evaluate(() => souple.set("color", "von-mises"));
    await page.waitForFunction(() => souple.bodies.frame?.field === 3, null, WAIT);
    const from = await step(page);
    await page.evaluate(() => souple.actions.record());
    await page.waitForFunction(() => souple.state.recording, null, WAIT);
    await answered(page, { type: "step", count: 6 });
    await after(page, from + 6);
    await pause(page);
    const last = { hash: await hash(page), range: await page.evaluate(() => [souple.bodies.frame.low, souple.bodies.frame.high]) };
    await page.evaluate(() => souple.actions.record());
    await toast(page, "Recording written");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    const file = await (await page.waitForFunction(() => souple.hello.replay?.file, null, WAIT)).jsonValue();
    await replayed(page, file);
    assert.match(file, /^recording-\d+\.h5$/);
    const { frames, until } = await page.evaluate(() => souple.hello.replay);
    assert.equal(frames, 7);
    assert.equal(await step(page), from);
    // nothing that would change the live simulation
    const acting = await page.evaluate(() => ({ bar: [souple.ui.play, souple.ui.step, souple.ui.reset, souple.ui.handButton].map((b) => b.disabled), touch: souple.touch.enabled,
        why: document.querySelector(".locked").textContent, sliders: [...document.querySelectorAll(".panel [data-path] input")].filter((e) => !e.disabled).length }));
    assert.deepEqual(acting.bar, [false, false, false, true]);
    assert.match(acting.why, /recording/);
    assert.deepEqual([acting.sliders, acting.touch], [0, false]);
    await assert.rejects(answered(page, { type: "param", path: "beam.young", value: 2e4 }), /recording is shown/);
    // the last frame has the hash and the colours of the last step; positions are floats, stresses follow from their differences
    await slideTo(page, 1);
    assert.equal(await hash(page), last.hash);
    const range = await page.evaluate(() => [souple.bodies.frame.low, souple.bodies.frame.high]);
    assert.ok(Math.abs(range[1] - last.range[1]) < 1e-3 * last.range[1], `${range} and ${last.range}`);
    assert.ok(await page.evaluate(() => document.querySelectorAll(".legend .ticks span").length > 2));
    await page.waitForTimeout(800);
    await shot(page, "recording");
    // a clipping plane cuts the recorded states, with caps in colours
    await page.evaluate(() => souple.actions.clip());
    await page.waitForFunction(() => souple.bodies.caps.list.size === 1, null, WAIT);
    await slideTo(page, 0.5);
    await page.waitForTimeout(800);
    await shot(page, "recording-clipped");
    await page.evaluate(() => souple.actions.clip());
    await page.waitForFunction(() => !souple.clip.on && souple.bodies.caps.list.size === 0, null, WAIT);
    // R returns to the first frame, Space plays to the last
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("r");
    await page.waitForFunction((k) => souple.bodies.frame.step === k, from, WAIT);
    await page.keyboard.press(" ");
    await page.waitForFunction((t) => souple.bodies.frame.time === t && !souple.state.playing, until, WAIT);
    assert.ok(Math.abs(await page.evaluate(() => Number(document.querySelector(".player input").value)) - until) < 1e-9);
    // the command draws the same file
    const picture = join(out, "recording-render.png");
    execFileSync(command, ["render", join(out, "files", file), "--png", picture, "--color-by", "von-mises", "--size", "320", "200"], { cwd: dirname(scenes), stdio: "ignore" });
    assert.ok(statSync(picture).size > 2000);
    await page.click(".player button:last-of-type");
    await page.waitForFunction((k) => !souple.hello.replay && souple.bodies.frame?.hash === k && !document.querySelector(".player"), last.hash, WAIT);
    await page.evaluate(() => souple.set("color", "none"));
    await page.waitForFunction(() => souple.bodies.frame?.field === 0, null, WAIT);
});

test("a recording of souple run opens; another file is refused with a reason", async (_, page) => {
    const scene = join(out, "recorded.xml"), folder = join(out, "recorded"), live = await hash(page);
    writeFileSync(scene, `<scene name="a ball of jelly" dt="0.01" gravity="0 -9.81 0"><solid name="jelly" young="2e4" poisson="0.4" look="green"><sphere radius="0.05" cells="3"/><fix box="-1 -1 -1 1 -0.03 1"/></solid>
        <rod name="hair" length="0.2" elements="8" radius="0.003" young="1e6" translate="0.1 0.1 0"/><look name="green" color="0.2 0.7 0.3"/><record file="jelly.xdmf" every="2" quantity="von-mises"/><stop steps="20"/></scene>`);
    rmSync(folder, { recursive: true, force: true });
    execFileSync(command, ["run", scene, "--out", folder, "--quiet"], { stdio: "ignore" });
    const open = (name, buffer) => page.setInputFiles(".panel input[type=file][accept*=h5]", buffer ? { name, mimeType: "", buffer } : name);
    const whole = readFileSync(join(folder, "jelly.h5"));
    for (const [name, buffer, why] of [["notes.h5", Buffer.from("hello"), "notes.h5: this is not a recording"], ["cut.h5", whole.subarray(0, 1500), "cut.h5: "], ["jelly.xdmf", Buffer.from("<Xdmf/>"), "choose the .h5 file"]]) {
        await open(name, buffer);
        await toast(page, why);
    }
    assert.ok(!(await page.evaluate(() => souple.hello.replay)) && (await hash(page)) === live);
    await open(join(folder, "jelly.h5"));
    await replayed(page, "jelly.h5");
    const hello = await page.evaluate(() => ({ bodies: souple.hello.bodies.map((b) => b.name), frames: souple.hello.replay.frames, look: souple.hello.bodies[0].surfaces[0].look.color, drawn: souple.bodies.drawn().length }));
    assert.deepEqual(hello, { bodies: ["jelly", "hair"], frames: 11, look: [0.2, 0.7, 0.3], drawn: 2 });
    await page.evaluate(() => souple.set("color", "von-mises"));
    await slideTo(page, 0.5);
    await page.waitForFunction(() => souple.bodies.frame.field === 3 && souple.bodies.frame.high > 0, null, WAIT);
    assert.equal(await step(page), 10);
    await page.waitForTimeout(800);
    await shot(page, "recording-run");
    await page.click(".player button:last-of-type");
    await page.waitForFunction((k) => !souple.hello.replay && souple.bodies.frame?.hash === k, live, WAIT);
    await page.evaluate(() => souple.set("color", "none"));
    // the same file from the command line; closing it leaves the scenes to choose from
    const viewing = await serve(join(folder, "jelly.xdmf"));
    const own = await openPage(viewing.url);
    await drawn(own);
    await steers(own);
    await slideTo(own, 1);
    assert.equal(await step(own), 20);
    await own.click(".player button:last-of-type");
    await own.waitForSelector("dialog.scenes[open] .card");
    // a scene replaces a recording
    await own.setInputFiles(".panel input[type=file][accept*=h5]", join(folder, "jelly.h5"));
    await replayed(own, "jelly.h5");
    assert.equal(await own.evaluate(() => document.querySelector(".panel button[aria-label='Open scene']").disabled), false);
    await own.setInputFiles(".panel input[type=file][accept='.xml']", scene);
    await opened(own, "a ball of jelly");
    assert.deepEqual(await own.evaluate(() => [souple.hello.replay, document.querySelector(".player")]), [null, null]);
    await own.context().close();
    await viewing.stop();
    assert.throws(() => execFileSync(command, ["view", scene.replace(".xml", ".h5")], { stdio: "pipe" }), (e) => e.status === 2 && /No such file/.test(e.stderr));
});

test("recordings of earlier versions play in the page", async (_, page) => {
    const hello = await page.evaluate(() => souple.liveHello), live = await hash(page);
    const surface = (x) => ({ positions: [x, 0, 0, x + 0.3, 0, 0, x, 0.2, 0] });
    const buffer = oldRecording(hello, [topologyFrame({ generation: hello.generation, vertexCount: 3, faces: [0, 1, 2] }), ...[0, 1, 2].map((i) => stateFrame({ generation: hello.generation, step: i, time: i / 10, surfaces: [surface(i / 10)] }))]);
    await page.setInputFiles(".panel input[type=file][accept*=h5]", { name: "old.spv", mimeType: "", buffer });
    await page.waitForFunction(() => souple.player && souple.bodies.frame?.step === 0, null, WAIT);
    assert.deepEqual(await page.evaluate(() => [souple.ui.play, souple.ui.step, souple.ui.reset].map((b) => b.disabled)), [false, true, true]);
    await page.locator(".player input[type=range]").fill("0.2");
    await page.waitForFunction(() => souple.bodies.frame.step === 2, null, WAIT);
    await page.click(".player button:last-of-type");
    await page.waitForFunction((k) => !souple.player && souple.bodies.frame?.hash === k && souple.mine, live, WAIT);
});

test("fields colour the bodies, the bar shows values", async (_, page) => {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("1");
    await page.waitForFunction(() => souple.bodies.frame?.field === 1 && document.querySelectorAll(".legend .ticks span").length > 2, null, WAIT);
    await shot(page, "colour");
    // regions by the names of the scene, in the legend and among the parameters
    await page.evaluate(() => souple.set("color", "region"));
    await page.waitForFunction(() => [...document.querySelectorAll(".legend .regions span")].map((e) => e.textContent).join() === "other,stiff,soft", null, WAIT);
    assert.ok(await page.evaluate(() => [...document.querySelectorAll(".panel h3")].some((e) => e.textContent === "beam: stiff")));
    await page.keyboard.press("0");
    await page.waitForFunction(() => souple.bodies.frame?.field === 0, null, WAIT);
});

test("values that differ by rounding have one colour and one number", async (_, page) => {
    await steers(page);
    const look = () => page.evaluate(() => ({ note: !souple.legend.note.classList.contains("hidden"), ticks: document.querySelectorAll(".legend .ticks span").length,
        colors: new Set(souple.bodies.drawn().filter((s) => s.info.pull !== null).flatMap((s) => [...s.geometry.attributes.share.array].map((x) => Math.round(1000 * x)))).size }));
    await page.evaluate(() => souple.set("color", "displacement"));
    const generation = await page.evaluate(() => souple.hello.generation);
    await answered(page, { type: "reset", keep: false });
    await page.waitForFunction((g) => souple.hello.generation > g && souple.bodies.frame, generation, WAIT);
    await page.waitForFunction(() => souple.bodies.frame?.field === 1 && !souple.fresh && souple.legend.uniform, null, WAIT);
    assert.deepEqual(await look(), { note: true, ticks: 1, colors: 1 });
    await shot(page, "uniform");
    await answered(page, { type: "step", count: 5 });
    await page.waitForFunction(() => souple.bodies.frame?.step >= 5 && !souple.fresh && !souple.legend.uniform, null, WAIT);
    const moved = await look();
    assert.ok(!moved.note && moved.ticks > 2 && moved.colors > 20, JSON.stringify(moved));
    await page.evaluate(() => souple.set("color", "none"));
});

test("the last change is undone", async (_, page) => {
    await steers(page);
    await pause(page);
    const young = () => page.evaluate(() => souple.paramNow("beam.young")), first = await young();
    const row = page.locator('[data-path="beam.young"] input[type=text]');
    await row.fill(String(2 * first));
    await row.press("Enter");
    await page.waitForFunction((v) => souple.paramNow("beam.young") === v, 2 * first, WAIT);
    await page.evaluate(() => (document.activeElement.blur(), souple.actions.pin(souple.hello.bodies[0].body, 100)));
    await page.waitForFunction(() => souple.marks.pinCount() === 1 && souple.actions.done.length >= 2, null, WAIT);
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => souple.marks.pinCount() === 0, null, WAIT);
    await page.keyboard.press("z");
    await page.waitForFunction((v) => souple.paramNow("beam.young") === v, first, WAIT);
});

test("what is out of range is refused and shown", async (_, page) => {
    await assert.rejects(answered(page, { type: "speed", value: 1000 }), /speed/);
    await page.evaluate(() => souple.actions.try({ type: "speed", value: 1000 }));
    await page.waitForSelector(".toast.bad");
    // the reason and the range stand next to the field
    const row = page.locator('[data-path="beam.young"]');
    await row.locator("input[type=text]").fill("-1");
    assert.match(await row.locator(".why").textContent(), /^Must be within .* to .*Pa\.$/);
    await shot(page, "refused");
    await row.locator("input[type=text]").fill("stiff");
    assert.equal(await row.locator(".why").textContent(), "Not a number.");
    await row.locator("input[type=text]").blur();
    assert.equal(await row.locator(".why").isVisible(), false);
});

test("the address reproduces the view", async ({ url }, page) => {
    await page.evaluate(() => {
        souple.set("wire", true), souple.set("theme", "dark");
        souple.stage.look(souple.home.at.clone().multiplyScalar(1.3), souple.home.to);
        souple.writeAddressNow();
    });
    const address = page.url();
    assert.match(address, /wire=1/);
    const twin = await openPage(address);
    await drawn(twin);
    const [a, b] = await Promise.all([page, twin].map((p) => p.evaluate(() => [souple.settings.wire, souple.settings.theme, ...souple.stage.camera.position.toArray().map((v) => Number(v.toPrecision(4)))])));
    assert.deepEqual(a, b);
    await shot(twin, "dark");
    await twin.context().close();
    await page.evaluate(() => (souple.set("wire", false), souple.set("theme", "light")));
    assert.ok(url);
});

test("two pages hand over the controls", async ({ url }, page) => {
    await steers(page);
    const other = await openPage(url);
    await drawn(other);
    assert.equal(await other.evaluate(() => souple.mine), false);
    assert.equal(await other.evaluate(() => document.querySelector(".bar .button.main").disabled), true);
    await assert.rejects(answered(other, { type: "play" }), /control/);
    await other.click(".chip");
    await page.waitForSelector(".banner.ask");
    await shot(page, "hand-over");
    await page.click(".banner.ask button:first-of-type");
    await steers(other);
    await page.waitForFunction(() => !souple.mine, null, WAIT);
    // a page that goes gives them back
    await other.context().close();
    await page.waitForFunction(() => souple.control.holder === 0, null, WAIT);
    await page.click(".chip");
    await steers(page);
});

test("a lost server is reported, and found again", async (server, page) => {
    await page.evaluate(() => souple.link.socket.close());
    await page.waitForSelector(".banner.gone");
    await page.waitForFunction(() => souple.link.open && document.querySelector(".banner").classList.contains("hidden"), null, WAIT);
    assert.ok(server);
});

// ---- see inside: a liver with a tumour, whose scene has a clipping plane

const organ = {};  // server and page of these tests

// caps of the plane that is set are there
const clipped = (page) => page.waitForFunction(() => {
    const { clip, bodies, settings } = souple, v = settings.clip;
    return v && clip.on && bodies.caps.list.size === 1 && v.slice(3).every((c, k) => Math.abs(c + clip.plane.normal.getComponent(k)) < 1e-5) &&
        Math.abs(clip.plane.distanceToPoint(clip.point)) < 1e-6 && !souple.fresh;
}, null, WAIT);

// pixels of the view in the colour of the first region, however it is lit; and the largest distance of a vertex of a cap from the plane
const inside = (page) => page.evaluate(async () => {
    const { bodies, clip, marks, stage } = souple;
    marks.group.visible = clip.group.visible = false;
    stage.setFloor(false);
    const image = await createImageBitmap(await stage.picture());
    const c = new OffscreenCanvas(image.width, image.height).getContext("2d", { willReadFrequently: true });
    c.drawImage(image, 0, 0);
    marks.group.visible = clip.group.visible = true;
    stage.setFloor(true);
    const d = c.getImageData(0, 0, image.width, image.height).data;
    let tumour = 0, off = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i] > 90 && d[i + 1] > 0.52 * d[i] && d[i + 1] < 0.82 * d[i] && d[i + 2] < 0.28 * d[i]) tumour++;
    for (const cap of bodies.caps.list.values()) {
        const { positions, faces } = cap.section, p = stage.camera.position.clone();
        for (const v of faces) off = Math.max(off, Math.abs(clip.plane.distanceToPoint(p.fromArray(positions, 3 * v))));
    }
    return { tumour, off, faces: [...bodies.caps.list.values()].map((cap) => cap.section.faces.length / 3) };
});

test("the plane of the scene clips its bodies, and caps are filled", async () => {
    organ.server = await serve("scenes/organs/liver.xml");
    const page = (organ.page = await openPage(organ.server.url, { width: 1440, height: 900 }));
    await drawn(page);
    await steers(page);
    await clipped(page);
    const cut = await inside(page);
    // positions are floats of about 0.1 m
    assert.ok(cut.tumour > 3000 && cut.faces[0] > 100 && cut.off < 1e-6, JSON.stringify(cut));
    await shot(page, "clip-1440");
    // off: the tumour is inside; and on again, by the key and by the box of the panel
    await page.keyboard.press("i");
    await page.waitForFunction(() => !souple.clip.on && souple.bodies.caps.list.size === 0);
    assert.ok((await inside(page)).tumour < 50);
    assert.match(await page.evaluate(() => (souple.writeAddressNow(), location.hash)), /clip=0/);
    await page.getByLabel("Clipping plane").check();
    await clipped(page);
    assert.equal((await inside(page)).tumour, cut.tumour);
    // caps follow the body while it plays, and have values of the field
    await page.evaluate(() => souple.set("color", "von-mises"));
    const before = await page.evaluate(() => [...souple.bodies.caps.list.values()][0].section.positions.slice());
    await answered(page, { type: "step", count: 10 });
    await after(page, 10);
    await clipped(page);
    const cap = await page.evaluate((old) => {
        const { section } = [...souple.bodies.caps.list.values()][0], { low, high } = souple.bodies.frame;
        return { moved: section.positions.length !== old.length || section.positions.some((v, k) => v !== old[k]),
            outside: [...section.values].filter((v) => !(v >= low && v <= high)).length, values: section.values.length };
    }, before);
    assert.ok(cap.moved && cap.values > 100 && cap.outside === 0, JSON.stringify(cap));
    await shot(page, "clip-field");
    await page.evaluate(() => souple.set("color", "none"));
});

test("the clipping plane is moved by its frame, its slider and its direction", async () => {
    const { page } = organ, plane = () => page.evaluate(() => souple.settings.clip);
    const camera = () => page.evaluate(() => souple.stage.camera.position.toArray());
    // of the frame, where nothing else is
    const handle = (target) => target.evaluate(() => {
        const { clip, stage } = souple, all = clip.corners.map((c) => clip.screen(c));
        const at = all.find(({ x, y }) => document.elementFromPoint(x, y) === stage.canvas);
        return { x: Math.round(at.x), y: Math.round(at.y) };
    });
    const along = (a, b) => {
        const way = b.slice(0, 3).map((v, k) => v - a[k]), n = a.slice(3), s = way.reduce((t, v, k) => t + v * n[k], 0);
        return { s, aside: Math.hypot(...way.map((v, k) => v - s * n[k])) };
    };
    let before = await plane();
    const stood = await camera(), at = await handle(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let i = 1; i <= 5; i++) await page.mouse.move(at.x + 2 * i, at.y - 6 * i);
    await page.mouse.up();
    let moved = along(before, await plane());
    // along the normal, and neither the view nor the body has moved
    assert.ok(Math.abs(moved.s) > 1e-3 && moved.aside < 1e-9, JSON.stringify(moved));
    assert.deepEqual(await camera(), stood);
    assert.equal(await page.evaluate(() => souple.touch.drags.size), 0);
    await clipped(page);
    // the slider
    before = await plane();
    const slider = page.locator(".clip input[type=range]");
    await slider.evaluate((e) => ((e.value = Number(e.max) * 0.55), e.dispatchEvent(new Event("input"))));
    await page.waitForFunction((b) => souple.settings.clip.some((v, k) => Math.abs(v - b[k]) > 1e-6), before, WAIT);
    await clipped(page);
    assert.ok(along(before, await plane()).aside < 1e-9);
    // other directions, and the other side
    await page.locator(".clip select").selectOption("x");
    await clipped(page);
    assert.deepEqual((await plane()).slice(3).map(Math.abs), [1, 0, 0]);
    const sign = (await plane())[3];
    await page.locator(".clip button").click();
    await clipped(page);
    assert.equal((await plane())[3], -sign);
    await page.locator(".clip select").selectOption("view");
    await clipped(page);
    const facing = await page.evaluate(() => {
        const { camera, controls } = souple.stage, to = camera.position.clone().sub(controls.target).normalize();
        return souple.settings.clip.slice(3).reduce((s, v, k) => s + v * to.getComponent(k), 0);
    });
    assert.ok(facing > 1 - 1e-6, `${facing}`);
    // a finger, and a plane of its own: the other page keeps what it has
    const own = await plane(), phone = await openPage(organ.server.url, { width: 390, height: 844, touch: true });
    await drawn(phone);
    await clipped(phone);
    await phone.evaluate(() => souple.actions.fit());
    const start = await phone.evaluate(() => souple.settings.clip), spot = await handle(phone);
    const finger = await phone.context().newCDPSession(phone);
    const touch = (type, x, y) => finger.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    await touch("touchStart", spot.x + 6, spot.y + 6);
    for (let i = 1; i <= 4; i++) await touch("touchMove", spot.x + 6, spot.y + 6 - 8 * i);
    await touch("touchEnd");
    moved = along(start, await phone.evaluate(() => souple.settings.clip));
    assert.ok(Math.abs(moved.s) > 1e-3 && moved.aside < 1e-9, JSON.stringify(moved));
    await clipped(phone);
    await shot(phone, "clip-390");
    await phone.context().close();
    assert.deepEqual(await plane(), own);
});

test("what is cut off is not picked, and a link keeps the plane", async () => {
    const { page } = organ;
    // across the liver, seen from the front: the right part is gone
    await page.evaluate(() => (souple.actions.homeView(), souple.set("clip", [0, 0, 0, 1, 0, 0])));
    await clipped(page);
    const hits = await page.evaluate(() => {
        const { bodies, clip, stage, touch } = souple, r = stage.canvas.getBoundingClientRect(), found = { there: 0, gone: 0, before: 0 };
        const p = stage.camera.position.clone();
        for (const s of bodies.drawn()) for (let v = 0; v < s.topology.vertexCount; v += 11) {
            const q = s.vertex(v, p.clone()), far = clip.plane.distanceToPoint(q), e = q.clone().project(stage.camera);
            const hit = touch.pick({ clientX: r.left + (0.5 + 0.5 * e.x) * r.width, clientY: r.top + (0.5 - 0.5 * e.y) * r.height });
            if (hit) found.there++;
            if (hit && clip.hides(hit.point)) found.before++;
            if (!hit && far < -0.02) found.gone++;
        }
        return found;
    });
    assert.ok(hits.there > 50 && hits.gone > 50 && hits.before === 0, JSON.stringify(hits));
    await page.evaluate(() => (souple.set("clip", [0.01, 0, 0.02, 0, 0.6, 0.8]), souple.set("interfaces", true), souple.writeAddressNow()));
    await clipped(page);
    assert.match(page.url(), /clip=0\.01,0,0\.02,0,0\.6,0\.8/);
    const twin = await openPage(page.url(), { width: 1024, height: 768 });
    await drawn(twin);
    await clipped(twin);
    assert.deepEqual(await twin.evaluate(() => [souple.settings.clip, souple.settings.interfaces]), [[0.01, 0, 0.02, 0, 0.6, 0.8], true]);
    await shot(twin, "clip-1024");
    await twin.context().close();
});

test("interfaces of regions are seen inside their body", async () => {
    const { page } = organ;
    // before the tumour: only its own surface can show it
    await page.evaluate(() => (souple.actions.homeView(), souple.set("clip", [0, 0, 0.033, 0, 0, 1]), souple.set("interfaces", false)));
    await clipped(page);
    assert.ok((await inside(page)).tumour < 50);
    await page.keyboard.press("n");
    await page.waitForFunction(() => souple.bodies.drawn().some((s) => s.info.interfaces), null, WAIT);
    await clipped(page);
    const open = await inside(page);
    assert.ok(open.tumour > 2000, JSON.stringify(open));
    const looks = await page.evaluate(() => souple.bodies.drawn().map((s) => [s.info.name, s.material.transparent]));
    assert.deepEqual(looks.sort(), [["region tumour", false], ["skin", true]]);
    await shot(page, "interfaces");
    await page.keyboard.press("i");
    await page.waitForFunction(() => !souple.clip.on);
    assert.ok((await inside(page)).tumour > 2000);
    await page.keyboard.press("n");
    assert.ok((await inside(page)).tumour < 50);
    await page.context().close();
    await organ.server.stop();
});

// a soft block and a marble on the floor, a paddle that is moved
const PLAY = `<scene version="1" name="things to play with" dt="0.01">
  <rigid name="floor"><plane normal="0 1 0"/></rigid>
  <solid name="block" density="900" young="3e4" poisson="0.4" rayleigh="0 0.01" translate="-0.15 0 -0.1"><box size="0.3 0.12 0.2" cells="4 2 3"/></solid>
  <rigid name="marble" motion="free" density="500" translate="0.3 0.05 0"><sphere radius="0.05"/></rigid>
  <rigid name="paddle" motion="kinematic" translate="-0.35 0.01 -0.1"><box size="0.06 0.15 0.2"/></rigid>
  <contact formulation="proximity" friction="0.5"/>
  <camera at="0.4 0.5 0.9" to="0 0.05 0" fov="34"/>
</scene>`;

// where the middle of a body is on the screen
const screenOf = (page, name) => page.evaluate((n) => {
    const { body } = souple.hello.bodies.find((x) => x.name === n), s = souple.bodies.drawn().find((x) => x.info.body === body);
    const p = s.vertex(0, souple.stage.camera.position.clone()), q = p.clone(), r = souple.stage.canvas.getBoundingClientRect();
    for (let v = 1; v < s.topology.vertexCount; v++) p.add(s.vertex(v, q));
    p.divideScalar(s.topology.vertexCount).project(souple.stage.camera);
    return { x: Math.round(r.left + (0.5 + 0.5 * p.x) * r.width), y: Math.round(r.top + (0.5 - 0.5 * p.y) * r.height) };
}, name);

// the lowest place of a body
const lowest = (page, name) => page.evaluate((n) => {
    const { body } = souple.hello.bodies.find((x) => x.name === n);
    return Math.min(...souple.bodies.get(body, 0).sent.filter((_, i) => i % 3 === 1));
}, name);

const added = (page) => page.evaluate(() => souple.hello.bodies.filter((b) => b.added).map((b) => b.name));
async function steps(page, count) {
    const from = await step(page);
    await answered(page, { type: "step", count });
    await after(page, from + count);
    await page.waitForFunction(() => !souple.state.playing && !souple.fresh, null, WAIT);
}

let play = null;  // the server and the page of the tests of tools

test("a ball is thrown at what is under the pointer, and undo removes it", async () => {
    writeFileSync(join(out, "play.xml"), PLAY);
    const server = await serve(join(out, "play.xml"));
    const page = await openPage(server.url);
    play = { server, page };
    await drawn(page);
    await steers(page);
    await pause(page);
    await steps(page, 5);
    const at = await screenOf(page, "block");
    // a drag with another tool turns the view, and throws nothing
    await page.getByLabel("Throw a ball").click();
    const view = () => page.evaluate(() => souple.stage.camera.position.toArray());
    const before = await view();
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 40, at.y, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction((b) => souple.stage.camera.position.toArray().some((v, k) => v !== b[k]), before, WAIT);
    await page.keyboard.press("v");
    assert.deepEqual(await added(page), []);
    await page.mouse.click(at.x, at.y);
    await page.waitForFunction(() => souple.actions.done.at(-1)?.text === "thrown ball", null, WAIT);
    await steps(page, 12);
    await page.waitForFunction(() => souple.hello.bodies.some((b) => b.name === "ball-1" && b.added) && souple.bodies.drawn().some((s) => s.info.added), null, WAIT);
    await shot(page, "throw");
    // contact keeps it above the floor, and it has hit the block
    await steps(page, 60);
    assert.ok(await lowest(page, "ball-1") > -1e-3, "the ball is on the floor");
    await page.keyboard.press("z");
    await page.waitForFunction(() => /Undone: thrown ball/.test(document.body.textContent), null, WAIT);
    await steps(page, 1);
    await page.waitForFunction(() => !souple.hello.bodies.some((b) => b.added) && !souple.bodies.drawn().some((s) => s.info.added), null, WAIT);
    // the key selects the tool, and again throws to where the pointer is; a reset removes what was thrown
    await page.keyboard.press("Escape");
    await page.keyboard.press("q");
    assert.equal(await page.evaluate(() => souple.tools.tool), "throw");
    await page.mouse.move(at.x, at.y);
    await page.keyboard.press("q");
    await page.waitForFunction(() => souple.actions.done.length === 1, null, WAIT);
    await steps(page, 2);
    await page.waitForFunction(() => souple.hello.bodies.some((b) => b.added), null, WAIT);
    await page.keyboard.press("r");
    await page.waitForFunction(() => souple.bodies.frame?.step === 0 && !souple.hello.bodies.some((b) => b.added), null, WAIT);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => souple.tools.tool), "drag");
});

test("a probe comes from outside, feels the block, and leaves with its tool", async () => {
    const { page } = play, at = await screenOf(page, "block");
    await steps(page, 5);
    await page.keyboard.press("e");
    await page.mouse.move(at.x, at.y);
    await page.mouse.move(at.x + 1, at.y);
    await page.waitForFunction(() => souple.tools.poking, null, WAIT);
    await steps(page, 10);
    await page.waitForFunction(() => souple.probeForce() === 0, null, WAIT);  // it is there, and touches nothing
    const top = () => page.evaluate(() => {
        const s = souple.bodies.get(souple.hello.bodies.find((b) => b.name === "block").body, 0);
        return Math.max(...s.sent.filter((_, i) => i % 3 === 2));
    });
    const before = await top();
    for (let i = 0; i < 9; i++) await page.mouse.wheel(0, -100);
    await page.waitForTimeout(100);  // the last place is sent within 16 ms
    await steps(page, 40);
    await page.waitForFunction(() => souple.probeForce() > 0.1 && /^[\d.]+ [mk]?N$/.test(document.querySelector(".tag:not(.hidden)")?.textContent), null, WAIT);
    assert.ok(await top() < before, "the block gives way");
    await shot(page, "probe");
    // keys do what the wheel does
    const depth = await page.evaluate(() => souple.tools.depth);
    await page.keyboard.press("-");
    assert.ok(await page.evaluate(() => souple.tools.depth) < depth);
    await page.keyboard.press("+");
    await page.keyboard.press("e");
    await steps(page, 2);
    await page.waitForFunction(() => !souple.hello.bodies.some((b) => b.added) && document.querySelector(".tag").classList.contains("hidden"), null, WAIT);
});

test("a kinematic body is moved by hand, and stays", async () => {
    const { page } = play, at = await screenOf(page, "paddle");
    const before = await lowest(page, "paddle");
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 60, { steps: 5 });
    await page.waitForFunction(() => souple.touch.first()?.held, null, WAIT);
    await steps(page, 2);
    const way = await lowest(page, "paddle") - before;
    assert.ok(way > 1e-3 && way <= 2 * 0.25 * 0.06 + 1e-6, `${way} m in two steps: a quarter of its least edge in each at most`);
    await steps(page, 20);
    await page.mouse.up();
    const left = await lowest(page, "paddle");
    assert.ok(left > before + 0.02);
    await steps(page, 10);
    assert.ok(Math.abs(await lowest(page, "paddle") - left) < 1e-6);
});

test("two clicks attach, a click on the link detaches, undo takes both back", async () => {
    const { page } = play;
    const links = (n) => page.waitForFunction((k) => souple.marks.message?.links.length === k && souple.marks.links.count === k, n, WAIT);
    await page.keyboard.press("a");
    const [block, marble] = [await screenOf(page, "block"), await screenOf(page, "marble")];
    await page.mouse.click(block.x, block.y);
    await page.waitForFunction(() => souple.tools.first, null, WAIT);
    await page.mouse.click(marble.x, marble.y);
    await page.waitForFunction(() => souple.actions.done.at(-1)?.text === "link", null, WAIT);
    await steps(page, 3);
    await links(1);
    await shot(page, "attach");
    // its line is clicked where it is over nothing else that could be meant
    const middle = await page.evaluate(() => {
        const { a, b } = souple.marks.message.links[0], r = souple.stage.canvas.getBoundingClientRect();
        const p = souple.stage.camera.position.clone().fromArray(souple.marks.placeOf(a)).lerp(souple.stage.camera.position.clone().fromArray(souple.marks.placeOf(b)), 0.5).project(souple.stage.camera);
        return { x: r.left + (0.5 + 0.5 * p.x) * r.width, y: r.top + (0.5 - 0.5 * p.y) * r.height };
    });
    await page.mouse.click(middle.x, middle.y);
    await page.waitForFunction(() => souple.actions.done.at(-1)?.text === "detached link", null, WAIT);
    await steps(page, 1);
    await links(0);
    await page.keyboard.press("z");
    await page.waitForFunction(() => souple.actions.done.length === 1, null, WAIT);
    await steps(page, 1);
    await links(1);
    await page.keyboard.press("z");
    await page.waitForFunction(() => souple.actions.done.length === 0, null, WAIT);
    await steps(page, 1);
    await links(0);
    // to a fixed place, beside the bodies
    await page.mouse.click(block.x, block.y);
    await page.waitForFunction(() => souple.tools.first, null, WAIT);
    await page.mouse.click(850, 130);
    await page.waitForFunction(() => souple.actions.done.length === 1, null, WAIT);
    await steps(page, 3);
    await links(1);
    assert.equal((await added(page)).length, 1);
    await page.keyboard.press("z");
    await page.waitForFunction(() => souple.actions.done.length === 0, null, WAIT);
    await steps(page, 1);
    await page.waitForFunction(() => !souple.hello.bodies.some((b) => b.added), null, WAIT);
    await page.keyboard.press("Escape");
});

test("contacts can be switched off and on, and say their newtons", async () => {
    const { page } = play;
    await page.keyboard.press("o");
    await page.waitForFunction(() => souple.contacts.balls > 0 && souple.contacts.normals.geometry.drawRange.count === 2 * souple.contacts.balls, null, WAIT);
    const marble = await screenOf(page, "marble");
    await page.mouse.move(marble.x, marble.y);
    await page.mouse.move(marble.x + 1, marble.y);
    await page.waitForFunction(() => /^marble(, contacts| on) .* N|^marble on floor: [\d.]+ N/.test(document.querySelector(".hover:not(.hidden)")?.textContent), null, WAIT);
    await page.keyboard.press("y");
    await page.waitForFunction(() => souple.paramNow("contact.enabled") === 0, null, WAIT);
    await steps(page, 15);
    assert.ok(await lowest(page, "marble") < -0.05, "it falls through the floor");
    assert.equal(await page.evaluate(() => souple.contacts.balls), 0);
    await page.keyboard.press("y");
    await page.waitForFunction(() => souple.paramNow("contact.enabled") === 1, null, WAIT);
    await steps(page, 100);
    const low = await lowest(page, "marble");
    assert.ok(low > -5e-3 && low < 0.05, `${low} m: it is back on the floor, and has not flown away`);
    await page.keyboard.press("o");
});

test("a finger throws and pokes", async () => {
    const { server, page } = play;
    await page.context().close();
    const phone = await openPage(server.url, { width: 390, height: 780, touch: true });
    await drawn(phone);
    await steers(phone);
    await pause(phone);
    const at = await screenOf(phone, "block");
    await phone.locator(".tools button[aria-label^='Throw']").tap();
    await phone.touchscreen.tap(at.x, at.y);
    await phone.waitForFunction(() => souple.actions.done.at(-1)?.text === "thrown ball", null, WAIT);
    await steps(phone, 2);
    await phone.waitForFunction(() => souple.hello.bodies.some((b) => b.name.startsWith("ball-")), null, WAIT);
    await phone.locator(".tools button[aria-label^='Poke']").tap();
    await phone.touchscreen.tap(at.x, at.y);
    await phone.waitForFunction(() => souple.tools.poking, null, WAIT);
    await steps(phone, 2);
    await phone.waitForFunction(() => souple.hello.bodies.some((b) => b.name.startsWith("probe-")), null, WAIT);
    await shot(phone, "tools-390");
    await phone.context().close();
    await server.stop();
});

test("a scene without contact says why there is no ball", async ({ url }) => {
    const page = await openPage(url);
    await drawn(page);
    const seen = await page.evaluate(() => [...souple.ui.toolButtons].map(([name, b]) => [name, b.disabled, /has no contact/.test(b.title)]));
    assert.deepEqual(seen, [["throw", true, true], ["probe", true, true], ["attach", false, false]]);
    await page.keyboard.press("q");
    assert.equal(await page.evaluate(() => souple.tools.tool), "drag");
    await page.context().close();
});

test("wide and dark", async ({ url }) => {
    for (const [width, height, theme] of [[2560, 1300, "light"], [1280, 800, "dark"], [360, 740, "dark"]]) {
        const page = await openPage(url, { width, height, theme });
        await drawn(page);
        await page.waitForTimeout(800);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
        assert.ok(wide, `${width} px: the page is wider than the window`);
        await shot(page, `${width}-${theme}`);
        await page.context().close();
    }
});

let failures = 0;
const server = await serve(join(scenes, "beam.xml"));
let page = null;
for (const t of tests) {
    const begin = performance.now();
    try {
        page = (await t.run(server, page)) ?? page;
        assert.deepEqual(complaints.splice(0), [], "complaints in the console");
        const seconds = (performance.now() - begin) / 1000;
        console.log(`ok   ${t.name}${seconds > 1 ? ` (${seconds.toFixed(1)} s)` : ""}`);  // where the time goes
    } catch (e) {
        failures++;
        console.log(`FAIL ${t.name}\n${e.stack}`);
        await page?.screenshot({ path: join(out, `failed-${failures}.png`) }).catch(() => {});
        // pages that the test left open may hold the controls
        for (const context of browser.contexts()) if (context !== page?.context()) await context.close();
    }
}
await server.stop();

// without a scene: the gallery
try {
    const gallery = await serve();
    const first = await openPage(gallery.url);
    await first.waitForSelector("dialog.scenes[open] .card");
    const titles = await first.evaluate(() => [...document.querySelectorAll("dialog.scenes h3")].map((e) => e.textContent));
    assert.deepEqual(titles.slice(0, 3), ["First steps", "Organs", "Contact with friction"]);
    await first.waitForFunction(() => [...document.querySelectorAll("dialog.scenes .card img")].some((image) => image.naturalWidth === 320), null, WAIT);
    assert.equal(await first.evaluate(() => [...document.querySelectorAll("dialog.scenes .card")].filter((c) => !c.querySelector("img")).length), 0);
    await shot(first, "gallery");
    await steers(first);
    await first.click(".card:first-of-type");
    await drawn(first);
    await shot(first, "chosen");
    await first.context().close();
    await gallery.stop();
    console.log("ok   without a scene there is a gallery");
} catch (e) {
    failures++;
    console.log(`FAIL without a scene there is a gallery\n${e.stack}`);
}

// a link to a scene, opened where none runs; then an address without its token
try {
    const server = await serve("--token", "a-long-word");
    const root = server.url.replace(/\?.*/, "");
    const linked = await openPage(`${root}?token=a-long-word#scene=scenes/beam.xml&color=velocity&range=0,2&k=77`);
    await drawn(linked);
    assert.deepEqual(await linked.evaluate(() => [souple.settings.color, souple.settings.range, souple.settings.k]), ["velocity", [0, 2], 77]);
    for (const [query, said] of [["", /token is missing/], ["?token=other", /token .* is wrong/]]) {
        await linked.goto("about:blank");
        await linked.goto(root + query);
        await linked.waitForFunction((s) => new RegExp(s).test(document.querySelector(".banner.gone")?.textContent), said.source, WAIT);
    }
    await shot(linked, "token");
    await server.stop();
    console.log("ok   a link keeps its colours, a wrong token is reported");
} catch (e) {
    failures++;
    console.log(`FAIL a link keeps its colours, a wrong token is reported\n${e.stack}`);
}

// in a frame of another page, as in a notebook, where that page is allowed; another one stays empty
try {
    const server = await serve(join(scenes, "beam.xml"), "--frame", "http://127.0.0.1:*");
    const cell = createPageServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(`<iframe src="${server.url}" width="900" height="500"></iframe>`));
    await new Promise((done) => cell.listen(0, "127.0.0.1", done));
    const { port } = cell.address();
    const notebook = await browser.newPage();
    await notebook.goto(`http://127.0.0.1:${port}/`);
    const frame = await (await notebook.waitForSelector("iframe")).contentFrame();
    await frame.waitForFunction(() => window.souple?.bodies?.frame && souple.stage.frames > 0 && souple.boxed, null, WAIT);
    await shot(notebook, "frame");
    await notebook.goto(`http://localhost:${port}/`);
    const refused = await (await notebook.waitForSelector("iframe")).contentFrame();
    await notebook.waitForTimeout(500);
    assert.equal(await refused.evaluate(() => typeof window.souple), "undefined");
    await notebook.close();
    cell.close();
    await server.stop();
    console.log("ok   the page is shown in a frame of the pages that may");
} catch (e) {
    failures++;
    console.log(`FAIL the page is shown in a frame of the pages that may\n${e.stack}`);
}
await browser.close();
console.log(failures ? `${failures} failed` : `all ${tests.length + 3} passed; screenshots in ${out}`);
process.exit(failures ? 1 : 0);
