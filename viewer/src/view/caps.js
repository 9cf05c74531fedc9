// Caps: the cross sections of bodies with the clipping plane, as the server sends them. They are coloured by the field, or by the
// regions of the body.
import * as THREE from "three";
import { region } from "../colours.js";
import { bodyMaterial } from "./material.js";

const LOOK = { color: [1, 1, 1], opacity: 1, roughness: 0.9, metallic: 0 };

const linear = (rgb) => new THREE.Color().setRGB(...rgb, THREE.SRGBColorSpace).toArray();

class Cap {
    constructor(color) {
        this.color = linear(color);  // of the body
        this.material = bodyMaterial(LOOK, { vertexColors: true });
        Object.assign(this.material, { side: THREE.DoubleSide, transparent: false });
        this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
        this.mesh.frustumCulled = false;
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.userData.cap = this;
        this.capacity = 0;
    }

    // the numbers of vertices and faces change from frame to frame
    reserve(n) {
        if (n <= this.capacity) return;
        this.capacity = Math.ceil(1.5 * n);
        this.mesh.geometry.dispose();
        const g = (this.mesh.geometry = new THREE.BufferGeometry());
        for (const [name, size] of [["position", 3], ["normal", 3], ["share", 1], ["color", 4]]) g.setAttribute(name, new THREE.BufferAttribute(new Float32Array(size * this.capacity), size).setUsage(THREE.DynamicDrawUsage));
        g.setIndex(new THREE.BufferAttribute(new Uint32Array(3 * this.capacity), 1).setUsage(THREE.DynamicDrawUsage));
        g.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
    }

    set(section, normal) {
        this.section = section;
        this.mesh.visible = section.faces.length > 0;
        this.reserve(Math.max(section.vertexCount, section.faces.length / 3));
        const g = this.mesh.geometry, { position, normal: n } = g.attributes;
        position.array.set(section.positions);
        for (let i = 0; i < section.vertexCount; i++) n.array.set(normal, 3 * i);
        g.index.array.set(section.faces);
        g.setDrawRange(0, section.faces.length);
        position.needsUpdate = n.needsUpdate = g.index.needsUpdate = true;
    }

    // opacity: of what has no region
    paint(texture, share, opacity) {
        const { section, material: m } = this, on = texture && section.values ? texture : null;
        if (!!m.uniforms.scale.value !== !!on) {
            if (on) m.defines.FIELD = 1;
            else delete m.defines.FIELD;
            m.needsUpdate = true;
        }
        m.uniforms.scale.value = on;
        const clear = opacity < 1;
        if (m.transparent !== clear) m.transparent = clear, m.needsUpdate = true;
        const a = this.mesh.geometry.attributes, white = [1, 1, 1], colors = new Map();
        for (let i = 0; i < section.vertexCount; i++) {
            const r = section.regions[i];
            if (!colors.has(r)) colors.set(r, [...(on ? white : r ? linear(region(r)) : this.color), r ? 1 : opacity]);
            a.color.array.set(colors.get(r), 4 * i);
            if (on) a.share.array[i] = share(section.values[i]);
        }
        a.color.needsUpdate = a.share.needsUpdate = true;
    }

    dispose() {
        this.mesh.geometry.dispose();
        this.material.dispose();
    }
}

export class Caps {
    constructor(parent) {
        this.group = new THREE.Group();
        parent.add(this.group);
        this.list = new Map();  // body -> Cap
        this.painted = [null, null];
    }

    // sections: of a frame; looks: body -> { color, opacity } that its cap has where there is no region
    set({ normal, list }, looks) {
        this.looks = looks;
        for (const [body, cap] of this.list) if (!list.some((s) => s.body === body)) this.remove(body, cap);
        for (const s of list) {
            if (!this.list.has(s.body)) {
                const cap = new Cap(looks(s.body).color);
                this.list.set(s.body, cap);
                this.group.add(cap.mesh);
            }
            this.list.get(s.body).set(s, normal);
        }
        this.paint(...this.painted);
    }

    paint(texture, share) {
        this.painted = [texture, share];
        for (const [body, cap] of this.list) cap.paint(texture, share, this.looks(body).opacity);
    }

    remove(body, cap) {
        this.group.remove(cap.mesh);
        cap.dispose();
        this.list.delete(body);
    }

    clear() {
        for (const [body, cap] of [...this.list]) this.remove(body, cap);
    }

    // the nearest cap that a ray meets -> { body, distance, point, value } or null
    pick(raycaster) {
        const hit = raycaster.intersectObject(this.group, true)[0];
        if (!hit) return null;
        const { section } = hit.object.userData.cap, { a, b, c } = hit.face, corner = [a, b, c].map((v) => new THREE.Vector3().fromArray(section.positions, 3 * v));
        const w = THREE.Triangle.getBarycoord(hit.point, ...corner, new THREE.Vector3()) ?? new THREE.Vector3(1, 0, 0);
        const value = section.values ? w.x * section.values[a] + w.y * section.values[b] + w.z * section.values[c] : NaN;
        return { body: section.body, distance: hit.distance, point: hit.point, value };
    }
}
