// Opening a file of one's own: a button that asks for it, a drop onto the page, and the list of what is wrong in a scene.
import { h, setFlag } from "./dom.js";
import { icon } from "./icons.js";

// a button that asks for a file and passes it on; its input is hidden
export function fileButton(name, text, title, accept, take) {
    const input = h("input", { type: "file", class: "hidden", accept, "aria-hidden": "true", onchange: () => input.files[0] && Promise.resolve(take(input.files[0])).finally(() => (input.value = "")) });
    const button = h("button", { class: "button", title, "aria-label": text, onclick: () => input.click() }, icon(name), h("span", { class: "text" }, text));
    return { button, input };
}

// files dropped anywhere on the page; the stage says so while they are over it
export function acceptDrops(stage, take) {
    const hint = h("div", { class: "drop hidden" }, icon("download"), "Drop a scene (.xml) or a recording to open it");
    stage.append(hint);
    const holdsFiles = (e) => [...(e.dataTransfer?.types ?? [])].includes("Files");
    let inside = 0;  // elements entered and not left
    const over = (n) => setFlag(hint, "hidden", !(inside = Math.max(0, n)));
    window.addEventListener("dragenter", (e) => holdsFiles(e) && (e.preventDefault(), over(inside + 1)));
    window.addEventListener("dragleave", (e) => holdsFiles(e) && over(inside - 1));
    window.addEventListener("dragover", (e) => holdsFiles(e) && e.preventDefault());
    window.addEventListener("drop", (e) => {
        if (!holdsFiles(e)) return;
        e.preventDefault();  // a browser would leave the page to show the file
        over(0);
        if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
    });
}

// What is wrong in a scene, as `souple check` prints it. It stays until it is closed or a scene is built.
export class Problems {
    constructor(holder) {
        this.title = h("h2", {});
        this.list = h("ol", {});
        const close = h("button", { class: "button plain square", title: "Close", "aria-label": "Close the list", onclick: () => this.hide() }, icon("close"));
        this.root = h("section", { class: "problems hidden", role: "alert", "aria-label": "What is wrong in the scene" }, h("header", {}, this.title, close), this.list);
        holder.append(this.root);
    }

    // messages: [{ severity, file, line, text }]
    show(title, messages) {
        this.title.textContent = title;
        this.list.replaceChildren(...messages.map((m) => h("li", { class: m.severity }, h("code", {}, `${m.file.split("/").pop()}${m.line ? `:${m.line}` : ""}`), ` ${m.severity === "warning" ? "warning: " : ""}${m.text}`)));
        setFlag(this.root, "hidden", false);
    }

    hide() {
        setFlag(this.root, "hidden", true);
    }
}
