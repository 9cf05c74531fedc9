// Contacts by constraints: a ball at each point, a thin line along the normal, an arrow along the force on the body that can move.
// Contacts are between surfaces, where bodies hide them: these marks are drawn over everything.
import * as THREE from "three";

const COLOR = 0xa61e9c, NORMAL = 0x1a7f5a;
// in sizes of the bodies that can move: radius of a ball, of a shaft, length of an arrowhead, of the longest arrow
const BALL = 0.008, THICK = 0.003, HEAD = 0.035, LONGEST = 0.18;
const NORMAL_LENGTH = 0.06;
const WEAK = 0.02;                   // share of the largest force below which an arrow would be a dot

// what a frame says about all of them: { count, largest, sum }, the largest force of one and the sum of the normal forces [N]
export function contactTotals(contacts) {
    let largest = 0, sum = 0;
    for (let i = 0; i < contacts.count; i++) {
        const f = contacts.force.subarray(3 * i, 3 * i + 3), n = contacts.normal.subarray(3 * i, 3 * i + 3);
        largest = Math.max(largest, Math.hypot(...f));
        sum += f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
    }
    return { count: contacts.count, largest, sum };
}

// the sum of the forces of contact on a body [N]
export function forceOn(contacts, body) {
    const sum = [0, 0, 0];
    for (let i = 0; i < (contacts?.count ?? 0); i++) {
        const sign = contacts.bodies[2 * i] === body ? 1 : contacts.bodies[2 * i + 1] === body ? -1 : 0;
        for (let k = 0; k < 3; k++) sum[k] += sign * contacts.force[3 * i + k];
    }
    return sum;
}

export class Contacts {
    constructor(stage, bodies) {
        this.stage = stage;
        this.bodies = bodies;
        this.size = 0;  // of what can move: a floor may be a hundred times as large
        this.group = new THREE.Group();
        stage.scene.add(this.group);
        this.material = new THREE.MeshBasicMaterial({ color: COLOR, depthTest: false, depthWrite: false, transparent: true });
        this.ball = new THREE.SphereGeometry(1, 12, 8);
        this.shaft = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
        this.head = new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
        const lines = new THREE.LineBasicMaterial({ color: NORMAL, depthTest: false, depthWrite: false, transparent: true });
        this.normals = new THREE.LineSegments(new THREE.BufferGeometry(), lines);
        this.normals.frustumCulled = false;
        this.normals.renderOrder = 4;
        this.group.add(this.normals);
        this.capacity = 0;
        this.meshes = [];
        this.shown = false;
        this.contacts = null;
        this.fixed = new Set();
    }

    // fixed: numbers of bodies that forces do not move
    setBodies(bodies) {
        this.noteBodies(bodies);
        this.size = 0;
        this.set(null);
    }

    noteBodies(bodies) {
        this.fixed = new Set(bodies.filter((b) => !(b.pull > 0)).map((b) => b.body));
    }

    // once for a scene: arrows are compared from frame to frame
    measure() {
        const box = this.bodies.box((info) => info.pull > 0 && !info.added);
        this.size = box.isEmpty() ? this.stage.size : box.getSize(new THREE.Vector3()).length();
    }

    setShown(shown) {
        if (shown === this.shown) return;
        this.shown = shown;
        this.draw();
    }

    setClip(planes) {
        this.material.clippingPlanes = this.normals.material.clippingPlanes = planes;
    }

    // contacts: of a frame; null: none are known
    set(contacts) {
        this.contacts = contacts;
        this.draw();
    }

    reserve(count) {
        if (count <= this.capacity) return;
        this.capacity = Math.ceil(1.5 * count) + 16;
        for (const m of this.meshes) this.group.remove(m), m.dispose();
        this.normals.geometry.dispose();
        this.normals.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * this.capacity), 3));
        this.meshes = [this.ball, this.shaft, this.head].map((g) => {
            const m = new THREE.InstancedMesh(g, this.material, this.capacity);
            m.frustumCulled = false;
            m.renderOrder = 4;
            this.group.add(m);
            return m;
        });
    }

    draw() {
        const list = this.shown ? this.contacts : null, count = list?.count ?? 0;
        this.reserve(count);
        if (count && !this.size) this.measure();
        const { largest } = count ? contactTotals(list) : { largest: 0 };
        const up = new THREE.Vector3(0, 1, 0), f = new THREE.Vector3(), at = new THREE.Vector3(), q = new THREE.Quaternion();
        const m = new THREE.Matrix4(), size = new THREE.Vector3(), still = new THREE.Quaternion();
        let arrows = 0;
        for (let i = 0; i < count; i++) {
            at.fromArray(list.point, 3 * i);
            this.meshes[0].setMatrixAt(i, m.compose(at, still, size.setScalar(BALL * this.size)));
            this.drawNormal(list, i);
            const strength = f.fromArray(list.force, 3 * i).length();
            if (!(strength > WEAK * largest)) continue;
            // on the first body, unless nothing moves it
            if (this.fixed.has(list.bodies[2 * i]) && !this.fixed.has(list.bodies[2 * i + 1])) f.negate();
            q.setFromUnitVectors(up, f.normalize());
            const length = (LONGEST * strength) / largest, head = Math.min(HEAD, 0.6 * length), neck = (length - head) * this.size, r = THICK * this.size;
            this.meshes[1].setMatrixAt(arrows, m.compose(at, q, size.set(r, neck, r)));
            this.meshes[2].setMatrixAt(arrows, m.compose(at.addScaledVector(f, neck), q, size.set(3 * r, head * this.size, 3 * r)));
            arrows++;
        }
        this.meshes.forEach((mesh, k) => {
            mesh.count = k === 0 ? count : arrows;
            mesh.instanceMatrix.needsUpdate = true;
        });
        this.normals.geometry.setDrawRange(0, 2 * count);
        if (count) this.normals.geometry.attributes.position.needsUpdate = true;
        this.stage.invalidate();
    }

    // out of the surface: towards the body that forces move
    drawNormal(list, i) {
        const { array } = this.normals.geometry.attributes.position;
        const sign = this.fixed.has(list.bodies[2 * i]) && !this.fixed.has(list.bodies[2 * i + 1]) ? -1 : 1;
        for (let k = 0; k < 3; k++) {
            array[6 * i + k] = list.point[3 * i + k];
            array[6 * i + 3 + k] = list.point[3 * i + k] + sign * NORMAL_LENGTH * this.size * list.normal[3 * i + k];
        }
    }

    // the contact whose ball is nearest to a place of the canvas, within some pixels; -1: none
    under(x, y, near = 10) {
        const p = new THREE.Vector3(), { clientWidth: w, clientHeight: t } = this.stage.canvas;
        let best = -1, least = near;
        for (let i = 0; this.shown && i < (this.contacts?.count ?? 0); i++) {
            p.fromArray(this.contacts.point, 3 * i).project(this.stage.camera);
            const d = Math.hypot((0.5 + 0.5 * p.x) * w - x, (0.5 - 0.5 * p.y) * t - y);
            if (d < least) least = d, best = i;
        }
        return best;
    }

    get balls() { return this.meshes[0]?.count ?? 0; }
    get arrows() { return this.meshes[1]?.count ?? 0; }
}
