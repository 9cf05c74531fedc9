// Mouse and fingers on the bodies. A point is picked on the positions shown and sent once, as a face and weights; after that only its
// target is sent. The point is followed on what comes back. Beside the bodies the same gestures turn the view.
import * as THREE from "three";
import { throttle } from "../ui/dom.js";

const NEAR_PIN = 12;  // pixels
const PRESS = 600;    // ms that a finger rests on a body to pin it
const STILL = 10;     // pixels that a resting finger may stray
const EVERY = 1000 / 60;

export class Touch {
    // hooks: { mayDrag(), grab(message) -> promise of the answer, drag(message), drop(slot), pin(body, node), hover(hit | null), refused(text), moved() }
    constructor(stage, bodies, marks, hooks) {
        Object.assign(this, { stage, bodies, marks, hooks });
        this.ray = new THREE.Raycaster();
        this.drags = new Map();  // pointer id -> drag
        this.enabled = true;
        const target = stage.canvas.parentElement;
        // before the view's own gestures, which listen on the canvas
        target.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
        window.addEventListener("pointermove", (e) => this.move(e));
        window.addEventListener("pointerup", (e) => this.up(e));
        window.addEventListener("pointercancel", (e) => this.up(e));
        window.addEventListener("blur", () => this.dropAll());
        this.hover = throttle(60, (e) => this.lookUnder(e));
    }

    aim(e) {
        const r = this.stage.canvas.getBoundingClientRect();
        const p = new THREE.Vector2(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2);
        this.ray.setFromCamera(p, this.stage.camera);
        return this.ray;
    }

    // -> { surfaceMesh, face, weights, point, node } of the nearest face under the pointer. What the clipping plane cuts off is not
    // there, and a cap covers what is behind it
    pick(e, surfaceMeshes = this.bodies.drawn()) {
        const hits = this.aim(e).intersectObjects(surfaceMeshes.map((s) => s.mesh), false);
        const hit = hits.find((x) => !(x.object.userData.surfaceMesh.info.clipped && this.clip?.hides(x.point)));
        const cap = this.clip?.on ? this.bodies.caps.pick(this.ray) : null;
        if (!hit || cap?.distance < hit.distance) return null;
        const surfaceMesh = hit.object.userData.surfaceMesh, face = hit.faceIndex;
        const corner = [0, 1, 2].map((k) => surfaceMesh.vertex(surfaceMesh.topology.faces[3 * face + k], new THREE.Vector3()));
        const b = THREE.Triangle.getBarycoord(hit.point, ...corner, new THREE.Vector3()) ?? new THREE.Vector3(1, 0, 0);
        const w = [b.x, b.y, b.z].map((v) => Math.max(0, v)), sum = w[0] + w[1] + w[2] || 1;
        return { surfaceMesh, face, weights: w.map((v) => v / sum), point: hit.point };
    }

    // the node next to what is under the pointer; embedded surfaces have none, the boundary of their body may
    pickNode(e) {
        const hit = this.pick(e);
        return hit && { hit, node: this.nodeNear(hit.surfaceMesh, hit.point) };
    }

    nodeNear(surfaceMesh, point) {
        const own = surfaceMesh.topology.nodes ? surfaceMesh : this.bodies.withNodes(surfaceMesh.info.body);
        if (!own) return -1;
        let best = -1, least = Infinity;
        const p = new THREE.Vector3();
        for (let v = 0; v < own.topology.vertexCount; v++) {
            const d = own.vertex(v, p).distanceToSquared(point);
            if (d < least) least = d, best = v;
        }
        return own.topology.nodes[best];
    }

    down(e) {
        if (e.button !== 0 || e.target !== this.stage.canvas) return;
        if (e.shiftKey) return this.shiftDown(e);
        if (!this.enabled || e.altKey || e.ctrlKey || e.metaKey) return;
        const hit = this.pick(e);
        if (!hit) return;
        if (hit.surfaceMesh.info.pull === null) return;  // rigid: the view turns instead
        e.stopPropagation();
        document.activeElement?.blur?.();
        this.hooks.hover(null, e);
        if (!this.hooks.mayDrag()) return;
        const drag = this.begin(e, hit);
        // fingers have no Shift; a mouse that holds a body still is only holding it
        if (e.pointerType !== "mouse") drag.press = setTimeout(() => requestAnimationFrame(() => this.pressed(drag, e)), PRESS);
    }

    // A finger that has not moved sets a pin instead of dragging; among several fingers it holds a point. Browsers deliver moves
    // before the next picture: where that takes long, the finger may have moved before this is called.
    pressed(drag, e) {
        if (drag.ended || drag.moved || this.drags.size > 1) return;
        this.up(e);
        const pin = this.pinUnder(e), surfaceMesh = this.bodies.get(drag.body, drag.surface);
        if (pin) this.hooks.pin(pin.body, pin.node);
        else if (surfaceMesh) this.pinNode(surfaceMesh, this.nodeNear(surfaceMesh, drag.from));
    }

    pinNode(surfaceMesh, node) {
        if (node < 0) this.hooks.refused("This surface follows a mesh that is not shown: turn on the mechanical mesh to pin its nodes.");
        else this.hooks.pin(surfaceMesh.info.body, node);
    }

    // a dot of a pin counts as large as a finger, also where it stands on an edge
    pinUnder(e) {
        const r = this.stage.canvas.getBoundingClientRect(), p = new THREE.Vector3();
        for (const [surfaceMesh, v] of this.marks.pins.list ?? []) {
            if (this.clip?.hides(surfaceMesh.vertex(v, p))) continue;
            p.project(this.stage.camera);
            const x = r.left + (0.5 + 0.5 * p.x) * r.width, y = r.top + (0.5 - 0.5 * p.y) * r.height;
            if (Math.hypot(x - e.clientX, y - e.clientY) <= NEAR_PIN) return { body: surfaceMesh.info.body, node: surfaceMesh.topology.nodes[v] };
        }
        return null;
    }

    shiftDown(e) {
        const pin = this.pinUnder(e);
        if (pin) {
            e.stopPropagation();
            this.hooks.pin(pin.body, pin.node);
            return;
        }
        const found = this.pickNode(e);
        if (!found) return;
        e.stopPropagation();
        this.pinNode(found.hit.surfaceMesh, found.node);
    }

    begin(e, hit) {
        const used = new Set([...this.drags.values()].map((d) => d.slot));
        let slot = 0;
        while (used.has(slot)) slot++;
        const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const drag = {
            slot,
            body: hit.surfaceMesh.info.body,
            surface: hit.surfaceMesh.info.surface,
            revision: hit.surfaceMesh.topology.revision,
            generation: this.bodies.generation,
            face: hit.face,
            weights: hit.weights,
            plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point),
            target: hit.point.clone(),
            from: hit.point.clone(),
            screen: [e.clientX, e.clientY],
        };
        drag.send = throttle(EVERY, () => this.send(drag));
        this.drags.set(e.pointerId, drag);
        this.stage.canvas.setPointerCapture(e.pointerId);
        this.stage.controls.enabled = false;
        this.grab(drag, e.pointerId);
        this.follow();
        return drag;
    }

    // the simulation makes an anchor of the point and keeps it until it is let go
    async grab(drag, pointer) {
        const { slot, body, surface, face, weights, revision } = drag, target = drag.target.toArray();
        try {
            await this.hooks.grab({ slot, body, surface, face, weights, revision, target });
        } catch {
            // refused, or no answer in time: whatever the simulation may still take up is let go
            if (!drag.ended) this.end(drag, pointer), this.hooks.drop(slot);
            return;
        }
        drag.held = true;
        if (drag.target.toArray().some((v, k) => v !== target[k])) this.send(drag);
    }

    send(drag) {
        if (drag.held && !drag.ended) this.hooks.drag({ slot: drag.slot, target: drag.target.toArray() });
    }

    move(e) {
        const drag = this.drags.get(e.pointerId);
        if (!drag) return e.target === this.stage.canvas && e.buttons === 0 ? this.hover(e) : undefined;
        if (Math.hypot(e.clientX - drag.screen[0], e.clientY - drag.screen[1]) > STILL) drag.moved = true;
        const p = this.aim(e).ray.intersectPlane(drag.plane, new THREE.Vector3());
        if (!p) return;
        drag.target.copy(p);
        drag.send();
        this.follow();
    }

    up(e) {
        const drag = this.drags.get(e.pointerId);
        if (!drag) return;
        this.end(drag, e.pointerId);
        this.hooks.drop(drag.slot);
    }

    end(drag, pointer) {
        drag.ended = true;
        clearTimeout(drag.press);
        this.drags.delete(pointer);
        this.marks.dropHand(drag.slot);
        if (!this.drags.size) this.stage.controls.enabled = true;
        this.hooks.moved();
    }

    // the window or the controls are lost, or the scene changes: every drag ends
    dropAll(send = true) {
        for (const [pointer, drag] of [...this.drags]) {
            this.end(drag, pointer);
            if (send) this.hooks.drop(drag.slot);
        }
    }

    // the surface has moved: so has the point grabbed
    follow() {
        for (const drag of this.drags.values()) {
            const surfaceMesh = this.bodies.get(drag.body, drag.surface);
            // a rod that grew has other faces; the server still holds the point, its place here is the last known
            if (surfaceMesh && surfaceMesh.topology.revision === drag.revision) surfaceMesh.pointOf(drag.face, drag.weights, drag.from);
            this.marks.setHand(drag.slot, drag.from, drag.target);
        }
        if (this.drags.size) this.hooks.moved();
        this.stage.invalidate();
    }

    first() {
        return this.drags.values().next().value ?? null;
    }

    lookUnder(e) {
        const hit = this.pick(e);
        this.hooks.hover(hit, e, hit || !this.clip?.on ? null : this.bodies.caps.pick(this.ray));
    }
}
