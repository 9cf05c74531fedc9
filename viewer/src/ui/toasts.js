// Short messages over the stage. Errors stay until they are read, the same one is not piled up.
import { h } from "./dom.js";
import { icon } from "./icons.js";

const MOST = 4;

export class Toasts {
    constructor(holder) {
        this.root = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
        holder.append(this.root);
    }

    // link: { href, text, download }; button: { text, act }
    show(text, { bad = false, link = null, button = null, ms = bad ? 12000 : 4500 } = {}) {
        for (const t of this.root.children) if (t.dataset.text === text) t.remove();
        while (this.root.children.length >= MOST) this.root.firstChild.remove();
        const close = h("button", { title: "Dismiss", "aria-label": "Dismiss", onclick: () => toast.remove() }, icon("close"));
        const toast = h("div", { class: `toast ${bad ? "bad" : ""}` }, h("span", {}, text),
            button && h("button", { class: "act", onclick: () => (toast.remove(), button.act()) }, button.text), link && h("a", { href: link.href, download: link.download ?? "" }, link.text), close);
        toast.dataset.text = text;
        if (bad) toast.setAttribute("role", "alert");
        this.root.append(toast);
        setTimeout(() => toast.remove(), ms);
        return toast;
    }

    bad(text) {
        console.warn(text);
        this.show(text, { bad: true });
    }
}
