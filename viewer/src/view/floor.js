// A grid below the scene, lines at 1, 2 or 5 times a power of ten, fading outwards; it takes the shadows.
import * as THREE from "three";
import { tickStep } from "../format.js";

const PIECES = 24;  // of a line, each with an opacity of its own

function gridLines(radius, step) {
    const at = [], colors = [];
    const fade = (x, y) => Math.max(0, 1 - Math.hypot(x, y) / radius) ** 1.5;
    const put = (x, y, strong) => {
        at.push(x, 0, y);
        colors.push(1, 1, 1, fade(x, y) * (strong ? 0.75 : 0.38));
    };
    const lines = Math.floor(radius / step);
    for (let i = -lines; i <= lines; i++) {
        const c = i * step, strong = i % 5 === 0;
        for (let k = 0; k < PIECES; k++) {
            const a = radius * (-1 + (2 * k) / PIECES), b = radius * (-1 + (2 * (k + 1)) / PIECES);
            if (Math.min(Math.hypot(a, c), Math.hypot(b, c)) > radius) continue;
            put(a, c, strong), put(b, c, strong), put(c, a, strong), put(c, b, strong);
        }
    }
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
    g.setAttribute("color", new THREE.Float32BufferAttribute(colors, 4));
    return g;
}

export function makeFloor(box, up, size) {
    const group = new THREE.Group();
    const step = tickStep(size, 10);
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    const lines = new THREE.LineSegments(gridLines(1.6 * size, step), material);
    const shadow = new THREE.Mesh(new THREE.CircleGeometry(1.6 * size, 48).rotateX(-Math.PI / 2),
        new THREE.ShadowMaterial({ opacity: 0.2 }));
    shadow.receiveShadow = true;
    lines.renderOrder = -1;
    group.add(shadow, lines);
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    const centre = box.getCenter(new THREE.Vector3());
    // the lowest corner of the box along "up", whichever way that points
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const drop = Math.abs(half.x * up.x) + Math.abs(half.y * up.y) + Math.abs(half.z * up.z);
    group.position.copy(centre).addScaledVector(up, -drop - 0.002 * size);
    return {
        group,
        step,
        setColor(color, theme) {
            material.color.set(color);
            shadow.material.opacity = theme === "dark" ? 0.45 : 0.2;
        },
        setShadows(on) {
            shadow.visible = on;
        },
    };
}
