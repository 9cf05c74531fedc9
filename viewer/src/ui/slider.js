// A number with a name: slider, field and unit. Moves are sent while they happen, a few dozen a second; a refusal puts the old
// value back.
import { number, quantity, raised, sentence } from "../format.js";
import { fromPlace, readNumber, sliderRange, STEPS, toPlace } from "../ranges.js";
import { h, setFlag, setText, throttle } from "./dom.js";

// options: { label, unit, value, low, high, range, help, marks: [{ at, text, strong }], change(value) -> promise or nothing, live }
export function slider(options) {
    const { label, unit = "", low = null, high = null, help = "", change, live = true } = options;
    const range = options.range ?? sliderRange(options.value, low, high);
    const initial = options.value;
    let value = options.value, agreed = value, busy = 0;
    const bar = h("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": label });
    const field = h("input", { type: "text", inputMode: "decimal", "aria-label": `${label}${unit ? `, in ${unit}` : ""}`, spellcheck: false, autocomplete: "off" });
    const limits = `${low === null ? "no least" : quantity(low, unit)} to ${high === null ? "no greatest" : quantity(high, unit)}`;
    const title = `${help || label}\n${limits}${range.log ? ", logarithmic" : ""}\nDouble-click the slider: back to ${quantity(initial, unit)}`;
    const why = h("small", { class: "why hidden", role: "alert" });
    const root = h("div", { class: "row", title }, h("span", { class: "label" }, label), h("span", { class: "value" }, field, h("span", { class: "unit" }, raised(unit))), why, bar);
    if (options.marks) root.append(scaleOf(range, options.marks));

    const show = (v) => {
        value = v;
        bar.value = toPlace(range, v);
        bar.setAttribute("aria-valuetext", quantity(v, unit));
        if (document.activeElement !== field) field.value = number(v, 4);
        setFlag(root, "changed", Math.abs(v - initial) > 1e-9 * Math.max(Math.abs(initial), Math.abs(v)));
    };
    // why a value is refused, next to it
    const complain = (text) => {
        setText(why, text);
        setFlag(why, "hidden", !text);
    };
    const send = throttle(40, async (v) => {
        busy++;
        try {
            await change(v);
            agreed = v;
            complain("");
        } catch (e) {
            show(agreed);
            complain(sentence(e.message));
        } finally {
            busy--;
        }
    });
    const take = (v) => {
        send(v);
        show(v);
    };
    bar.addEventListener(live ? "input" : "change", () => take(fromPlace(range, Number(bar.value))));
    if (!live) bar.addEventListener("input", () => (field.value = number(fromPlace(range, Number(bar.value)), 4)));
    bar.addEventListener("dblclick", () => take(initial));
    const typed = () => {
        const v = readNumber(field.value);
        const number = Number.isFinite(v), good = number && (low === null || v >= low) && (high === null || v <= high);
        complain(good ? "" : number ? `Must be within ${limits}.` : "Not a number.");
        setFlag(field, "wrong", !good);
        field.setAttribute("aria-invalid", String(!good));
        return good ? v : NaN;
    };
    field.addEventListener("input", typed);
    field.addEventListener("keydown", (e) => {
        if (e.key === "Enter" && Number.isFinite(typed())) take(typed()), field.select();
        if (e.key === "Escape") field.blur();
    });
    field.addEventListener("focus", () => field.select());
    field.addEventListener("blur", () => {
        const v = typed();
        if (Number.isFinite(v) && number(v, 4) !== number(value, 4)) take(v);
        setFlag(field, "wrong", false);
        if (!Number.isFinite(v)) complain("");
        show(value);
    });
    show(value);
    return {
        root,
        get value() { return value; },
        // a value from the server; ignored while the user moves the slider
        set(v) {
            if (busy || bar.matches(":active") || v === value) return;
            agreed = v;
            show(v);
        },
        enable(on) { bar.disabled = field.disabled = !on; },
    };
}

function scaleOf(range, marks) {
    return h("div", { class: "scale", "aria-hidden": "true" }, marks.map((m) => {
        const share = toPlace(range, m.at) / STEPS;
        return h("span", { class: `${share >= 0.999 ? "last" : ""} ${m.strong ? "mark" : ""}`, style: { left: `${100 * share}%` } }, m.text);
    }));
}

export function checkbox(label, value, help, change) {
    // Space plays and pauses, so Enter sets the box
    const box = h("input", { type: "checkbox", checked: value, onchange: () => change(box.checked), onkeydown: (e) => e.key === "Enter" && box.click() });
    const root = h("label", { class: "check", title: help }, box, label);
    return { root, set(v) { box.checked = v; }, enable(on) { box.disabled = !on; } };
}

// options: [{ value, text }]
export function choice(label, options, value, help, change) {
    const select = h("select", { "aria-label": label, onchange: () => change(select.value) },
        options.map((o) => h("option", { value: o.value }, o.text)));
    select.value = value;
    const root = h("div", { class: "row", title: help }, h("span", { class: "label" }, label), select);
    return { root, select, set(v) { if (document.activeElement !== select || select.value !== v) select.value = v; }, enable(on) { select.disabled = !on; } };
}
