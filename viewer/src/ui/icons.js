// Line drawings on a field of 24, in the colour of the text around them.

const PATHS = {
    play: '<path d="M7 4.5v15l12-7.5z" fill="currentColor" stroke="none"/>',
    pause: '<path d="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" fill="currentColor" stroke="none"/>',
    step: '<path d="M5 5v14l9-7z" fill="currentColor" stroke="none"/><path d="M17.5 5v14" stroke-width="2.5"/>',
    reset: '<path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5"/><path d="M7.2 2.8v4.2h4.2" />',
    fit: '<path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5"/><circle cx="12" cy="12" r="2.2"/>',
    home: '<path d="M4 11l8-7 8 7"/><path d="M6 9.5V20h12V9.5"/>',
    camera: '<path d="M4 8h3l2-3h6l2 3h3v11H4z"/><circle cx="12" cy="13" r="3.5"/>',
    record: '<circle cx="12" cy="12" r="6" fill="currentColor" stroke="none"/>',
    stop: '<path d="M6 6h12v12H6z" fill="currentColor" stroke="none"/>',
    sun: '<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2.5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3L7 7M17 17l1.7 1.7M5.3 18.7L7 17M17 7l1.7-1.7"/>',
    moon: '<path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z"/>',
    help: '<circle cx="12" cy="12" r="9"/><path d="M9.3 9.3a2.8 2.8 0 1 1 3.9 2.9c-.9.5-1.2 1-1.2 1.9"/><path d="M12 17.2v.1" stroke-width="2.4"/>',
    sliders: '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
    plots: '<path d="M4 4v16h16"/><path d="M7 15l4-5 3 3 5-7"/>',
    scenes: '<path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z"/>',
    hand: '<path d="M8 12V6.2a1.5 1.5 0 0 1 3 0V11V4.8a1.5 1.5 0 0 1 3 0V11V6.5a1.5 1.5 0 0 1 3 0V14c0 4-2.300 6.500-5.500 6.500-2.500 0-4-1.200-5.300-3.500L4 13.200a1.500 1.500 0 0 1 2.500-1.700z"/>',
    close: '<path d="M6 6l12 12M18 6L6 18"/>',
    link: '<path d="M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1"/><path d="M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1"/>',
    download: '<path d="M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14"/>',
    image: '<path d="M4 5h16v14H4z"/><path d="M4 16l5-5 4 4 3-3 4 4"/><circle cx="15.500" cy="9" r="1.300"/>',
    table: '<path d="M4 5h16v14H4zM4 10h16M4 14.500h16M10 5v14"/>',
    eye: '<path d="M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12z"/><circle cx="12" cy="12" r="2.800"/>',
    pin: '<path d="M9 4h6l-1 6 3 3H7l3-3z"/><path d="M12 13v7"/>',
    ball: '<circle cx="15" cy="9" r="5"/><path d="M3 20l6-6M4 13.500l2.500-2.500M10.500 20.500L13 18"/>',
    probe: '<path d="M20.500 3.500L10 14"/><path d="M12 8.500l3.500 3.500"/><circle cx="7.500" cy="16.500" r="3.500"/>',
    tie: '<circle cx="5.500" cy="18.500" r="2.500"/><circle cx="18.500" cy="5.500" r="2.500"/><path d="M7.500 16.500c3-1 0-4 3-5s2 2 4-1 0-2 2-3.500"/>',
    full: '<path d="M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5"/>',
};

export function icon(name) {
    const holder = document.createElement("span");
    holder.className = "icon";
    holder.setAttribute("aria-hidden", "true");
    holder.innerHTML = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${PATHS[name]}</svg>`;
    return holder;
}
