// A floor below the scene: a disc with lines at 1, 2 or 5 times a power of ten that fades out towards its edge, as in the pictures
// of `souple render`; it takes the shadows. Drawn before everything else and without depth, so that no line is ever seen through or
// in front of a body, also where a body sinks below it.
import * as THREE from "three";
import { tickStep } from "../format.js";

const REACH = 1.9;             // radius over the size of the scene
const PIECES = 12;             // of a line: each is cut off alone where it passes the camera
const RINGS = 10, SECTORS = 48;
const FULL = 0.3;              // share of the radius within which nothing fades
const TONES = {
    light: { fill: 0xffffff, cover: 0.55, line: 0x66727f, strength: 0.34, shadow: 0.22 },
    dark: { fill: 0x39424e, cover: 0.4, line: 0x93a1b2, strength: 0.3, shadow: 0.4 },
};

const FADE = `
float fadeAt(float share) { float s = clamp((share - ${FULL}) / (1.0 - ${FULL}), 0.0, 1.0); return 1.0 - s * s * (3.0 - 2.0 * s); }`;

// opaque for the renderer, which draws such things first, but blended over the backdrop of the page
const BEHIND = {
    depthTest: false, depthWrite: false, side: THREE.DoubleSide, blending: THREE.CustomBlending, blendSrc: THREE.SrcAlphaFactor,
    blendDst: THREE.OneMinusSrcAlphaFactor, blendSrcAlpha: THREE.OneFactor, blendDstAlpha: THREE.OneMinusSrcAlphaFactor,
};

// every line is a strip two pixels and a half wide whose sides are clear: smooth without multisampling, at any number of pixels
function lineGeometry(radius, step) {
    const at = [], along = [], side = [], index = [];
    const lines = Math.floor(radius / step);
    const put = (x, z, dx, dz, strong) => {
        for (const s of [-1, 1]) at.push(x, 0, z), along.push(dx, 0, dz), side.push(s, strong);
    };
    for (let i = -lines; i <= lines; i++) {
        const c = i * step, half = Math.sqrt(Math.max(0, radius * radius - c * c)), strong = i % 5 === 0 ? 1 : 0.5;
        for (const turned of [false, true])
            for (let k = 0; k <= PIECES; k++) {
                const a = half * ((2 * k) / PIECES - 1), n = at.length / 3;
                if (turned) put(c, a, 0, 1, strong);
                else put(a, c, 1, 0, strong);
                if (k < PIECES) index.push(n, n + 1, n + 2, n + 2, n + 1, n + 3);
            }
    }
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
    g.setAttribute("along", new THREE.Float32BufferAttribute(along, 3));
    g.setAttribute("side", new THREE.Float32BufferAttribute(side, 2));
    g.setIndex(index);
    return g;
}

function lineMaterial(radius) {
    return new THREE.ShaderMaterial({
        ...BEHIND,
        uniforms: { color: { value: new THREE.Color() }, strength: { value: 1 }, radius: { value: radius }, pixel: { value: new THREE.Vector2() } },
        vertexShader: `
            attribute vec3 along;
            attribute vec2 side;
            uniform vec2 pixel;
            uniform float radius;
            varying vec2 vSide;
            varying float vShare;
            void main() {
                vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0), d = projectionMatrix * modelViewMatrix * vec4(along, 0.0);
                vec2 way = (d.xy * p.w - p.xy * d.w) / pixel;  // of the line on the screen
                vec2 across = normalize(vec2(-way.y, way.x) + 1e-9);
                p.xy += 1.25 * side.x * across * pixel * p.w;
                vSide = side;
                vShare = length(position.xz) / radius;
                gl_Position = p;
            }`,
        fragmentShader: `
            uniform vec3 color;
            uniform float strength;
            varying vec2 vSide;
            varying float vShare;
            ${FADE}
            void main() { gl_FragColor = vec4(color, strength * vSide.y * (1.0 - abs(vSide.x)) * fadeAt(vShare)); }`,
    });
}

function discMaterial(radius) {
    return new THREE.ShaderMaterial({
        ...BEHIND,
        lights: true,
        uniforms: { ...THREE.UniformsUtils.clone(THREE.UniformsLib.lights), color: { value: new THREE.Color() }, cover: { value: 0 }, shade: { value: 0 }, radius: { value: radius } },
        vertexShader: `
            #include <common>
            #include <shadowmap_pars_vertex>
            uniform float radius;
            varying float vFade;
            ${FADE}
            void main() {
                #include <beginnormal_vertex>
                #include <defaultnormal_vertex>
                #include <begin_vertex>
                #include <project_vertex>
                #include <worldpos_vertex>
                #include <shadowmap_vertex>
                vFade = fadeAt(length(position.xz) / radius);
            }`,
        // the shadow lies over the tone of the floor: one colour that does the same as both
        fragmentShader: `
            #include <common>
            #include <lights_pars_begin>
            #include <shadowmap_pars_fragment>
            #include <shadowmask_pars_fragment>
            uniform vec3 color;
            uniform float cover, shade;
            varying float vFade;
            void main() {
                float dark = shade > 0.0 ? shade * (1.0 - getShadowMask()) : 0.0, clear = (1.0 - cover) * (1.0 - dark);
                gl_FragColor = vec4(color * (cover * (1.0 - dark)) / max(1.0 - clear, 1e-4), (1.0 - clear) * vFade);
            }`,
    });
}

export function makeFloor(box, up, size) {
    const group = new THREE.Group(), radius = REACH * size, step = tickStep(size, 10);
    const disc = new THREE.Mesh(new THREE.RingGeometry(0, radius, SECTORS, RINGS).rotateX(-Math.PI / 2), discMaterial(radius));
    const lines = new THREE.Mesh(lineGeometry(radius, step), lineMaterial(radius));
    disc.receiveShadow = true;
    disc.renderOrder = -2, lines.renderOrder = -1;
    lines.frustumCulled = false;
    const drawn = new THREE.Vector2();
    lines.onBeforeRender = (renderer) => {
        renderer.getDrawingBufferSize(drawn);
        lines.material.uniforms.pixel.value.set(2 / drawn.x, 2 / drawn.y);
        lines.material.uniformsNeedUpdate = true;
    };
    group.add(disc, lines);
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    const centre = box.getCenter(new THREE.Vector3());
    // the lowest corner of the box along "up", whichever way that points
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const drop = Math.abs(half.x * up.x) + Math.abs(half.y * up.y) + Math.abs(half.z * up.z);
    group.position.copy(centre).addScaledVector(up, -drop - 0.002 * size);
    let tone = TONES.light, shadows = false;
    const apply = () => {
        // written to the canvas as they are: sRGB
        const { uniforms: d } = disc.material, { uniforms: l } = lines.material;
        d.color.value.setHex(tone.fill, THREE.LinearSRGBColorSpace);
        d.cover.value = tone.cover;
        d.shade.value = shadows ? tone.shadow : 0;
        l.color.value.setHex(tone.line, THREE.LinearSRGBColorSpace);
        l.strength.value = tone.strength;
    };
    apply();
    return {
        group,
        disc,
        lines,
        step,
        setTheme(theme) {
            tone = TONES[theme];
            apply();
        },
        setShadows(on) {
            shadows = on;
            apply();
        },
        dispose() {
            for (const o of [disc, lines]) o.geometry.dispose(), o.material.dispose();
        },
    };
}
