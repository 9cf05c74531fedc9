// What the pointer does besides dragging: throw a ball, poke with a probe, attach and detach. A tool acts on clicks and on moves
// without a button; drags turn the view as ever. Only one tool is selected at a time.
import * as THREE from "three";
import { throttle } from "../ui/dom.js";

export const TOOLS = ["drag", "throw", "probe", "attach"];
const STILL = 6;             // pixels that a click may stray
const NEAR_LINK = 8;         // pixels
const EVERY = 1000 / 60;     // ms between two places of the probe
const NOTCH = 0.012;         // sizes of the bodies: way of the probe for a notch of the wheel or a press of a key
const FLIGHT = 0.8;          // sizes of the bodies: how far from its target a ball begins
const TILT = [0.2, 0.3];     // of the probe against the line of sight, to the right and up: its shaft is seen
const BEFORE = 2.5;          // radii of the probe that it is before what it will touch
const END = "attach";        // name of the line to the second end of a link

// distance of a point from a segment, in two dimensions
export function distanceToSegment(p, a, b) {
    const d = [b[0] - a[0], b[1] - a[1]], length2 = d[0] * d[0] + d[1] * d[1];
    const s = length2 ? Math.min(1, Math.max(0, ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length2)) : 0;
    return Math.hypot(p[0] - a[0] - s * d[0], p[1] - a[1] - s * d[1]);
}

// the velocity with which a ball reaches its target in spite of gravity
export function aimed(from, to, speed, gravity) {
    const way = to.map((v, k) => v - from[k]), length = Math.hypot(...way), t = length / speed;
    return way.map((v, k) => (length ? (speed * v) / length : 0) - 0.5 * gravity[k] * t);
}

export class Tools {
    // hooks: { may() -> bool, gravity(), throw(message), probe(message), unprobe(), attach(message), detach(name), stiffness(strength, bodies, length), selected(tool), moved() }
    constructor(stage, bodies, marks, touch, hooks) {
        Object.assign(this, { stage, bodies, marks, touch, hooks });
        this.tool = "drag";
        this.values = { ball: 0.08, density: 500, speed: 3, probe: 0.03, link: "spring", strength: 3 };  // lengths in sizes of the bodies
        this.pressed = null;  // where a button or a finger went down
        this.depth = null;    // of the tip of the probe before the camera
        this.first = null;    // first end of a link
        const target = stage.canvas.parentElement;
        target.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
        target.addEventListener("wheel", (e) => this.wheel(e), { capture: true, passive: false });
        window.addEventListener("pointermove", (e) => this.move(e));
        window.addEventListener("pointerup", (e) => this.up(e));
        this.sendProbe = throttle(EVERY, () => this.poke());
    }

    // how large the bodies are that can move: a floor may be a hundred times as large
    size() {
        const box = this.bodies.box((info) => info.pull > 0 && !info.added);
        return box.isEmpty() ? this.stage.size : box.getSize(new THREE.Vector3()).length();
    }

    select(tool) {
        if (tool === this.tool) return;
        this.leave();
        this.tool = tool;
        this.hooks.selected(tool);
    }

    // ends what is under way; the tool stays
    leave() {
        if (this.poking) this.hooks.unprobe();
        this.poking = false;
        this.depth = null;
        this.forgetFirst();
    }

    // the controls are gone, and with them the probe
    lose() {
        this.poking = false;
        this.select("drag");
    }

    over(e) { return e.target === this.stage.canvas; }

    down(e) {
        if (this.tool === "drag" || e.button !== 0 || !this.over(e) || e.altKey || e.ctrlKey || e.metaKey) return;
        this.pressed = { id: e.pointerId, at: [e.clientX, e.clientY] };
        if (this.tool !== "probe" || e.pointerType === "mouse") return;
        // a finger pokes, and does not turn the view
        e.stopPropagation();
        this.aimProbe(e);
    }

    move(e) {
        this.pointer = { clientX: e.clientX, clientY: e.clientY, target: e.target };
        if (this.tool === "probe" && (this.over(e) ? e.buttons === 0 || e.pointerType !== "mouse" : false)) this.aimProbe(e);
        if (this.tool === "attach" && this.first && this.over(e)) this.follow();
    }

    up(e) {
        const p = this.pressed;
        if (!p || p.id !== e.pointerId) return;
        this.pressed = null;
        if (Math.hypot(e.clientX - p.at[0], e.clientY - p.at[1]) > STILL || !this.hooks.may()) return;
        document.activeElement?.blur?.();  // keys are for the page, and the canvas needs no frame
        if (this.tool === "throw") this.throwBall(e);
        if (this.tool === "attach") this.clickEnd(e);
    }

    // a place of the screen: where the pointer is, or the middle of the picture
    pointed() {
        const r = this.stage.canvas.getBoundingClientRect();
        return this.pointer && this.over(this.pointer) ? this.pointer : { clientX: r.left + r.width / 2, clientY: r.top + r.height / 2, target: this.stage.canvas };
    }

    // ---- the ball

    throwBall(e = this.pointed()) {
        const { camera, controls } = this.stage, size = this.size(), radius = this.values.ball * size;
        const hit = this.touch.pick(e), { ray } = this.touch.aim(e);
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), controls.target);
        const to = hit?.point ?? ray.intersectPlane(plane, new THREE.Vector3()) ?? controls.target.clone();
        const far = to.distanceTo(ray.origin), at = ray.at(Math.max(Math.min(far, radius), far - FLIGHT * size - 2 * radius), new THREE.Vector3());
        const velocity = aimed(at.toArray(), to.toArray(), this.values.speed * size, this.hooks.gravity());
        return this.hooks.throw({ at: at.toArray(), velocity, radius, density: this.values.density });
    }

    // ---- the probe

    radius() { return this.values.probe * this.size(); }

    // before what is under the pointer, else in the middle of the bodies
    firstDepth(e) {
        const { camera, controls } = this.stage, hit = this.touch.pick(e), ahead = camera.getWorldDirection(new THREE.Vector3());
        const p = hit?.point ?? controls.target;
        return p.clone().sub(camera.position).dot(ahead) - (hit ? BEFORE * this.radius() : 0);
    }

    aimProbe(e) {
        if (!this.hooks.may()) return;
        this.depth ??= this.firstDepth(e);
        this.probeAt = { clientX: e.clientX, clientY: e.clientY };
        this.sendProbe();
    }

    poke() {
        if (this.tool !== "probe" || !this.probeAt) return;
        const { camera } = this.stage, { ray } = this.touch.aim(this.probeAt);
        const along = ray.direction.dot(camera.getWorldDirection(new THREE.Vector3()));
        const tip = ray.at(this.depth / along, new THREE.Vector3());
        this.poking = true;
        this.hooks.probe({ from: this.behind(tip).toArray(), at: tip.toArray(), radius: this.fixedRadius() });
        this.hooks.moved();
    }

    // where the shaft comes from
    behind(tip) {
        const { camera } = this.stage, far = camera.position.distanceTo(tip), right = new THREE.Vector3(), up = new THREE.Vector3();
        camera.matrixWorld.extractBasis(right, up, new THREE.Vector3());
        return camera.position.clone().addScaledVector(right, TILT[0] * far).addScaledVector(up, TILT[1] * far);
    }

    // while it is there, other bodies may come: its size stays
    fixedRadius() {
        if (!this.radiusOf || this.radiusOf.share !== this.values.probe || this.radiusOf.generation !== this.bodies.generation)
            this.radiusOf = { share: this.values.probe, generation: this.bodies.generation, value: this.radius() };
        return this.radiusOf.value;
    }

    wheel(e) {
        if (this.tool !== "probe" || !this.over(e) || e.ctrlKey) return;
        e.preventDefault();
        e.stopPropagation();
        this.deepen(-Math.sign(e.deltaY));
    }

    // notches: away from the camera
    deepen(notches) {
        if (this.tool !== "probe" || !this.hooks.may()) return;
        const e = this.probeAt ?? this.pointed();
        this.depth = Math.max(1e-3 * this.stage.size, (this.depth ?? this.firstDepth(e)) + notches * NOTCH * this.size());
        this.probeAt = { clientX: e.clientX, clientY: e.clientY };
        this.sendProbe();
    }

    // ---- links

    clickEnd(e) {
        const hit = this.touch.pick(e);
        if (!this.first) {
            const link = this.linkUnder(e);
            if (link) this.hooks.detach(link);
            else if (hit) this.takeFirst(hit);
            return;
        }
        const a = this.endOf(this.first.hit), from = this.first.from.clone();
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), from);
        const to = hit?.point ?? this.touch.aim(e).ray.intersectPlane(plane, new THREE.Vector3());
        this.forgetFirst();
        if (!to) return;
        const stiffness = this.values.link === "spring" ? this.hooks.stiffness(this.values.strength, [a.body, hit?.surfaceMesh.info.body], Math.max(from.distanceTo(to), 0.01 * this.size())) : 0;
        this.hooks.attach({ a, stiffness, ...(hit ? { b: this.endOf(hit) } : { to: to.toArray() }) });
    }

    endOf({ surfaceMesh, face, weights }) {
        return { body: surfaceMesh.info.body, surface: surfaceMesh.info.surface, face, weights };
    }

    takeFirst(hit) {
        this.first = { hit, from: hit.point.clone() };
        this.follow();
    }

    forgetFirst() {
        if (this.first) this.marks.dropHand(END);
        this.first = null;
    }

    // the first end is on a body that moves; the line goes to the pointer
    follow() {
        if (!this.first) return;
        const { hit, from } = this.first, surfaceMesh = this.bodies.get(hit.surfaceMesh.info.body, hit.surfaceMesh.info.surface);
        if (!surfaceMesh) return this.forgetFirst();
        surfaceMesh.pointOf(hit.face, hit.weights, from);
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), from);
        const to = this.pointer && this.over(this.pointer) ? this.touch.aim(this.pointer).ray.intersectPlane(plane, new THREE.Vector3()) : null;
        this.marks.setHand(END, from, to ?? from);
        this.stage.invalidate();
    }

    // the name of the link whose line is under the pointer
    linkUnder(e) {
        const r = this.stage.canvas.getBoundingClientRect();
        const screen = (x) => {
            const p = new THREE.Vector3().fromArray(x).project(this.stage.camera);
            return [r.left + (0.5 + 0.5 * p.x) * r.width, r.top + (0.5 - 0.5 * p.y) * r.height];
        };
        for (const { name, a, b } of this.marks.message?.links ?? []) {
            const from = this.marks.placeOf(a), to = this.marks.placeOf(b);
            if (name && from && to && distanceToSegment([e.clientX, e.clientY], screen(from), screen(to)) <= NEAR_LINK) return name;
        }
        return null;
    }
}
