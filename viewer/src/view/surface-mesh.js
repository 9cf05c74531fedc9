// One surface as it is drawn: vertices split at creases, normals and colours that follow the positions sent.
import * as THREE from "three";
import { smoothNormals, splitAtCreases } from "./crease.js";

const TUBE_LIMIT = 0.3;  // of tubes everything but the lids at the ends is round

// the tone of a stripe over that of the body, as in the engine's pictures: darker, lighter where the body is nearly black
function stripeTone(look) {
    const c = new THREE.Color().setRGB(...look.color, THREE.SRGBColorSpace);
    const dark = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b < 0.02;
    return [c.r, c.g, c.b].map((v) => (dark ? 0.8 + 0.2 / Math.max(v, 1e-3) : 0.3));
}

export class SurfaceMesh {
    // topology: a decoded frame; info: the surface in hello.bodies, with the body's number and kind
    constructor(topology, info, first, plain = false) {
        this.topology = topology;
        this.info = info;
        this.plain = plain;
        this.split = splitAtCreases(first, topology.faces, topology.stripes, info.kind === "rod" ? TUBE_LIMIT : undefined);
        this.count = this.split.source.length;
        this.sent = first.slice();  // positions as they came, for picking and marks
        this.values = null;
        this.geometry = this.makeGeometry();
        this.material = this.makeMaterial();
        this.mesh = new THREE.Mesh(this.geometry, this.material);
        this.mesh.frustumCulled = false;
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.userData.surfaceMesh = this;
        this.wire = null;
        this.setPositions(first);
    }

    makeGeometry() {
        const g = new THREE.BufferGeometry();
        const dynamic = (size) => {
            const a = new THREE.BufferAttribute(new Float32Array(size * this.count), size);
            a.setUsage(THREE.DynamicDrawUsage);
            return a;
        };
        g.setAttribute("position", dynamic(3));
        g.setAttribute("normal", dynamic(3));
        g.setAttribute("uv", dynamic(2));  // place on the colour scale; constant in the second
        g.setIndex(new THREE.BufferAttribute(this.split.index, 1));
        const { colors, stripes } = this.topology;
        if (colors || stripes) g.setAttribute("color", new THREE.BufferAttribute(this.tints(colors, stripes), 4));
        // the sphere is set by the size of the scene and never asked for: bounds of a moving thing cost a pass each frame
        g.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
        return g;
    }

    // colours of the vertices, darker on stripes
    tints(colors, stripes) {
        const out = new Float32Array(4 * this.count).fill(1);
        const { source, index } = this.split;
        if (colors) for (let i = 0; i < this.count; i++) out.set(colors.subarray(4 * source[i], 4 * source[i] + 4), 4 * i);
        const tone = stripeTone(this.info.look), done = new Uint8Array(this.count);
        if (stripes)
            for (let c = 0; c < index.length; c++)
                if (stripes[Math.floor(c / 3)] && !done[index[c]]) {
                    done[index[c]] = 1;  // faces share their vertices: each once
                    for (let k = 0; k < 3; k++) out[4 * index[c] + k] *= tone[k];
                }
        return out;
    }

    makeMaterial() {
        const { look } = this.info;
        const clear = look.opacity < 1;
        const common = {
            color: new THREE.Color().setRGB(...look.color, THREE.SRGBColorSpace),
            opacity: look.opacity,
            transparent: clear,
            depthWrite: !clear,
            side: THREE.DoubleSide,
            vertexColors: !!this.geometry.attributes.color,
            polygonOffset: true,
            polygonOffsetFactor: 1,
            polygonOffsetUnits: 1,
        };
        if (this.plain) return new THREE.MeshLambertMaterial(common);
        // without surroundings to mirror, metal would be black
        return new THREE.MeshStandardMaterial({ ...common, roughness: Math.max(0.25, look.roughness), metalness: Math.min(0.35, look.metallic) });
    }

    update({ positions, values }) {
        this.setPositions(positions);
        this.values = values;
    }

    setPositions(positions) {
        this.sent.set(positions);
        const { source, index } = this.split;
        const p = this.geometry.attributes.position, out = p.array;
        for (let i = 0; i < this.count; i++) {
            const s = 3 * source[i];
            out[3 * i] = positions[s], out[3 * i + 1] = positions[s + 1], out[3 * i + 2] = positions[s + 2];
        }
        p.needsUpdate = true;
        smoothNormals(out, index, this.geometry.attributes.normal.array);
        this.geometry.attributes.normal.needsUpdate = true;
    }

    // texture: of the colour scale, null for the body's own colour; share: from a value to a place on it
    paint(texture, share) {
        const on = texture && this.values ? texture : null;
        if (this.material.map !== on) {
            this.material.map = on;
            const { look } = this.info;
            this.material.color.setRGB(...(on ? [1, 1, 1] : look.color), THREE.SRGBColorSpace);
            this.material.needsUpdate = true;
        }
        if (!on) return;
        const uv = this.geometry.attributes.uv, { source } = this.split;
        for (let i = 0; i < this.count; i++) {
            uv.array[2 * i] = share(this.values[source[i]]);
            uv.array[2 * i + 1] = 0.5;
        }
        uv.needsUpdate = true;
    }

    // places on the colour scale of the vertices drawn
    shares() {
        return this.geometry.attributes.uv.array.filter((_, i) => i % 2 === 0);
    }

    // the drawn edges of all faces; made when first asked for
    setWire(on, color) {
        if (on && !this.wire) {
            const material = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.42, depthWrite: false });
            this.wire = new THREE.Mesh(this.geometry, material);
            this.wire.frustumCulled = false;
            this.mesh.add(this.wire);
        }
        if (!this.wire) return;
        this.wire.visible = on;
        this.wire.material.color.set(color);
    }

    // a point of a face where it is now, into a vector
    pointOf(face, weights, out) {
        out.set(0, 0, 0);
        for (let k = 0; k < 3; k++) {
            const v = 3 * this.topology.faces[3 * face + k];
            out.x += weights[k] * this.sent[v], out.y += weights[k] * this.sent[v + 1], out.z += weights[k] * this.sent[v + 2];
        }
        return out;
    }

    vertex(v, out) {
        return out.set(this.sent[3 * v], this.sent[3 * v + 1], this.sent[3 * v + 2]);
    }

    dispose() {
        this.geometry.dispose();
        this.material.dispose();
        this.wire?.material.dispose();
    }
}
