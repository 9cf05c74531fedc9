// The same colours as the engine's pictures (src/io/picture/picture_legend.c), so that a screenshot and a rendered picture agree.

const SCALE = [[0.18, 0.26, 0.62], [0.15, 0.50, 0.75], [0.26, 0.70, 0.66], [0.60, 0.83, 0.52], [0.97, 0.87, 0.41],
    [0.95, 0.58, 0.25], [0.78, 0.17, 0.20]];
// regions: colours that stay apart for most eyes (after Okabe and Ito 2008)
const REGIONS = [[0.78, 0.78, 0.76], [0.90, 0.62, 0.00], [0.34, 0.71, 0.91], [0.00, 0.62, 0.45], [0.94, 0.89, 0.26],
    [0.00, 0.45, 0.70], [0.84, 0.37, 0.00], [0.80, 0.47, 0.65]];

// colour of a share in [0, 1], sRGB
export function scale(share) {
    const s = !(share > 0) ? 0 : share > 1 ? 1 : share;
    const k = Math.min(5, Math.floor(s * 6));
    return SCALE[k].map((c, i) => c + (s * 6 - k) * (SCALE[k + 1][i] - c));
}

export function region(value) {
    return REGIONS[value > 0.5 ? 1 + (Math.floor(value + 0.5) - 1) % 7 : 0];
}

export function css(rgb) {
    return `rgb(${rgb.map((c) => Math.round(255 * c)).join(" ")})`;
}

export function gradient(direction = "to top") {
    const stops = SCALE.map((c, i) => `${css(c)} ${(100 * i / 6).toFixed(1)}%`);
    return `linear-gradient(${direction}, ${stops.join(", ")})`;
}

// one row of sRGB texels, to be looked up by a texture coordinate
export function scaleTexels(width = 256) {
    const out = new Uint8Array(4 * width);
    for (let i = 0; i < width; i++) out.set([...scale(i / (width - 1)).map((c) => Math.round(255 * c)), 255], 4 * i);
    return out;
}

// regions repeat after eight colours, the first of which stands for "none"
export const REGION_TEXELS = 8;
export function regionTexels() {
    const out = new Uint8Array(4 * REGION_TEXELS);
    REGIONS.forEach((c, i) => out.set([...c.map((v) => Math.round(255 * v)), 255], 4 * i));
    return out;
}

export function regionShare(value) {
    const k = value > 0.5 ? 1 + (Math.floor(value + 0.5) - 1) % 7 : 0;
    return (k + 0.5) / REGION_TEXELS;
}

// lines of plots: apart for most eyes (after Okabe and Ito 2008), on light and on dark
export const LINE_HUES = { blue: "#3b8fd4", orange: "#e69f00", green: "#17a67b", red: "#d1495b", purple: "#a568c8", cyan: "#56b4e9", grey: "#8d99a6" };
