// Renderer, camera, lights and floor. Draws only when something has changed: a paused scene costs nothing.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { makeFloor } from "./floor.js";
import { widened } from "./lens.js";

const MOST_SOFT_PIXELS = 450000, REST = 350;  // without a graphics card: pixels of a moving picture, ms until it rests
const MARGIN = 0.8;  // of the window that a fitted box may fill
const LENS = { fov: 34, shape: 1 };  // where the scene has no camera

const LOOKS = {
    light: { top: "#f6f7f9", bottom: "#e1e6eb", sky: 0xffffff, ground: 0xb9b2a8, ambient: 1.15 },
    dark: { top: "#1d232b", bottom: "#101317", sky: 0xdfe8f5, ground: 0x54504a, ambient: 0.85 },
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
        this.renderer.shadowMap.enabled = false;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("aria-label", "The simulation. Drag a body to pull it, drag the background to rotate the view.");
        holder.append(this.canvas);
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(36, 1, 0.01, 100);
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
        this.key.shadow.mapSize.set(1024, 1024);
        this.key.shadow.bias = -0.0006;
        this.key.shadow.normalBias = 0.01;
        this.fill = new THREE.DirectionalLight(0xffffff, 0.55);
        this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.fill.target);
    }

    setTheme(theme) {
        const look = LOOKS[theme];
        this.theme = theme;
        this.holder.style.background = `linear-gradient(${look.top}, ${look.bottom})`;
        this.hemisphere.color.set(look.sky);
        this.hemisphere.groundColor.set(look.ground);
        this.hemisphere.intensity = look.ambient;
        this.floor?.setTheme(theme);
        this.invalidate();
    }

    setShadows(on) {
        this.shadows = on;
        this.renderer.shadowMap.enabled = on;
        this.key.castShadow = on;
        this.floor?.setShadows(on);
        this.scene.traverse((o) => o.material && (o.material.needsUpdate = true));
        this.invalidate();
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

    placeLights() {
        const centre = this.box.getCenter(new THREE.Vector3());
        const aside = new THREE.Vector3(0.55, 0.35, 0.6).addScaledVector(this.up, 1).normalize();
        this.key.target.position.copy(centre);
        this.key.position.copy(centre).addScaledVector(aside, 1.6 * this.size);
        this.fill.target.position.copy(centre);
        this.fill.position.copy(centre).add(new THREE.Vector3(-0.7, 0.1, -0.5).addScaledVector(this.up, 0.2).multiplyScalar(this.size));
        const camera = this.key.shadow.camera, reach = 0.95 * this.size;
        Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.05 * this.size, far: 4 * this.size });
        camera.updateProjectionMatrix();
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
        this.onDraw?.(now);
        this.renderer.render(this.scene, this.camera);
        this.frames++;
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
