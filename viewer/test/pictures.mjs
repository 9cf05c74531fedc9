// The screenshots of docs/page.md and docs/tutorials: node test/pictures.mjs COMMAND OUT [NAME]
//   COMMAND  the souple command, built with the server
//   OUT      where the pictures go
//   NAME     only those whose names begin with it
// Called by tools/pictures.sh page. Needs Chromium (CHROMIUM=path, otherwise /usr/bin/chromium). The figures at the bottom of the
// page are those of the machine at that moment, and a busy one cannot keep real time: the simulation runs at a tenth of it, and
// the picture is taken when no figure is marked as late, or, after a minute, that of the paused simulation.
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [command, out] = process.argv.slice(2, 4).map((p) => resolve(p));
const root = dirname(fileURLToPath(new URL("..", import.meta.url)));
const DIST = join(root, "viewer/dist");
const WAIT = { timeout: 120000 };  // patience, not an expectation
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });

async function picture(name, scene, { width, height, theme, key, drag }) {
    const child = spawn(command, ["view", `scenes/${scene}.xml`, "--port", "8793", "--page", DIST], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    try {
        const url = await new Promise((done) => child.stdout.on("data", (data) => /https?:\/\/\S+/.test(data) && done(/https?:\/\/[^\s,]+/.exec(data)[0])));
        const page = await (await browser.newContext({ viewport: { width, height }, colorScheme: theme })).newPage();
        page.setDefaultTimeout(WAIT.timeout);
        await page.goto(url);
        await page.waitForFunction(() => window.souple?.bodies.frame && souple.stage.frames > 0 && souple.boxed && souple.mine, null, WAIT);
        if (key) await page.keyboard.press(key);
        await page.evaluate(() => souple.link.ask({ type: "play" }));
        await page.waitForFunction(() => souple.bodies.frame.time > 0.5, null, WAIT);
        await page.evaluate(() => souple.link.ask({ type: "speed", value: 0.1 }));
        if (drag) {
            await page.mouse.move(0.35 * width, 0.5 * height);
            await page.mouse.wheel(0, 500);
            await page.waitForTimeout(1500);
            const tip = await page.evaluate(() => {
                const r = souple.stage.canvas.getBoundingClientRect();
                for (let x = r.right; x > r.left; x -= 8)
                    for (let y = r.top; y < r.bottom; y += 8)
                        if (souple.touch.pick({ clientX: x, clientY: y })?.surfaceMesh.info.pull) return [x - 40, y];
                throw new Error("no soft body in the view");
            });
            await page.mouse.move(...tip);
            await page.mouse.down();
            await page.mouse.move(tip[0] + drag[0], tip[1] + drag[1], { steps: 12 });
            const then = await page.evaluate(() => souple.bodies.frame.time);
            await page.waitForFunction((t) => souple.bodies.frame.time > t + 0.7, then, WAIT);
        }
        const late = () => page.evaluate(() => document.querySelector(".late") !== null);
        let good = false;
        for (let i = 0; i < 10 && !good; i++) {
            await page.waitForTimeout(i ? 6000 : 3000);
            if (i === 9) await page.evaluate(() => souple.link.ask({ type: "pause" })), await page.waitForFunction(() => !document.querySelector(".late"), null, WAIT);
            const before = await late();
            await page.screenshot({ path: join(out, `${name}.png`) });
            good = !before && !(await late());
        }
        console.log(`  ${join(out, name)}.png`);
        await page.close();
    } finally {
        child.kill("SIGTERM");
        await new Promise((done) => child.once("exit", done));
    }
}

const only = process.argv[4] ?? "";
if ("page-liver".startsWith(only)) await picture("page-liver", "organs/liver", { width: 1440, height: 900, theme: "light", key: "3", drag: [10, -100] });
if ("page-narrow".startsWith(only)) await picture("page-narrow", "organs/stomach", { width: 390, height: 844, theme: "light" });
if ("page-tutorial".startsWith(only)) await picture("page-tutorial", "tutorials/first-body", { width: 1280, height: 800, theme: "light" });
await browser.close();
