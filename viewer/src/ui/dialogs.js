// The two dialogs: the list of scenes and the help. Both are <dialog>, which keeps the focus and closes on Escape.
import { explain, h } from "./dom.js";
import { icon } from "./icons.js";
import { GESTURES, KEYS, keyName } from "./keys.js";
import { fileButton } from "./open.js";

function shell(className, title, extra, content) {
    const dialog = h("dialog", { class: className, "aria-label": title });
    const close = h("button", { class: "button plain square", title: "Close (Esc)", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"));
    dialog.append(h("header", {}, h("h2", {}, title), extra ?? h("span", { class: "space" }), close), h("div", { class: "scroll" }, content));
    dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
    return dialog;
}

export function helpDialog() {
    const gestures = h("section", { class: "gestures" }, h("h3", {}, "Mouse and fingers"),
        h("dl", {}, GESTURES.map(([what, does]) => [h("dt", {}, h("kbd", {}, what)), h("dd", {}, does)])));
    const groups = KEYS.map((g) => h("section", {}, h("h3", {}, g.title), h("dl", {}, g.keys.map(([keys, does]) => [
        h("dt", {}, keys.length > 2 ? [h("kbd", {}, keyName(keys[0])), " – ", h("kbd", {}, keyName(keys.at(-1)))] : keys.map((k) => h("kbd", {}, keyName(k)))),
        h("dd", {}, does)]))));
    const note = h("p", { class: "note", style: { marginTop: "1.2rem" } },
        "Everything here is computed by the engine; the page only shows it and passes on what you do. The address of the page holds the state of its controls: a copied link shows the same view.");
    return shell("help", "Keys and gestures", null, [h("div", { class: "keys" }, gestures, ...groups), note]);
}

const HUES = [186, 24, 268, 340, 140, 45, 215];
const GLYPHS = {
    rods: '<path d="M6 3c9 2-6 6 3 9s8 5 3 9" />',
    organs: '<path d="M3 12c0-5 5-7 9-6 6 1 9 3 9 6s-5 3-7 5-11 2-11-5z"/>',
    plain: '<path d="M4 8l8-4 8 4v8l-8 4-8-4z"/><path d="M4 8l8 4 8-4M12 12v8"/>',
};

// folders of the scenes in the order of the gallery; others follow under their own names
const SECTIONS = [["opened", "Your own"], ["", "First steps"], ["organs", "Organs"], ["contact", "Contact with friction"], ["rigid", "Rigid bodies that spin"], ["rods", "Hair, threads and ribbons"], ["robust", "Squeezed flat, and back"],
    ["updated", "Tori that turn: factors updated while the body moves"], ["peers", "Measured beside other engines"]];
const placeOf = (group) => (SECTIONS.findIndex(([name]) => name === group) + SECTIONS.length + 1) % (SECTIONS.length + 1);

// drawn by `souple render` when the page is built (vite.config.js lists them); a scene of one's own has none
function thumbnail(scene) {
    const name = /(?:^|\/)scenes\/(.+)\.xml$/.exec(scene.path)?.[1];
    return THUMBNAILS.includes(name) ? h("img", { class: "thumb", src: `thumbs/${name}.png`, alt: "", loading: "lazy", width: 320, height: 200 }) : null;
}

function card(scene, current, choose, why) {
    const hue = HUES[[...(scene.group || "scenes")].reduce((s, c) => s + c.charCodeAt(0), 0) % HUES.length];
    const glyph = h("span", { class: "glyph", style: { background: `hsl(${hue} 45% 42%)` }, "aria-hidden": "true" });
    glyph.innerHTML = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" stroke-linecap="round">${GLYPHS[scene.group] ?? GLYPHS.plain}</svg>`;
    return h("button", { class: `card ${current === scene.number ? "on" : ""}`, disabled: !!why, title: why || scene.path, onclick: () => choose(scene) },
        thumbnail(scene) ?? glyph, h("b", {}, scene.title || scene.path), h("small", {}, scene.path.split("/").pop()));
}

export class Gallery {
    constructor(choose, open) {
        this.choose = choose;
        this.file = fileButton("download", "Open a scene", "A scene of your own, from a file (.xml)", ".xml", open);
        this.list = h("div", { class: "gallery" });
        this.search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search scenes", oninput: () => this.fill() });
        this.root = shell("scenes", "Scenes", [this.search, this.file.button, this.file.input], this.list);
        this.scenes = [];
        this.search.addEventListener("keydown", (e) => e.key === "Enter" && this.list.querySelector(".card:not(:disabled)")?.click());
    }

    // why: no scene can be chosen now; "": one can
    set(scenes, current, why) {
        Object.assign(this, { scenes, current, why });
        this.file.button.disabled = !!why;
        explain(this.file.button, why);
        if (this.root.open) this.fill();
    }

    open() {
        this.search.value = "";
        this.fill();
        if (!this.root.open) this.root.showModal();
        this.search.focus();
    }

    fill() {
        const wanted = this.search.value.trim().toLowerCase();
        const found = this.scenes.filter((s) => `${s.title} ${s.path}`.toLowerCase().includes(wanted));
        const groups = [...new Set(found.map((s) => s.group))].sort((a, b) => placeOf(a) - placeOf(b) || a.localeCompare(b));
        const parts = [];
        if (this.why) parts.push(h("p", { class: "note" }, this.why));
        for (const g of groups)
            parts.push(h("h3", {}, SECTIONS.find(([name]) => name === g)?.[1] ?? g), h("div", { class: "cards" }, found.filter((s) => s.group === g).map((s) =>
                card(s, this.current, (scene) => (this.root.close(), this.choose(scene)), this.why))));
        if (!found.length) parts.push(h("p", { class: "note" }, this.scenes.length ? `No scene is called “${this.search.value}”.` : "The server knows no scenes: start it in a folder with scenes/."));
        this.list.replaceChildren(...parts);
    }
}
