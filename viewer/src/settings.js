// What this page shows and how; not what the simulation does. Kept in the address, theme and shadows also in the browser.

const KEPT = "souple-viewer";

export function defaultSettings(window) {
    const narrow = window.innerWidth <= 900;
    return {
        color: null, range: null, visual: true, wire: false, mesh: false, hull: false, interfaces: false, fixed: true, loads: true, contacts: false, grid: true,
        shadow: null,  // on where frames allow
        hand: true, k: null,
        clip: null,  // that of the scene; false: none; or a point and a unit normal
        theme: window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
        panel: !narrow, plots: false,
    };
}

const ENOUGH = 12;  // ms that a picture with shadows may take: the simulation and the browser want their part of a frame

// times: of some pictures with shadows [ms]
export function framesAllow(times) {
    const sorted = times.slice().sort((a, b) => a - b);
    return sorted.length > 0 && sorted[sorted.length >> 1] <= ENOUGH;
}

// storage may be forbidden; the page then just forgets
export function loadKept() {
    try {
        const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
        return { ...(["light", "dark"].includes(kept.theme) && { theme: kept.theme }), ...(typeof kept.shadow === "boolean" && { shadow: kept.shadow }) };
    } catch {
        return {};
    }
}

export function keep(settings) {
    try {
        localStorage.setItem(KEPT, JSON.stringify({ theme: settings.theme, shadow: settings.shadow }));
    } catch {
        // nothing depends on it
    }
}
