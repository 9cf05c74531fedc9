// What this page shows and how; not what the simulation does. Kept in the address, theme and layout also in the browser.

const KEPT = "souple-viewer";

export function defaultSettings(window, software) {
    const narrow = window.innerWidth <= 900;
    return {
        color: null, range: null, visual: true, wire: false, mesh: false, hull: false, fixed: true, loads: true, grid: true,
        shadow: !software, hand: true, k: null,
        theme: window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
        panel: !narrow, plots: false,
    };
}

// storage may be forbidden; the page then just forgets
export function loadKept() {
    try {
        const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
        return ["light", "dark"].includes(kept.theme) ? { theme: kept.theme } : {};
    } catch {
        return {};
    }
}

export function keep(settings) {
    try {
        localStorage.setItem(KEPT, JSON.stringify({ theme: settings.theme }));
    } catch {
        // nothing depends on it
    }
}
