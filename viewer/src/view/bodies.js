// All surfaces of the simulation, from the frames: topology once per revision, positions whenever they moved.
import * as THREE from "three";
import { regionShare, regionTexels, REGION_TEXELS, scaleTexels } from "../colours.js";
import { Caps } from "./caps.js";
import { SurfaceMesh } from "./surface-mesh.js";

const EDGE = { light: 0x1d2733, dark: 0xe8eef5 };
const MESH_EDGE = { light: 0x1668b8, dark: 0x6cb6ff };
const HULL_EDGE = { light: 0xb5520a, dark: 0xffa657 };

function rowTexture(texels, width, filter) {
    const t = new THREE.DataTexture(texels, width, 1);
    t.colorSpace = THREE.SRGBColorSpace;
    t.magFilter = t.minFilter = filter;
    t.needsUpdate = true;
    return t;
}

// a rigid square, as in pictures: it is not clipped
const isGround = (b) => b.pull === null && b.surfaces.length === 1 && b.surfaces[0].vertices === 4 && b.surfaces[0].faces === 2;

export class Bodies {
    constructor(stage) {
        this.stage = stage;
        this.group = new THREE.Group();
        stage.scene.add(this.group);
        this.caps = new Caps(this.group);
        this.planes = null;  // that clip bodies
        this.scaleTexture = rowTexture(scaleTexels(), 256, THREE.LinearFilter);
        this.regionTexture = rowTexture(regionTexels(), REGION_TEXELS, THREE.NearestFilter);
        this.clear(0, []);
    }

    clear(generation, bodies) {
        for (const surfaceMesh of this.surfaceMeshes?.values() ?? []) this.remove(surfaceMesh);
        this.caps.clear();
        this.generation = generation;
        this.surfaceMeshes = new Map();       // "body/surface" -> SurfaceMesh
        this.topologies = new Map();  // the same, of frames
        this.infos = new Map();
        this.waiting = new Map();  // surfaces of bodies that are not known yet
        this.describe(bodies);
        this.frame = null;
    }

    describe(bodies) {
        for (const b of bodies)
            for (const s of b.surfaces)
                this.infos.set(`${b.body}/${s.surface}`, { ...s, body: b.body, kind: b.kind, pull: b.pull, added: !!b.added, clipped: b.clipped !== false && !isGround(b),
                    interfaces: s.roles.includes("interfaces"), around: b.surfaces.some((x) => x.faces > 0 && x.roles.includes("interfaces")) });
    }

    // bodies have come or gone; their frames may have been faster
    setBodies(bodies) {
        const known = new Set(bodies.map((b) => b.body));
        for (const [key, info] of [...this.infos]) if (!known.has(info.body)) this.forget(key);
        this.describe(bodies.filter((b) => !this.infos.has(`${b.body}/0`)));
        for (const [key, s] of [...this.waiting]) if (this.infos.has(key)) this.waiting.delete(key), this.addSurface(key, s);
        this.stage.moved();
    }

    forget(key) {
        const surfaceMesh = this.surfaceMeshes.get(key);
        if (surfaceMesh) this.remove(surfaceMesh);
        this.surfaceMeshes.delete(key), this.infos.delete(key), this.topologies.delete(key), this.waiting.delete(key);
    }

    remove(surfaceMesh) {
        this.group.remove(surfaceMesh.mesh);
        surfaceMesh.dispose();
    }

    addTopology(t) {
        if (t.generation !== this.generation) return;
        this.topologies.set(`${t.body}/${t.surface}`, t);
    }

    // -> sentences about what did not fit
    addState(state) {
        if (state.generation !== this.generation) return [];
        const problems = [];
        const seen = new Set();
        for (const s of state.surfaces) {
            const key = `${s.body}/${s.surface}`;
            seen.add(key);
            const problem = this.addSurface(key, s);
            if (problem) problems.push(problem);
        }
        if (state.complete) for (const [key, surfaceMesh] of this.surfaceMeshes) if (!seen.has(key)) this.remove(surfaceMesh), this.surfaceMeshes.delete(key);
        this.frame = state;
        this.stage.moved();
        return problems;
    }

    addSurface(key, s) {
        const topology = this.topologies.get(key), info = this.infos.get(key);
        if (!info) return this.waiting.set(key, s), null;
        if (!topology || topology.revision !== s.revision || topology.vertexCount !== s.vertexCount)
            return `surface ${key}, revision ${s.revision}: no topology for it`;
        let surfaceMesh = this.surfaceMeshes.get(key);
        if (surfaceMesh && surfaceMesh.topology !== topology) {
            this.remove(surfaceMesh);
            surfaceMesh = null;
        }
        if (!surfaceMesh) {
            surfaceMesh = new SurfaceMesh(topology, info, s.positions);
            if (info.clipped && this.planes) surfaceMesh.setClip(this.planes);
            this.surfaceMeshes.set(key, surfaceMesh);
            this.group.add(surfaceMesh.mesh);
            this.renewed = true;
            this.styleOne(surfaceMesh);
        }
        surfaceMesh.update(s);
        return null;
    }

    // planes: of three.js, null: nothing is cut off
    setClip(planes) {
        this.planes = planes;
        if (!planes) this.caps.clear();
        for (const surfaceMesh of this.surfaceMeshes.values()) if (surfaceMesh.info.clipped) surfaceMesh.setClip(planes);
        this.stage.moved();
    }

    setCaps(sections) {
        const list = sections.list.filter((s) => this.infos.has(`${s.body}/0`));
        this.caps.set({ ...sections, list }, (body) => this.capLook(body));
        this.stage.moved();
    }

    // where a cap has no region: the colour of its body; clear where interfaces behind it are to be seen
    capLook(body) {
        const infos = [...this.infos.values()].filter((i) => i.body === body && !i.interfaces);
        const { look, around } = infos.find((i) => i.roles.includes("visual")) ?? infos[0];
        return { color: look.color, opacity: this.shown.interfaces && around ? this.veil(look.opacity) : 1 };
    }

    veil(opacity) { return 0.45 * opacity; }

    // shown: { visual, mesh, hull, interfaces, wire }
    setStyle(shown) {
        this.shown = shown;
        for (const surfaceMesh of this.surfaceMeshes.values()) this.styleOne(surfaceMesh);
        this.caps.paint(...this.caps.painted);
        this.stage.moved();
    }

    styleOne(surfaceMesh) {
        const { visual, mesh, hull, interfaces, wire } = this.shown;
        if (surfaceMesh.info.interfaces) return this.styleInterface(surfaceMesh, interfaces, wire);
        const roles = new Set(surfaceMesh.info.roles), theme = this.stage.theme;
        const asMesh = mesh && roles.has("mechanical"), asHull = hull && roles.has("collision"), asVisual = visual && roles.has("visual");
        const m = surfaceMesh.material;
        // a mesh alone is filled; over the visual surface its edges are enough
        m.visible = asVisual || (!visual && (asMesh || asHull));
        const veiled = asVisual && ((!asMesh && !asHull && (mesh || hull)) || (interfaces && surfaceMesh.info.around));
        const opacity = veiled ? this.veil(surfaceMesh.info.look.opacity) : surfaceMesh.info.look.opacity;
        surfaceMesh.setOpacity(opacity);
        surfaceMesh.mesh.castShadow = m.visible && opacity > 0.3;
        if (m.flatShading !== (!asVisual && asMesh)) m.flatShading = !asVisual && asMesh, m.needsUpdate = true;
        surfaceMesh.mesh.visible = m.visible || asMesh || asHull;
        const color = asHull ? HULL_EDGE[theme] : asMesh ? MESH_EDGE[theme] : EDGE[theme];
        surfaceMesh.setWire(asMesh || asHull || ((wire || surfaceMesh.info.look.edges) && m.visible), color);
    }

    styleInterface(surfaceMesh, on, wire) {
        surfaceMesh.material.visible = surfaceMesh.mesh.visible = on;
        surfaceMesh.setWire(on && wire, EDGE[this.stage.theme]);
    }

    // field: of hello.fields or null; range: of the colours
    paint(field, low, high) {
        const width = high - low || 1;
        const texture = !field ? null : field.discrete && field.name === "region" ? this.regionTexture : this.scaleTexture;
        // an empty range: one colour
        const share = texture === this.regionTexture ? regionShare : high > low ? (v) => (v - low) / width : () => 0;
        for (const surfaceMesh of this.surfaceMeshes.values()) {
            const known = surfaceMesh.values && !Number.isNaN(surfaceMesh.values[0]);
            surfaceMesh.paint(known ? texture : null, share);
        }
        this.caps.paint(texture, share);
    }

    // once all has moved, before a picture of so many pixels
    drawOutlines(camera, height) {
        for (const surfaceMesh of this.surfaceMeshes.values()) surfaceMesh.drawOutline(camera, height);
    }

    // of the surfaces that are drawn; which: of those among them whose description fulfils it
    box(which = () => true) {
        const box = new THREE.Box3(), p = new THREE.Vector3();
        for (const surfaceMesh of this.surfaceMeshes.values()) {
            if (!surfaceMesh.mesh.visible || !which(surfaceMesh.info)) continue;
            for (let i = 0; i < surfaceMesh.sent.length; i += 3) box.expandByPoint(p.fromArray(surfaceMesh.sent, i));
        }
        return box;
    }

    get(body, surface) {
        return this.surfaceMeshes.get(`${body}/${surface}`);
    }

    // a surface of the body that knows its nodes
    withNodes(body) {
        const own = this.get(body, 0);
        if (own?.topology.nodes) return own;
        for (const surfaceMesh of this.surfaceMeshes.values()) if (surfaceMesh.info.body === body && surfaceMesh.topology.nodes) return surfaceMesh;
        return null;
    }

    drawn() {
        return [...this.surfaceMeshes.values()].filter((s) => s.mesh.visible && s.material.visible);
    }
}
