// One surface as it is drawn: vertices split at creases, normals and colours that follow the positions sent.
import * as THREE from "three";
import { isSolid, smoothNormals, splitAtCreases } from "./crease.js";
import { Outline } from "./outline.js";
import { bodyMaterial, stripMaterial } from "./material.js";

const TUBE_LIMIT = 0.3;  // of tubes everything but the lids at the ends is round
const THIN_LIMIT = -1;   // thin strands have three sides, no stripe, and are round all over

function limitOf(topology, info) {
    if (info.kind !== "rod") return undefined;
    return info.surface === 0 && !topology.stripes ? THIN_LIMIT : TUBE_LIMIT;
}

// the tone of a stripe over that of the body, as in the engine's pictures: darker, lighter where the body is nearly black
function stripeTone(look) {
    const c = new THREE.Color().setRGB(...look.color, THREE.SRGBColorSpace);
    const dark = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b < 0.02;
    return [c.r, c.g, c.b].map((v) => (dark ? 0.8 + 0.2 / Math.max(v, 1e-3) : 0.3));
}

export class SurfaceMesh {
    // topology: a decoded frame; info: the surface in hello.bodies, with the body's number and kind
    constructor(topology, info, first) {
        this.topology = topology;
        this.info = info;
        this.split = splitAtCreases(first, topology.faces, topology.stripes, limitOf(topology, info));
        this.count = this.split.source.length;
        this.sent = first.slice();  // positions as they came, for picking and marks
        this.values = null;
        this.solid = isSolid(first, topology.faces);
        this.geometry = this.makeGeometry();
        this.material = this.makeMaterial();
        this.mesh = new THREE.Mesh(this.geometry, this.material);
        this.mesh.frustumCulled = false;
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.userData.surfaceMesh = this;
        this.wire = null;
        this.outline = null;
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
        g.setAttribute("share", dynamic(1));  // place on the colour scale
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
        const m = bodyMaterial(this.info.look, { vertexColors: !!this.geometry.attributes.color });
        this.setOpacity(this.info.look.opacity, m);
        return m;
    }

    // back faces of a solid are seen only through it, or where it is cut
    setOpacity(opacity, m = this.material) {
        const clear = opacity < 1, side = this.solid && !clear && !m.clippingPlanes ? THREE.FrontSide : THREE.DoubleSide;
        if (m.transparent !== clear || m.side !== side) m.needsUpdate = true;
        Object.assign(m, { opacity, transparent: clear, depthWrite: !clear, side });
        m.uniforms.opacity.value = opacity;
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
        const on = texture && this.values ? texture : null, m = this.material;
        if (m.uniforms.scale.value !== on) {
            if (!!m.uniforms.scale.value !== !!on) {
                if (on) m.defines.FIELD = 1;
                else delete m.defines.FIELD;
                m.needsUpdate = true;
                this.dropOutline();
            }
            m.uniforms.scale.value = on;
        }
        if (!on) return;
        const a = this.geometry.attributes.share, { source } = this.split;
        for (let i = 0; i < this.count; i++) a.array[i] = share(this.values[source[i]]);
        a.needsUpdate = true;
    }

    // planes of three.js, or null
    setClip(planes) {
        for (const m of [this.material, this.wire?.material]) if (m) m.clippingPlanes = planes;
        this.dropOutline();
        this.setOpacity(this.material.uniforms.opacity.value);
    }

    // the drawn edges of all faces; made when first asked for
    setWire(on, color) {
        if (on && !this.wire) {
            const material = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.42, depthWrite: false, clippingPlanes: this.material.clippingPlanes });
            this.wire = new THREE.Mesh(this.geometry, material);
            this.wire.frustumCulled = false;
            this.mesh.add(this.wire);
        }
        if (!this.wire) return;
        this.wire.visible = on;
        this.wire.material.color.set(color);
    }

    // a smooth edge, where nothing else makes it smooth; clear bodies have none
    drawOutline(camera, height) {
        const on = this.mesh.visible && this.material.visible && !this.material.transparent;
        if (this.outline) this.outline.mesh.visible = on;
        if (!on) return;
        if (!this.outline) {
            this.outline = new Outline(this, stripMaterial(this.material));
            this.mesh.add(this.outline.mesh);
        }
        this.outline.update(camera, height);
    }

    dropOutline() {
        if (!this.outline) return;
        this.mesh.remove(this.outline.mesh);
        this.outline.dispose();
        this.outline = null;
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
        this.dropOutline();
    }
}
