// The material of bodies: one shader for machines with and without a graphics card. Light as in the pictures of `souple render`
// (src/io/picture): a key light over the viewer's shoulder, sky and ground, a rim light from behind, a highlight after Blinn and
// Phong. A film of moisture mirrors the sky where a surface is seen at a flat angle, which plaster does not. Few instructions per
// pixel, since without a graphics card each of them runs on the processor.
import * as THREE from "three";

const GLOSS = 0.8;  // of the roughness of a look: a wet film is smoother than what lies below

// in the coordinates of the camera; one set for all materials, placed by the stage before each picture
export const LIGHT = {
    key: { value: new THREE.Vector3(0, 0, 1) },
    rim: { value: new THREE.Vector3(0, 0, -1) },
    up: { value: new THREE.Vector3(0, 1, 0) },
    bright: { value: 1 },  // 1 before a light backdrop
};

const VERTEX = `
    #include <common>
    #include <shadowmap_pars_vertex>
    #include <clipping_planes_pars_vertex>
    #ifdef USE_COLOR_ALPHA
        varying vec4 vColor;
    #endif
    #ifdef FIELD
        attribute float share;
        varying float vShare;
    #endif
    #ifdef STRIP
        attribute float fade;
        varying float vFade;
    #endif
    varying vec3 vNormal, vEye;
    void main() {
        #include <beginnormal_vertex>
        #include <defaultnormal_vertex>
        #include <begin_vertex>
        #include <project_vertex>
        #include <clipping_planes_vertex>
        #include <worldpos_vertex>
        #include <shadowmap_vertex>
        vNormal = transformedNormal;
        vEye = mvPosition.xyz;
        #ifdef USE_COLOR_ALPHA
            vColor = color;
        #endif
        #ifdef FIELD
            vShare = share;
        #endif
        #ifdef STRIP
            vFade = fade;
        #endif
    }`;

const FRAGMENT = `
    #include <common>
    #include <clipping_planes_pars_fragment>
    #ifdef USE_SHADOWMAP
        #include <lights_pars_begin>
        #include <shadowmap_pars_fragment>
        #include <shadowmask_pars_fragment>
    #endif
    uniform vec3 base, key, rim, up;
    uniform float opacity, power, lobe, metal, bright;
    #ifdef USE_COLOR_ALPHA
        varying vec4 vColor;
    #endif
    #ifdef FIELD
        uniform sampler2D scale;
        varying float vShare;
    #endif
    #ifdef STRIP
        varying float vFade;
    #endif
    varying vec3 vNormal, vEye;
    void main() {
        #include <clipping_planes_fragment>
        vec3 toEye = normalize(-vEye);
        #if defined(FLAT_SHADED) && !defined(STRIP)
            vec3 n = normalize(cross(dFdx(vEye), dFdy(vEye)));
        #else
            vec3 n = normalize(vNormal);
            #if defined(DOUBLE_SIDED) && !defined(STRIP)
                n = gl_FrontFacing ? n : -n;
            #endif
        #endif
        vec4 color = vec4(base, opacity);
        #ifdef FIELD
            color.rgb = texture2D(scale, vec2(vShare, 0.5)).rgb;
        #endif
        #ifdef USE_COLOR_ALPHA
            color *= vColor;
        #endif
        #ifdef STRIP
            color.a *= vFade;
        #endif
        float open = 1.0;
        #ifdef USE_SHADOWMAP
            open = getShadowMask();
        #endif
        float above = 0.5 + 0.5 * dot(n, up), facing = max(dot(n, key), 0.0) * open, behind = max(dot(n, rim), 0.0);
        vec3 light = mix(vec3(0.17, 0.165, 0.16), vec3(0.45, 0.47, 0.49), above) * bright;
        light += facing * vec3(0.76, 0.737, 0.70) + behind * vec3(0.255, 0.276, 0.3);
        float glint = lobe * exp2(power * (dot(n, normalize(key + toEye)) - 1.0)) * facing;
        float flat1 = 1.0 - max(dot(n, toEye), 0.0), flat2 = flat1 * flat1;
        float film = 0.27 * flat2 * flat2 * above * (0.35 + 0.65 * open);
        #ifdef FIELD
            film *= 0.3;  // colours are values: they stay what the bar shows
        #endif
        vec3 mirror = mix(vec3(0.04), color.rgb, metal);
        vec3 c = color.rgb * light * (1.0 - 0.7 * metal) + min(glint * mirror, 0.6) + film;
        // sRGB from linear values, by square roots
        c = min(c, 1.0);
        vec3 a = sqrt(c), b = sqrt(a), d = sqrt(b);
        gl_FragColor = vec4(0.662002687 * a + 0.684122060 * b - 0.323583601 * d - 0.0225411470 * c, color.a);
    }`;

export function bodyMaterial(look, { vertexColors }) {
    const roughness = Math.min(1, Math.max(0.25, GLOSS * look.roughness)), shine = 2 / roughness ** 4 - 1;
    return new THREE.ShaderMaterial({
        lights: true,
        clipping: true,
        clipShadows: true,  // what is cut off casts no shadow on the cap
        forceSinglePass: false,  // a clear body: its back, then its front
        vertexColors,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
        uniforms: {
            ...THREE.UniformsUtils.clone(THREE.UniformsLib.lights),
            ...LIGHT,
            base: { value: new THREE.Color().setRGB(...look.color, THREE.SRGBColorSpace) },
            opacity: { value: 1 },
            // (n.h)^shine as a power of two, good near the highlight: n.h^s = 2^(s log2(n.h)), log2(x) = (x - 1) / ln 2
            power: { value: shine / Math.LN2 },
            lobe: { value: (shine + 8) / 25 },
            metal: { value: Math.min(0.35, look.metallic) },
            scale: { value: null },
        },
    });
}

// for strips along the outline of a body, see outline.js: all that the body's material says, with a clear side
export function stripMaterial(body) {
    return new THREE.ShaderMaterial({
        lights: true,
        clipping: true,
        clippingPlanes: body.clippingPlanes,
        vertexColors: body.vertexColors,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        defines: { ...body.defines, STRIP: 1 },
        uniforms: body.uniforms,
        side: THREE.DoubleSide,
        transparent: true,
        depthWrite: false,
    });
}
