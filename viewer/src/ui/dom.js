// Elements in one line each. Text is always set as text, never as markup: names come from scene files.

export function h(tag, props = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
        if (value === undefined || value === null) continue;
        if (key === "class") e.className = value;
        else if (key === "style") Object.assign(e.style, value);
        else if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
        else if (key in e && key !== "list" && key !== "form" && key !== "role") e[key] = value;
        else e.setAttribute(key, value);
    }
    e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
    return e;
}

// only when it differs: writing the same text again makes the browser lay it out again
export function setText(e, text) {
    if (e.textContent !== text) e.textContent = text;
}

export function setFlag(e, name, on) {
    if (e.classList.contains(name) !== !!on) e.classList.toggle(name, !!on);
}

// a disabled control says why in its title; "": its own title again
export function explain(e, why) {
    e.dataset.help ??= e.title;
    e.title = why || e.dataset.help;
}

// a file for the user, made here
export function saveFile(name, data, type) {
    const blob = data instanceof Blob ? data : new Blob([data], { type });
    const url = URL.createObjectURL(blob);
    const a = h("a", { href: url, download: name });
    document.body.append(a);
    a.click();
    a.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// at most one call every `ms`, the last one always made
export function throttle(ms, call) {
    let last = -Infinity, timer = 0, args;
    const run = () => {
        last = performance.now();
        timer = 0;
        call(...args);
    };
    return (...now) => {
        args = now;
        if (timer) return;
        const wait = last + ms - performance.now();
        if (wait <= 0) run();
        else timer = setTimeout(run, wait);
    };
}
