// What is not surface: held nodes, pins, loads, links, and the hand that drags. Dots have a size on the screen, not in the scene, so that
// they are found at any distance; behind a body they are faint.
import * as THREE from "three";

// held by the scene, pinned by the user: colours that differ for most eyes, with a ring that stands out from any body
const HELD = 0x2b3a4d, PIN = 0xf03e8c, RING = 0xffffff;
const HELD_SIZE = 10, PIN_SIZE = 16;  // pixels of the page
const HELD_BEHIND = 0.28, PIN_BEHIND = 0.5;  // opacity of a dot behind a body
const LOAD = 0xd9480f, HAND = 0x1c7ed6;
const MOST_ARROWS = 80;
const LINK = 0x0b7a5c, MOST_LINKS = 200, LINK_SIZE = 4;
const STEEL = 0x3c4146, MOST_MASSES = 200, SMALLEST_MASS = 0.004;  // radius of a light one, in sizes of the bodies

// a disc with a ring, smooth without multisampling; a little nearer than its node, whose faces would cover half of it
function dotMaterial(size, opacity, hidden) {
    return new THREE.ShaderMaterial({
        transparent: true,
        clipping: true,
        depthWrite: false,
        depthFunc: hidden ? THREE.GreaterDepth : THREE.LessEqualDepth,
        uniforms: { color: { value: new THREE.Color() }, ring: { value: new THREE.Color().setHex(RING, THREE.LinearSRGBColorSpace) }, size: { value: size }, ratio: { value: 1 },
            opacity: { value: opacity } },
        vertexShader: `
            #include <clipping_planes_pars_vertex>
            uniform float size, ratio;
            void main() {
                vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
                #include <clipping_planes_vertex>
                gl_Position = projectionMatrix * vec4(0.985 * mvPosition.xyz, 1.0);
                gl_PointSize = size * ratio;
            }`,
        fragmentShader: `
            #include <clipping_planes_pars_fragment>
            uniform vec3 color, ring;
            uniform float size, ratio, opacity;
            void main() {
                #include <clipping_planes_fragment>
                float r = length(gl_PointCoord - 0.5) * size, soft = 0.5 / ratio, most = 0.5 * size;
                float whole = 1.0 - smoothstep(most - 2.0 * soft, most, r), inner = 1.0 - smoothstep(0.66 * most - soft, 0.66 * most + soft, r);
                if (whole <= 0.0) discard;
                gl_FragColor = vec4(mix(ring, color, inner), whole * opacity);
            }`,
    });
}

class Dots {
    constructor(parent, color, size, behind) {
        this.size = size;
        this.geometry = new THREE.BufferGeometry();
        this.seen = new THREE.Points(this.geometry, dotMaterial(size, 1, false));
        this.hidden = new THREE.Points(this.geometry, dotMaterial(size, behind, true));
        this.group = new THREE.Group();
        this.group.visible = false;
        for (const points of [this.hidden, this.seen]) {
            points.frustumCulled = false;
            points.renderOrder = 2;
            points.onBeforeRender = (renderer) => {
                points.material.uniforms.ratio.value = renderer.getPixelRatio();
                points.material.uniformsNeedUpdate = true;
            };
            this.group.add(points);
        }
        this.setColor(color);
        parent.add(this.group);
    }

    setColor(color) {
        for (const p of [this.seen, this.hidden]) p.material.uniforms.color.value.setHex(color, THREE.LinearSRGBColorSpace);
    }

    setClip(planes) {
        for (const p of [this.seen, this.hidden]) p.material.clippingPlanes = planes;
    }

    // list of [surfaceMesh, vertex]
    set(list) {
        this.list = list;
        this.geometry.deleteAttribute("position");
        this.geometry.dispose();
        this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * Math.max(1, list.length)), 3));
        this.geometry.setDrawRange(0, list.length);
        this.group.visible = list.length > 0;
        this.follow();
    }

    follow() {
        if (!this.list?.length) return;
        const a = this.geometry.attributes.position;
        this.list.forEach(([surfaceMesh, v], i) => a.array.set(surfaceMesh.sent.subarray(3 * v, 3 * v + 3), 3 * i));
        a.needsUpdate = true;
    }
}

export class Marks {
    constructor(stage, bodies) {
        this.stage = stage;
        this.bodies = bodies;
        this.group = new THREE.Group();
        stage.scene.add(this.group);
        this.held = new Dots(this.group, HELD, HELD_SIZE, HELD_BEHIND);
        this.pins = new Dots(this.group, PIN, PIN_SIZE, PIN_BEHIND);
        this.makeArrows();
        this.makeMasses();
        this.makeLinks();
        this.hands = new Map();
        this.message = null;
        this.extent = 0;
        this.show = { fixed: true, loads: true };
    }

    makeArrows() {
        const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.72, 10).translate(0, 0.36, 0);
        const head = new THREE.ConeGeometry(0.065, 0.28, 14).translate(0, 0.86, 0);
        const material = new THREE.MeshStandardMaterial({ color: LOAD, roughness: 0.6 });
        this.arrows = [shaft, head].map((g) => {
            const m = new THREE.InstancedMesh(g, material, MOST_ARROWS);
            m.frustumCulled = false;
            m.count = 0;
            this.group.add(m);
            return m;
        });
    }

    makeMasses() {
        this.masses = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 28, 18), new THREE.MeshStandardMaterial({ color: STEEL, roughness: 0.3, metalness: 0.4 }), MOST_MASSES);
        this.masses.frustumCulled = false;
        this.masses.castShadow = true;
        this.masses.count = 0;
        this.group.add(this.masses);
    }

    // lines between the two sides of links, in front of the bodies that they join, and a dot at each tied point
    makeLinks() {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * MOST_LINKS), 3));
        geometry.setDrawRange(0, 0);
        const line = new THREE.LineBasicMaterial({ color: LINK, depthTest: false, transparent: true });
        const dots = new THREE.PointsMaterial({ color: LINK, size: LINK_SIZE, sizeAttenuation: false, depthTest: false, transparent: true });
        this.links = { geometry, count: 0, parts: [new THREE.LineSegments(geometry, line), new THREE.Points(geometry, dots)] };
        for (const part of this.links.parts) {
            part.frustumCulled = false;
            part.renderOrder = 3;
            this.group.add(part);
        }
    }

    clear() {
        this.message = null;
        this.extent = 0;
        this.masses.count = 0;
        this.links.count = 0;
        this.links.geometry.setDrawRange(0, 0);
        this.held.set([]);
        this.pins.set([]);
        this.arrows.forEach((m) => (m.count = 0));
    }

    set(message) {
        this.message = message;
        this.rebuild();
    }

    hasPin(body, node) {
        return (this.message?.pins ?? []).some((p) => p.body === body && p.nodes.includes(node));
    }

    notePin(body, node, on) {
        this.message ??= { held: [], loads: [], pins: [] };
        const pins = (this.message.pins ?? []).map((p) => ({ ...p, nodes: p.body === body ? p.nodes.filter((n) => n !== node) : p.nodes }));
        if (on) pins.push({ body, nodes: [node] });
        this.message.pins = pins.filter((p) => p.nodes.length);
        this.rebuild();
    }

    pinCount() {
        return (this.message?.pins ?? []).reduce((n, p) => n + p.nodes.length, 0);
    }

    // what is cut off has no dots
    setClip(planes) {
        this.held.setClip(planes);
        this.pins.setClip(planes);
        for (const part of this.links.parts) part.material.clippingPlanes = planes;
    }

    setShown(show) {
        this.show = show;
        this.rebuild();
    }

    rebuild() {
        const { held = [], pins = [], loads = [] } = this.message ?? {};
        this.held.set(this.show.fixed ? held.flatMap((h) => this.verticesOf(h.body, h.vertices)) : []);
        this.pins.set(pins.flatMap((p) => this.nodesOf(p.body, p.nodes)));
        this.setArrows(this.show.loads ? loads : []);
        this.followMasses();
        this.followLinks();
        this.stage.invalidate();
    }

    verticesOf(body, vertices) {
        const surfaceMesh = this.bodies.get(body, 0);
        // a rod under load has forces all along it: then they say nothing about where it is held
        if (surfaceMesh?.info.kind === "rod" && vertices.length > 0.5 * surfaceMesh.topology.vertexCount) return [];
        return surfaceMesh ? vertices.filter((v) => v < surfaceMesh.topology.vertexCount).map((v) => [surfaceMesh, v]) : [];
    }

    nodesOf(body, nodes) {
        const surfaceMesh = this.bodies.withNodes(body);
        if (!surfaceMesh) return [];
        return nodes.map((n) => [surfaceMesh, surfaceMesh.topology.nodes.indexOf(n)]).filter(([, v]) => v >= 0);
    }

    // diagonal of the bodies that forces move, measured once for a scene: a floor is many times as large
    size() {
        if (this.extent) return this.extent;
        const box = this.bodies.box((info) => info.pull > 0 && !info.added);
        if (box.isEmpty()) return this.stage.size;
        return (this.extent = box.getSize(new THREE.Vector3()).length());
    }

    // lengths are to each other as the forces are, the strongest a seventh of the bodies
    setArrows(loads) {
        const middle = this.stage.box.getCenter(new THREE.Vector3());
        const most = Math.max(...loads.map((l) => Math.hypot(...l.force)), 0);
        const up = new THREE.Vector3(0, 1, 0), f = new THREE.Vector3(), at = new THREE.Vector3(), q = new THREE.Quaternion();
        const m = new THREE.Matrix4(), size = new THREE.Vector3();
        let n = 0;
        for (const l of loads.slice(0, MOST_ARROWS)) {
            const strength = f.fromArray(l.force).length();
            if (!(strength > 0)) continue;
            const length = this.size() * (0.05 + 0.1 * (strength / most));
            q.setFromUnitVectors(up, f.normalize());
            // where a force pushes inwards the arrow ends on the body, otherwise it would be inside
            const pushes = at.fromArray(l.at).sub(middle).dot(f) < 0;
            at.fromArray(l.at).addScaledVector(f, pushes ? -length : 0);
            m.compose(at, q, size.setScalar(length));
            this.arrows.forEach((a) => a.setMatrixAt(n, m));
            n++;
        }
        this.arrows.forEach((a) => {
            a.count = n;
            a.instanceMatrix.needsUpdate = true;
        });
    }

    // a point at an offset from the mean of some vertices; null: they are not here yet
    placeOf({ body, first, count, offset }) {
        const surfaceMesh = this.bodies.get(body, 0);
        if (!surfaceMesh || first + count > surfaceMesh.topology.vertexCount) return null;
        const x = [...offset];
        for (let i = 3 * first; i < 3 * (first + count); i++) x[i % 3] += surfaceMesh.sent[i] / count;
        return x;
    }

    followLinks() {
        const to = this.links.geometry.attributes.position;
        let n = 0;
        for (const { a, b } of (this.show.fixed && this.message?.links) || []) {
            const from = this.placeOf(a), end = this.placeOf(b);
            if (!from || !end || n === MOST_LINKS) continue;
            to.array.set(from, 6 * n);
            to.array.set(end, 6 * n++ + 3);
        }
        this.links.count = n;
        this.links.geometry.setDrawRange(0, 2 * n);
        to.needsUpdate = true;
    }

    // a point mass is a steel ball
    followMasses() {
        const m = new THREE.Matrix4();
        let n = 0;
        for (const mass of this.message?.masses ?? []) {
            const x = this.placeOf(mass), r = Math.max(mass.radius, SMALLEST_MASS * this.size());
            if (!x || n === MOST_MASSES) continue;
            this.masses.setMatrixAt(n++, m.makeScale(r, r, r).setPosition(...x));
        }
        this.masses.count = n;
        this.masses.instanceMatrix.needsUpdate = true;
    }

    // the surfaces are new, or have moved
    follow() {
        this.followMasses();
        this.followLinks();
        this.held.follow();
        this.pins.follow();
    }

    // ---- drags: a ball at the point grabbed, a line to where it is pulled

    setHand(slot, from, to) {
        let hand = this.hands.get(slot);
        if (!hand) this.hands.set(slot, (hand = this.makeHand()));
        const r = this.stage.camera.position.distanceTo(from) * 0.006;
        hand.ball.position.copy(from);
        hand.ball.scale.setScalar(1.3 * r);
        hand.tip.position.copy(to);
        hand.tip.scale.setScalar(1.7 * r);
        const way = to.clone().sub(from), length = Math.max(way.length(), 1e-9);
        hand.rod.position.copy(from).addScaledVector(way, 0.5);
        hand.rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.normalize());
        hand.rod.scale.set(0.5 * r, length, 0.5 * r);
    }

    makeHand() {
        const material = new THREE.MeshBasicMaterial({ color: HAND, depthTest: false, transparent: true, opacity: 0.92 });
        const ball = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), material);
        const tip = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), material);
        const rod = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 8), material);
        const group = new THREE.Group();
        for (const m of [ball, tip, rod]) m.renderOrder = 5, m.frustumCulled = false;
        group.add(ball, tip, rod);
        this.group.add(group);
        return { ball, tip, rod, group };
    }

    dropHand(slot) {
        const hand = this.hands.get(slot);
        if (!hand) return;
        this.group.remove(hand.group);
        this.hands.delete(slot);
        this.stage.invalidate();
    }
}
