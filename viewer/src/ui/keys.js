// Keyboard shortcuts: one table for the keys and for the help that lists them.

// each: [keys, what it does, action of the page]; keys as KeyboardEvent.key
export const KEYS = [
    { title: "Simulation", keys: [
        [[" "], "play or pause", "playPause"],
        [["."], "one step", "step"],
        [["r"], "reset: the scene from its start", "reset"],
        [["["], "slower", "slower"],
        [["]"], "faster", "faster"],
        [["\\"], "real time", "realTime"],
        [["z"], "undo the last change of a value, pin, ball or link (also Ctrl + Z)", "undo"],
        [["y"], "let contacts act, or not", "contactsAct"],
        [["k"], "request the controls, or pass them on", "control"],
        [["g"], "scenes", "gallery"],
    ] },
    { title: "View", keys: [
        [["f"], "fit what is there", "fit"],
        [["v"], "view as at the start", "homeView"],
        [["w"], "wireframe", "wire"],
        [["m"], "mechanical mesh", "mesh"],
        [["c"], "collision surface", "hull"],
        [["i"], "see inside: clipping plane", "clip"],
        [["n"], "interfaces between regions", "interfaces"],
        [["x"], "fixed nodes", "fixed"],
        [["l"], "loads", "loads"],
        [["o"], "contacts: points, normals and forces", "contacts"],
        [["0", "1", "2", "3", "4", "5", "6", "7"], "colour by nothing, or by a field of the list", "color"],
        [["h"], "hold the range of the colours", "holdRange"],
    ] },
    { title: "Tools", keys: [
        [["d"], "drag bodies, or only rotate the view", "hand"],
        [["q"], "throw a ball; again: to where the pointer is", "throwTool"],
        [["e"], "poke with a probe", "probeTool"],
        [["+", "-"], "probe: deeper, less deep (also the wheel)", "deepen"],
        [["a"], "attach and detach", "attachTool"],
    ] },
    { title: "Page", keys: [
        [["p"], "plots", "plots"],
        [["b"], "controls at the side", "panel"],
        [["t"], "light or dark", "theme"],
        [["s"], "screenshot", "screenshot"],
        [["u"], "copy a link to this view", "link"],
        [["?"], "this help", "help"],
        [["Escape"], "close what is open, end the drag or the tool", "escape"],
    ] },
];

export const GESTURES = [
    ["drag a body", "pull it by a spring; a kinematic one is moved"],
    ["throw: click or tap", "a ball flies there"],
    ["probe: move the pointer, or a finger", "the probe follows; the wheel sets its depth"],
    ["attach: click two points", "a link between them; beside the bodies: to a fixed place"],
    ["attach: click a link", "detach it"],
    ["drag the frame of the clipping plane", "move the plane along its normal"],
    ["Shift + click a body, or a long press", "pin the nearest node, or unpin it"],
    ["drag the background, or Alt + drag", "rotate the view"],
    ["right button, or two fingers", "move the view"],
    ["wheel, or pinch", "nearer, farther"],
];

export function keyName(key) {
    return { " ": "Space", Escape: "Esc" }[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

// What a key asks for, or null; typing into a field is nobody else's business. Space always plays and pauses, also on a focused
// button: Enter presses that one.
export function actionOf(event) {
    const undo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    if (event.altKey || ((event.ctrlKey || event.metaKey) && !undo)) return null;
    const t = event.target;
    const typing = t && (t.tagName === "INPUT" && t.type !== "range" && t.type !== "checkbox" || t.tagName === "SELECT" || t.tagName === "TEXTAREA");
    if (typing) return null;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    for (const group of KEYS) for (const [keys, , action] of group.keys) if (keys.includes(key)) return { action, key };
    return null;
}
