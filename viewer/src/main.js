import "./css/base.css";
import "./css/layout.css";
import "./css/widgets.css";
import { App } from "./app.js";
import { h } from "./ui/dom.js";

// a page that cannot draw says so, instead of staying empty
function start() {
    const root = document.getElementById("app");
    try {
        // a handle for the console and for tests; nothing of the page depends on it
        window.souple = new App(root);
    } catch (e) {
        console.error(e);
        root.replaceChildren(h("div", { class: "empty" }, h("h2", {}, "This page cannot draw"), h("p", {}, /webgl/i.test(e.message) ? "It needs WebGL, which this browser does not offer. Try another browser, or turn on hardware acceleration." : e.message)));
    }
}

start();
