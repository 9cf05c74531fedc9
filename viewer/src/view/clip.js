// The clipping plane: which side of it is drawn, its frame in the view, and moving it by that frame. What its normal points to is
// not drawn. Bodies are clipped by the plane that the last caps belong to, so that caps and surfaces always meet; the frame shows
// the plane as the user has set it.
import * as THREE from "three";

const REACH = 1.06;                  // of the frame, over what the plane passes
const EDGE = { mouse: 7, other: 20 };  // pixels around an edge that take hold of it
const KNOB = { mouse: 12, other: 26 };
const FACING = 0.94;                 // |cos| between normal and view above which the plane follows the height of the pointer
const COLOR = { light: 0x1668b8, dark: 0x6cb6ff };

// a plane as six numbers: point and unit normal
export function planeOf(point, normal) {
    const n = normal.clone().normalize();
    return [...point.toArray(), ...n.toArray()];
}

// Of the box: how far the plane may move along a direction.
export function extentOf(box, direction) {
    const p = new THREE.Vector3();
    let low = Infinity, high = -Infinity;
    for (let k = 0; k < 8; k++) {
        const d = p.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).dot(direction);
        low = Math.min(low, d), high = Math.max(high, d);
    }
    return [low, high];
}

// Where a pointer at the end of a ray takes a point along a line; pixels: height of the pointer's way [m], upwards.
export function slide(from, normal, ray, pixels) {
    const b = normal.dot(ray.direction);
    // seen along the line: up is away from the viewer
    if (Math.abs(b) > FACING) return Math.sign(b) * pixels;
    const w = from.clone().sub(ray.origin);
    return (b * ray.direction.dot(w) - normal.dot(w)) / (1 - b * b);
}

export class Clip {
    // hooks: { moved(plane) }: the user has moved it
    constructor(stage, bodies, hooks) {
        Object.assign(this, { stage, bodies, hooks });
        this.value = null;                // six numbers: as set
        this.plane = new THREE.Plane();   // of three.js: keeps what its normal points to
        this.planes = [this.plane];
        this.on = false;
        this.ray = new THREE.Raycaster();
        this.hold = null;
        this.makeFrame();
        const target = stage.canvas.parentElement;
        // before the gestures on bodies
        target.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
        window.addEventListener("pointermove", (e) => this.move(e), { capture: true });
        for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, (e) => this.up(e));
    }

    makeFrame() {
        this.group = new THREE.Group();
        this.group.visible = false;
        const material = (opacity, depthTest) => new THREE.MeshBasicMaterial({ transparent: true, opacity, depthTest, depthWrite: false });
        // behind a body the frame is faint
        this.materials = [material(0.95, true), material(0.3, false)];
        const rod = new THREE.CylinderGeometry(1, 1, 1, 8), ball = new THREE.SphereGeometry(1, 16, 12);
        this.edges = [], this.knobs = [];
        for (let k = 0; k < 4; k++)
            for (const m of this.materials) {
                const edge = new THREE.Mesh(rod, m), knob = new THREE.Mesh(ball, m);
                for (const o of [edge, knob]) o.frustumCulled = false, o.renderOrder = 4, this.group.add(o);
                this.edges.push({ mesh: edge, k }), this.knobs.push({ mesh: knob, k });
            }
        this.corners = [0, 1, 2, 3].map(() => new THREE.Vector3());
        this.stage.scene.add(this.group);
    }

    get normal() { return new THREE.Vector3().fromArray(this.value, 3); }
    get point() { return new THREE.Vector3().fromArray(this.value); }

    // value: six numbers or null; local: nobody sends caps, so bodies are clipped at once
    set(value, local) {
        this.value = value;
        this.group.visible = !!value;
        if (!value) this.show(null);
        else if (local) this.show(value);
        if (value) this.layFrame();
        this.stage.invalidate();
    }

    // the plane that bodies are clipped by
    show(value) {
        const on = !!value;
        if (on) this.plane.setFromNormalAndCoplanarPoint(new THREE.Vector3().fromArray(value, 3).negate(), new THREE.Vector3().fromArray(value));
        if (on !== this.on) {
            this.on = on;
            this.bodies.setClip(on ? this.planes : null);
        }
        this.stage.moved();
    }

    // cut off: in front of the plane
    hides(point) {
        return this.on && this.plane.distanceToPoint(point) < 0;
    }

    // through the middle, looked at as flat as an axis allows
    facing(box) {
        const to = this.stage.camera.position.clone().sub(this.stage.controls.target), axis = new THREE.Vector3();
        const k = [0, 1, 2].reduce((best, i) => (Math.abs(to.getComponent(i)) > Math.abs(to.getComponent(best)) ? i : best), 0);
        axis.setComponent(k, Math.sign(to.getComponent(k)) || 1);
        return planeOf(box.getCenter(new THREE.Vector3()), axis);
    }

    // ---- the frame: a rectangle around what the plane passes

    layFrame() {
        const { box, up } = this.stage, n = this.normal, p = this.point;
        const u = new THREE.Vector3().crossVectors(up, n);
        if (u.lengthSq() < 1e-6) u.crossVectors(new THREE.Vector3(1, 0, 0), n);
        if (u.lengthSq() < 1e-6) u.crossVectors(new THREE.Vector3(0, 0, 1), n);
        u.normalize();
        const v = new THREE.Vector3().crossVectors(n, u), middle = box.getCenter(new THREE.Vector3());
        middle.addScaledVector(n, p.sub(middle).dot(n));
        const half = [u, v].map((axis) => {
            const [low, high] = extentOf(box, axis);
            return REACH * Math.max(0.5 * (high - low), 1e-9);
        });
        [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach(([a, b], k) => this.corners[k].copy(middle).addScaledVector(u, a * half[0]).addScaledVector(v, b * half[1]));
    }

    // before each picture: as thick on the screen at any distance
    place() {
        if (!this.value) return;
        const { camera, canvas, theme } = this.stage, color = COLOR[theme], strong = this.hold || this.near, eye = camera.position;
        const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / canvas.clientHeight;  // at distance 1
        for (const m of this.materials) m.color.set(color);
        const from = new THREE.Vector3(), up = new THREE.Vector3(0, 1, 0);
        for (const { mesh, k } of this.edges) {
            const a = this.corners[k], way = from.copy(this.corners[(k + 1) % 4]).sub(a), length = Math.max(way.length(), 1e-9);
            mesh.position.copy(a).addScaledVector(way, 0.5);
            const r = (strong ? 1.5 : 0.9) * pixel * eye.distanceTo(mesh.position);
            mesh.quaternion.setFromUnitVectors(up, way.normalize());
            mesh.scale.set(r, length, r);
        }
        for (const { mesh, k } of this.knobs) mesh.position.copy(this.corners[k]), mesh.scale.setScalar((strong ? 7 : 5.5) * pixel * eye.distanceTo(this.corners[k]));
    }

    // ---- moving it

    aim(e) {
        const r = this.stage.canvas.getBoundingClientRect();
        this.ray.setFromCamera(new THREE.Vector2(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2), this.stage.camera);
        return this.ray.ray;
    }

    screen(p) {
        const r = this.stage.canvas.getBoundingClientRect(), q = p.clone().project(this.stage.camera);
        return { x: r.left + (0.5 + 0.5 * q.x) * r.width, y: r.top + (0.5 - 0.5 * q.y) * r.height, seen: Math.abs(q.z) <= 1 };
    }

    // -> the point of the frame under the pointer, or null. An edge behind a body is not taken hold of: the body is
    under(e) {
        if (!this.value || e.target !== this.stage.canvas) return null;
        const kind = e.pointerType === "mouse" ? "mouse" : "other", at = this.corners.map((c) => this.screen(c));
        for (let k = 0; k < 4; k++) if (at[k].seen && Math.hypot(at[k].x - e.clientX, at[k].y - e.clientY) <= KNOB[kind]) return this.corners[k].clone();
        for (let k = 0; k < 4; k++) {
            const a = at[k], b = at[(k + 1) % 4], dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
            if (!a.seen || !b.seen || !length) continue;
            const s = Math.min(1, Math.max(0, ((e.clientX - a.x) * dx + (e.clientY - a.y) * dy) / length));
            if (Math.hypot(a.x + s * dx - e.clientX, a.y + s * dy - e.clientY) > EDGE[kind]) continue;
            const p = this.corners[k].clone().lerp(this.corners[(k + 1) % 4], s), hit = this.hooks.pick(e);
            return hit && hit.point.distanceTo(this.stage.camera.position) < p.distanceTo(this.stage.camera.position) ? null : p;
        }
        return null;
    }

    down(e) {
        const p = e.button === 0 ? this.under(e) : null;
        if (!p) return;
        e.stopImmediatePropagation();
        document.activeElement?.blur?.();
        const { camera, controls, canvas } = this.stage;
        controls.enabled = false;
        canvas.setPointerCapture(e.pointerId);
        const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360) * camera.position.distanceTo(p)) / canvas.clientHeight;
        this.hold = { pointer: e.pointerId, from: p, start: this.value.slice(), y: e.clientY, pixel, before: slide(p, this.normal, this.aim(e), 0) };
        this.stage.invalidate();
    }

    move(e) {
        const { hold } = this;
        if (!hold) return this.lookUnder(e);
        if (e.pointerId !== hold.pointer) return;
        e.stopImmediatePropagation();
        const n = this.normal, way = slide(hold.from, n, this.aim(e), (hold.y - e.clientY) * hold.pixel) - hold.before;
        const start = new THREE.Vector3().fromArray(hold.start), [low, high] = extentOf(this.stage.box, n), at = start.dot(n);
        const to = Math.min(Math.max(high, at), Math.max(Math.min(low, at), at + way));
        this.hooks.moved(planeOf(start.addScaledVector(n, to - at), n));
    }

    // the frame under a mouse is drawn stronger
    lookUnder(e) {
        if (!this.value || e.pointerType !== "mouse" || e.buttons) return;
        const near = !!this.under(e);
        if (near) this.stage.canvas.style.cursor = "move";
        else if (this.near) this.stage.canvas.style.cursor = "";
        if (near !== !!this.near) this.near = near, this.stage.invalidate();
    }

    up(e) {
        if (this.hold?.pointer !== e.pointerId) return;
        this.hold = null;
        this.stage.controls.enabled = true;
        this.stage.invalidate();
    }
}
