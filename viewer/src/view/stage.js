// Renderer, camera, lights and floor. Draws only when something has changed: a paused scene costs nothing.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { makeFloor } from "./floor.js";
import { widened } from "./lens.js";
import { LIGHT } from "./material.js";

const MOST_SOFT_PIXELS = 330000, REST = 350;  // without a graphics card: pixels of a moving picture, ms until it rests
const MARGIN = 0.8;  // of the window that a fitted box may fill
const LENS = { fov: 34, shape: 1 };  // where the scene has no camera

const ASIDE = new THREE.Vector3(0.9, 0, -0.8);  // the rim light, before the camera

const LOOKS = {
    light: { top: "#f6f7f9", bottom: "#e1e6eb", sky: 0xffffff, ground: 0xb9b2a8, ambient: 1.15, bright: 1 },
    dark: { top: "#1d232b", bottom: "#101317", sky: 0xdfe8f5, ground: 0x54504a, ambient: 0.85, bright: 0.8 },
};

// without a graphics card the browser draws on the processor that simulates: spend less there
function drawsInSoftware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    const info = gl?.getExtension("WEBGL_debug_renderer_info");
    const name = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : "";
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
    constructor(holder) {
        this.holder = holder;
        // clear, over a backdrop of the page: a backdrop drawn here would cost more than the bodies where there is no graphics card
        this.software = drawsInSoftware();
        this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, alpha: true, powerPreference: "high-performance" });
        this.renderer.outputColorSpace = THREE.SRGBColorSpace;
        this.renderer.localClippingEnabled = true;
        this.renderer.shadowMap.enabled = false;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.shadowMap.autoUpdate = false;
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("aria-label", "The simulation. Drag a body to pull it, drag the background to rotate the view.");
        holder.append(this.canvas);
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(36, 1, 0.01, 100);
        this.up = new THREE.Vector3(0, 1, 0);
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.18;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => this.invalidate());
        this.box = new THREE.Box3();
        this.lens = LENS;
        this.home = null;
        this.onDraw = null;
        this.onSettled = null;
        this.frames = 0;
        this.addLights();
        this.setTheme("light");
        this.resize();
        new ResizeObserver(() => this.resize()).observe(holder);
        this.canvas.addEventListener("webglcontextrestored", () => this.invalidate());
        this.loop = this.loop.bind(this);
        requestAnimationFrame(this.loop);
    }

    addLights() {
        this.hemisphere = new THREE.HemisphereLight(0xffffff, 0x888888, 1);
        this.key = new THREE.DirectionalLight(0xffffff, 1.9);
        this.key.shadow.mapSize.setScalar(this.software ? 512 : 1024);
        this.key.shadow.bias = -0.0006;
        this.key.shadow.radius = this.software ? 2 : 4;
        this.toKey = new THREE.Vector3(0, 1, 0);
        this.scene.add(this.hemisphere, this.key, this.key.target);
    }

    setTheme(theme) {
        const look = LOOKS[theme];
        this.theme = theme;
        this.holder.style.background = `linear-gradient(${look.top}, ${look.bottom})`;
        this.hemisphere.color.set(look.sky);
        this.hemisphere.groundColor.set(look.ground);
        this.hemisphere.intensity = look.ambient;
        LIGHT.bright.value = look.bright;
        this.floor?.setTheme(theme);
        this.invalidate();
    }

    setShadows(on) {
        this.shadows = on;
        this.renderer.shadowMap.enabled = on;
        this.key.castShadow = on;
        this.floor?.setShadows(on);
        this.scene.traverse((o) => o.material && (o.material.needsUpdate = true));
        this.moved();
    }

    setFloor(on) {
        this.floorShown = on;
        if (this.floor) this.floor.group.visible = on;
        this.invalidate();
    }

    // the scene as it is at first: floor, lights and near and far planes follow its size
    setBox(box, up) {
        this.box.copy(box);
        this.up = up.clone();
        this.camera.up.copy(up);
        this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-6);
        this.camera.near = this.size * 1e-3;
        this.camera.far = this.size * 40;
        this.camera.updateProjectionMatrix();
        this.controls.minDistance = this.size * 5e-3;
        this.controls.maxDistance = this.size * 15;
        if (this.floor) this.scene.remove(this.floor.group), this.floor.dispose();
        this.floor = makeFloor(box, up, this.size);
        this.floor.group.visible = this.floorShown ?? true;
        this.scene.add(this.floor.group);
        this.placeLights();
        this.setTheme(this.theme);
        this.setShadows(this.shadows ?? false);
    }

    // as in pictures of the engine: the key light over the shoulder of who looks first; it stays there when the camera moves on
    placeLights({ at, to } = this.viewOf(this.box)) {
        const centre = this.box.getCenter(new THREE.Vector3()), ahead = to.clone().sub(at).normalize();
        const right = new THREE.Vector3().crossVectors(ahead, this.up).normalize();
        this.toKey.copy(this.up).multiplyScalar(1.1).addScaledVector(right, -0.75).addScaledVector(ahead, -0.8).normalize();
        this.key.target.position.copy(centre);
        this.key.position.copy(centre).addScaledVector(this.toKey, 1.6 * this.size);
        const camera = this.key.shadow.camera, reach = 0.95 * this.size;
        Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.05 * this.size, far: 4 * this.size });
        camera.updateProjectionMatrix();
        this.key.shadow.normalBias = 0.012 * this.size;
        this.moved();
    }

    // directions of the lights in the coordinates of the camera, as the material of bodies needs them; the rim light moves with the camera
    turnLights() {
        this.camera.updateMatrixWorld();
        const toCamera = this.camera.matrixWorldInverse;
        LIGHT.key.value.copy(this.toKey).transformDirection(toCamera);
        LIGHT.up.value.copy(this.up).transformDirection(toCamera);
        LIGHT.rim.value.copy(LIGHT.up.value).multiplyScalar(0.5).add(ASIDE).normalize();
    }

    // from a direction that shows three sides, as near as all corners of the box allow
    viewOf(box, direction = null) {
        const to = box.getCenter(new THREE.Vector3());
        const from = (direction ?? new THREE.Vector3(0.55, 0, 1).addScaledVector(this.up, 0.35)).clone().normalize();
        const right = new THREE.Vector3().crossVectors(this.up, from).normalize(), above = new THREE.Vector3().crossVectors(from, right);
        const tall = MARGIN * Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * this.camera.aspect;
        let distance = 1e-6;
        for (let k = 0; k < 8; k++) {
            const c = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(to);
            distance = Math.max(distance, c.dot(from) + Math.abs(c.dot(right)) / wide, c.dot(from) + Math.abs(c.dot(above)) / tall);
        }
        return { to, at: to.clone().addScaledVector(from, distance) };
    }

    // angle of view and shape of the picture that it was chosen for; null: our own
    setLens(lens) {
        this.lens = lens ?? LENS;
        this.applyLens();
    }

    applyLens() {
        const { fov, shape } = this.lens;
        this.camera.fov = widened(fov, shape, this.camera.aspect);
        this.camera.updateProjectionMatrix();
        this.invalidate();
    }

    look(at, to) {
        this.camera.position.copy(at);
        this.controls.target.copy(to);
        this.controls.update();
        this.invalidate();
    }

    resize() {
        const { clientWidth: w, clientHeight: h } = this.holder;
        if (!w || !h) return;
        this.fine = this.software ? 1 : Math.min(window.devicePixelRatio, 2);
        this.coarse = this.software ? Math.min(1, Math.max(0.4, Math.sqrt(MOST_SOFT_PIXELS / (w * h)))) : this.fine;
        this.renderer.setPixelRatio(this.fine);
        this.renderer.setSize(w, h);
        this.camera.aspect = w / h;
        this.applyLens();
    }

    invalidate() {
        this.dirty = true;
    }

    // something that casts a shadow has: shadows are drawn again; where only the camera moves they stay
    moved() {
        this.renderer.shadowMap.needsUpdate = true;
        this.invalidate();
    }

    loop(now) {
        requestAnimationFrame(this.loop);
        this.controls.update();
        if (!this.dirty || document.hidden) return;
        this.dirty = false;
        this.draw(now);
    }

    // where drawing is slow, a moving picture has fewer pixels, and all of them once it stands still
    sharpenLater() {
        const resting = this.sharpening;
        this.sharpening = false;
        const ratio = resting ? this.fine : this.coarse;
        if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
        clearTimeout(this.restTimer);
        if (resting) return;
        this.restTimer = setTimeout(() => {
            this.sharpening = true;
            this.invalidate();
        }, REST);
    }

    draw(now = performance.now()) {
        if (this.coarse < this.fine) this.sharpenLater();
        this.turnLights();
        this.onDraw?.(now);
        this.renderer.render(this.scene, this.camera);
        this.frames++;
    }

    // ms of some pictures as they are while something moves, until every pixel is there
    timeDraw(count = 3) {
        const gl = this.renderer.getContext(), pixel = new Uint8Array(4), times = [];
        if (this.renderer.getPixelRatio() !== this.coarse) this.renderer.setPixelRatio(this.coarse);
        for (let i = 0; i <= count; i++) {
            const begin = performance.now();
            this.moved();
            this.turnLights();
            this.renderer.render(this.scene, this.camera);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            if (i > 0) times.push(performance.now() - begin);  // the first one makes shaders
        }
        return times;
    }

    // the view over its backdrop; read before the browser has shown and cleared it
    async picture() {
        this.sharpening = true;
        this.draw();  // with all pixels, however many a moving picture has
        const { canvas } = this;
        const out = document.createElement("canvas");
        out.width = canvas.width, out.height = canvas.height;
        const g = out.getContext("2d"), ramp = g.createLinearGradient(0, 0, 0, out.height);
        ramp.addColorStop(0, LOOKS[this.theme].top);
        ramp.addColorStop(1, LOOKS[this.theme].bottom);
        g.fillStyle = ramp;
        g.fillRect(0, 0, out.width, out.height);
        g.drawImage(canvas, 0, 0);
        return new Promise((done) => out.toBlob(done, "image/png"));
    }
}
