// All surfaces of the simulation as the frames tell them: topology once per revision, positions whenever they moved.
import * as THREE from "three";
import { regionShare, regionTexels, REGION_TEXELS, scaleTexels } from "../colours.js";
import { Skin } from "./skin.js";

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

export class Bodies {
    constructor(stage) {
        this.stage = stage;
        this.group = new THREE.Group();
        stage.scene.add(this.group);
        this.scaleTexture = rowTexture(scaleTexels(), 256, THREE.LinearFilter);
        this.regionTexture = rowTexture(regionTexels(), REGION_TEXELS, THREE.NearestFilter);
        this.clear(0, []);
    }

    clear(generation, bodies) {
        for (const skin of this.skins?.values() ?? []) this.remove(skin);
        this.generation = generation;
        this.skins = new Map();       // "body/surface" -> Skin
        this.topologies = new Map();  // the same, of frames
        this.infos = new Map();
        for (const b of bodies)
            for (const s of b.surfaces) this.infos.set(`${b.body}/${s.surface}`, { ...s, body: b.body, kind: b.kind, pull: b.pull });
        this.frame = null;
    }

    remove(skin) {
        this.group.remove(skin.mesh);
        skin.dispose();
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
        if (state.complete) for (const [key, skin] of this.skins) if (!seen.has(key)) this.remove(skin), this.skins.delete(key);
        this.frame = state;
        return problems;
    }

    addSurface(key, s) {
        const topology = this.topologies.get(key), info = this.infos.get(key);
        if (!topology || !info || topology.revision !== s.revision || topology.vertexCount !== s.vertexCount)
            return `surface ${key}, revision ${s.revision}: no topology for it`;
        let skin = this.skins.get(key);
        if (skin && skin.topology !== topology) {
            this.remove(skin);
            skin = null;
        }
        if (!skin) {
            skin = new Skin(topology, info, s.positions, this.stage.software);
            this.skins.set(key, skin);
            this.group.add(skin.mesh);
            this.renewed = true;
            this.styleOne(skin);
        }
        skin.update(s);
        return null;
    }

    // shown: { visual, mesh, hull, wire }
    setStyle(shown) {
        this.shown = shown;
        for (const skin of this.skins.values()) this.styleOne(skin);
        this.stage.invalidate();
    }

    styleOne(skin) {
        const { visual, mesh, hull, wire } = this.shown;
        const roles = new Set(skin.info.roles), theme = this.stage.theme;
        const asMesh = mesh && roles.has("mechanical"), asHull = hull && roles.has("collision"), asVisual = visual && roles.has("visual");
        const m = skin.material;
        // a mesh alone is filled; over the visual surface its edges are enough
        m.visible = asVisual || (!visual && (asMesh || asHull));
        const veiled = asVisual && !asMesh && !asHull && (mesh || hull);
        const opacity = skin.info.look.opacity * (veiled ? 0.45 : 1);
        m.opacity = opacity;
        if (m.transparent !== opacity < 1) m.needsUpdate = true;
        m.transparent = opacity < 1;
        m.depthWrite = opacity >= 1;
        skin.mesh.castShadow = m.visible && opacity > 0.3;
        if (m.flatShading !== (!asVisual && asMesh)) m.flatShading = !asVisual && asMesh, m.needsUpdate = true;
        skin.mesh.visible = m.visible || asMesh || asHull;
        const color = asHull ? HULL_EDGE[theme] : asMesh ? MESH_EDGE[theme] : EDGE[theme];
        skin.setWire(asMesh || asHull || ((wire || skin.info.look.edges) && m.visible), color);
    }

    // field: of hello.fields or null; range: of the colours
    paint(field, low, high) {
        const width = high - low || 1;
        const texture = !field ? null : field.discrete && field.name === "region" ? this.regionTexture : this.scaleTexture;
        const share = texture === this.regionTexture ? regionShare : (v) => (v - low) / width;
        for (const skin of this.skins.values()) {
            const known = skin.values && !Number.isNaN(skin.values[0]);
            skin.paint(known ? texture : null, share);
        }
    }

    box() {
        const box = new THREE.Box3(), p = new THREE.Vector3();
        for (const skin of this.skins.values()) {
            if (!skin.mesh.visible) continue;
            for (let i = 0; i < skin.sent.length; i += 3) box.expandByPoint(p.fromArray(skin.sent, i));
        }
        return box;
    }

    get(body, surface) {
        return this.skins.get(`${body}/${surface}`);
    }

    // a surface of the body that knows its nodes
    withNodes(body) {
        const own = this.get(body, 0);
        if (own?.topology.nodes) return own;
        for (const skin of this.skins.values()) if (skin.info.body === body && skin.topology.nodes) return skin;
        return null;
    }

    drawn() {
        return [...this.skins.values()].filter((s) => s.mesh.visible && s.material.visible);
    }
}
