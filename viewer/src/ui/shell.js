// The frame of the page: bar, stage, panel, plots, tabs for narrow screens. Only elements, no behaviour.
import { h } from "./dom.js";
import { icon } from "./icons.js";

function iconButton(name, title, act, className = "") {
    return h("button", { class: `button square ${className}`, title, "aria-label": title, onclick: act }, icon(name));
}

function brand() {
    const b = h("div", { class: "brand", title: "Souple" });
    b.innerHTML = '<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M5 20c0-9 7-14 12-14 6 0 10 4 10 9 0 7-6 11-12 11-6 0-10-2-10-6z" fill="var(--accent)"/><path d="M11 19c1-5 4-7 7-7" fill="none" stroke="var(--surface)" stroke-width="2.4" stroke-linecap="round"/></svg><span>Souple</span>';
    return b;
}

export function buildShell(act) {
    const e = {};
    e.sceneName = h("span", { class: "name" }, "…");
    e.sceneButton = h("button", { class: "button scene-button", title: "Scenes (G)", onclick: act.gallery }, icon("scenes"), e.sceneName);
    e.play = iconButton("play", "Play (Space)", act.playPause, "main");
    e.step = iconButton("step", "One step (.)", act.step);
    e.reset = iconButton("reset", "Reset: the scene from its start (R)", act.reset);
    e.time = h("b", {}, "0.000");
    e.speedText = h("small", {}, "");
    e.control = h("button", { class: "chip gone", title: "Who has the controls (K)", onclick: act.control }, h("span", { class: "dot" }), h("span", { class: "word" }, "connecting"));
    e.recording = iconButton("stop", "Stop recording", act.record, "live hidden");
    e.theme = iconButton("moon", "Light or dark (T)", act.theme, "plain only-wide");
    e.panelButton = iconButton("sliders", "Controls at the side (B)", act.panel, "plain only-wide");
    e.plotsButton = iconButton("plots", "Plots (P)", act.plots, "plain only-wide");
    e.bar = h("header", { class: "bar" }, brand(), e.sceneButton, h("span", { class: "divider" }), h("div", { class: "group" }, e.play, e.step, e.reset),
        h("div", { class: "time", title: "Simulated time" }, h("span", {}, e.time, " s"), e.speedText), h("span", { class: "space only-wide" }), e.recording, e.control,
        h("div", { class: "group only-wide" }, e.plotsButton, e.panelButton, e.theme, iconButton("help", "Keys and gestures (?)", act.help, "plain")));

    e.canvas = h("div", { class: "canvas" });
    e.handButton = iconButton("hand", "Drag bodies; off: only rotate the view (D)", act.hand);
    e.toolButtons = new Map([["throw", iconButton("ball", "Throw a ball: click where it should go (Q)", () => act.tool("throw"))], ["probe", iconButton("probe", "Poke with a probe; the wheel pushes it deeper (E)", () => act.tool("probe"))],
        ["attach", iconButton("tie", "Attach: click two points, or a link to detach it (A)", () => act.tool("attach"))]]);
    e.tools = h("div", { class: "tools", role: "toolbar", "aria-label": "View" }, e.handButton, ...e.toolButtons.values(), iconButton("fit", "Fit what is there (F)", act.fit), iconButton("home", "View as at the start (V)", act.homeView),
        iconButton("camera", "Screenshot (S)", act.screenshot));
    e.hud = h("div", { class: "hud", role: "status", "aria-live": "off" });
    e.tag = h("div", { class: "tag hidden" });
    e.hover = h("div", { class: "hover hidden" });
    e.banner = h("div", { class: "banner hidden", role: "alert" });
    e.warning = h("div", { class: "banner warn hidden", role: "alert" }, e.warningText = h("span", {}), e.hideWarning = h("button", { class: "button small", title: "Not shown again until something else is wrong" }, "Hide"));
    e.empty = h("div", { class: "empty" });
    e.stage = h("main", { class: "stage" }, e.canvas, e.tools, e.hud, e.tag, e.hover, e.empty, h("div", { class: "banners" }, e.banner, e.warning));

    const sheet = (title, close) => h("div", { class: "sheet-head" }, title, h("button", { class: "button plain square", "aria-label": "Close", onclick: close }, icon("close")));
    e.panel = h("aside", { class: "panel", "aria-label": "Controls" }, sheet("Controls", act.panel));
    e.plots = h("section", { class: "plots", "aria-label": "Plots" }, sheet("Plots", act.plots));
    const tab = (name, text, run) => h("button", { onclick: run }, icon(name), text);
    e.tabPanel = tab("sliders", "Controls", act.panel);
    e.tabPlots = tab("plots", "Plots", act.plots);
    e.tabs = h("nav", { class: "tabs", "aria-label": "Sheets" }, e.tabPanel, e.tabPlots, tab("scenes", "Scenes", act.gallery), tab("sun", "Theme", act.theme), tab("help", "Help", act.help));
    return e;
}
