// Smooth edges without multisampling, which takes a third of a picture's time where the processor draws. A strip, a pixel wide and
// shaded as its face, lies along the edges between a face that is seen and one that is not, and along creases; it becomes clear
// outwards. Only these pixels are drawn twice. (Sander, Hoppe, Snyder and Gortler, "Discontinuity edge overdraw", 2001.)
import * as THREE from "three";

const WIDTH = 1.3;        // pixels
const MOST_FACES = 80000; // above that finding the edges takes longer than they are worth

const NONE = 0xffffffff;

// -> [corner where the edge starts in one face, that face, the other face or NONE] of each edge
export function edgesOf(faces, vertexCount) {
    const open = new Map(), out = [];
    for (let i = 0; i < faces.length; i++) {
        const f = Math.floor(i / 3), a = faces[i], b = faces[i % 3 === 2 ? i - 2 : i + 1];
        const back = open.get(b * vertexCount + a);
        if (back !== undefined) {
            out[3 * back + 2] = f;
            open.delete(b * vertexCount + a);
        } else {
            open.set(a * vertexCount + b, out.length / 3);
            out.push(i, f, NONE);
        }
    }
    return Uint32Array.from(out);
}

const next = (i) => (i % 3 === 2 ? i - 2 : i + 1);

export class Outline {
    // material: that of the strips, see material.js
    constructor(surfaceMesh, material) {
        this.surfaceMesh = surfaceMesh;
        this.material = material;
        const { faces, vertexCount } = surfaceMesh.topology;
        this.edges = faces.length / 3 <= MOST_FACES ? edgesOf(faces, vertexCount) : new Uint32Array(0);
        this.creases = this.findCreases();
        this.facing = new Float32Array(faces.length / 3);  // to the camera, > 0: seen
        this.screen = new Float32Array(3 * vertexCount);
        this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
        this.mesh.frustumCulled = false;
        this.mesh.receiveShadow = true;
        this.mesh.renderOrder = 1;
        this.reserve(256);
    }

    // room for so many edges, kept from picture to picture
    reserve(edges) {
        const old = this.mesh.geometry, g = new THREE.BufferGeometry(), { color } = this.surfaceMesh.geometry.attributes;
        const put = (name, size) => {
            const a = new THREE.BufferAttribute(new Float32Array(4 * edges * size), size);
            a.setUsage(THREE.DynamicDrawUsage);
            g.setAttribute(name, a);
        };
        put("position", 3), put("normal", 3), put("share", 1), put("fade", 1);
        if (color) put("color", 4);
        const index = new Uint32Array(6 * edges);
        for (let e = 0; e < edges; e++) {
            [0, 1, 2, 2, 1, 3].forEach((k, i) => (index[6 * e + i] = 4 * e + k));
            g.attributes.fade.array.set([1, 1, 0, 0], 4 * e);
        }
        g.setIndex(new THREE.BufferAttribute(index, 1));
        g.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
        this.capacity = edges;
        this.mesh.geometry = g;
        old.dispose();
    }

    // where the camera stands now; height: of the picture in pixels
    update(camera, height) {
        const { surfaceMesh, edges, facing } = this, { sent, topology } = surfaceMesh, { faces } = topology;
        this.project(camera, height);
        const eye = camera.position;
        for (let f = 0; f < facing.length; f++) {
            const a = 3 * faces[3 * f], b = 3 * faces[3 * f + 1], c = 3 * faces[3 * f + 2], x = sent[a], y = sent[a + 1], z = sent[a + 2];
            const ux = sent[b] - x, uy = sent[b + 1] - y, uz = sent[b + 2] - z, vx = sent[c] - x, vy = sent[c + 1] - y, vz = sent[c + 2] - z;
            const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
            facing[f] = (nx * (eye.x - x) + ny * (eye.y - y) + nz * (eye.z - z)) / Math.sqrt(nx * nx + ny * ny + nz * nz + 1e-30);
        }
        let count = 0;
        for (let e = 0; e < edges.length; e += 3) if (this.isOutline(e)) count++;
        if (count > this.capacity) this.reserve(2 * count);
        this.count = count;
        this.fill(camera, height);
    }

    // where the two faces of an edge have vertices of their own
    findCreases() {
        const { edges } = this, { topology, split } = this.surfaceMesh, out = new Uint8Array(edges.length / 3);
        for (let e = 0; e < edges.length; e += 3) {
            const a = edges[e], b = next(a), g = edges[e + 2];
            if (g === NONE) continue;
            out[e / 3] = this.cornerAt(g, topology.faces[a]) !== split.index[a] || this.cornerAt(g, topology.faces[b]) !== split.index[b] ? 1 : 0;
        }
        return out;
    }

    isOutline(e) {
        const { edges, facing } = this, f = facing[edges[e + 1]] > 0, g = edges[e + 2];
        return g === NONE || facing[g] > 0 !== f || (f && this.creases[e / 3]);
    }

    // vertices in pixels, and their depth
    project(camera, height) {
        const { sent } = this.surfaceMesh, { screen } = this, m = camera.matrixWorldInverse.elements;
        const focal = (0.5 * height) / Math.tan((camera.fov * Math.PI) / 360);
        for (let k = 0; k < sent.length; k += 3) {
            const x = sent[k], y = sent[k + 1], z = sent[k + 2], depth = -(m[2] * x + m[6] * y + m[10] * z + m[14]);
            screen[k] = (focal * (m[0] * x + m[4] * y + m[8] * z + m[12])) / depth;
            screen[k + 1] = (focal * (m[1] * x + m[5] * y + m[9] * z + m[13])) / depth;
            screen[k + 2] = depth;
        }
    }

    fill(camera, height) {
        const { edges, facing, screen, surfaceMesh } = this, { topology, geometry: from } = surfaceMesh, { faces } = topology;
        const m = camera.matrixWorld.elements, pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
        const to = this.mesh.geometry.attributes, { position, normal, share } = from.attributes, color = to.color ? from.attributes.color : null;
        let n = 0;
        for (let e = 0; e < edges.length; e += 3) {
            if (!this.isOutline(e)) continue;
            // the strip belongs to the face that is seen, of a crease to the one that looks more towards the camera
            const corner = edges[e], a = faces[corner], b = faces[next(corner)], f = edges[e + 1], g = edges[e + 2];
            const owner = g === NONE || facing[f] >= facing[g] ? f : g, third = 3 * this.thirdOf(owner, a, b);
            const ax = screen[3 * a], ay = screen[3 * a + 1], ex = screen[3 * b] - ax, ey = screen[3 * b + 1] - ay;
            let px = -ey, py = ex;
            const length = Math.sqrt(px * px + py * py) || 1;
            // away from its face
            const sign = px * (screen[third] - ax) + py * (screen[third + 1] - ay) > 0 ? -1 : 1;
            px *= sign / length, py *= sign / length;
            const first = this.cornerAt(owner, a), second = this.cornerAt(owner, b);
            for (let k = 0; k < 4; k++, n++) {
                const v = k % 2 ? second : first, reach = k < 2 ? 0 : WIDTH * pixel * screen[3 * (k % 2 ? b : a) + 2];
                for (let i = 0; i < 3; i++) {
                    to.position.array[3 * n + i] = position.array[3 * v + i] + reach * (px * m[i] + py * m[4 + i]);
                    to.normal.array[3 * n + i] = normal.array[3 * v + i];
                }
                to.share.array[n] = share.array[v];
                if (color) for (let i = 0; i < 4; i++) to.color.array[4 * n + i] = color.array[4 * v + i];
            }
        }
        this.mesh.geometry.setDrawRange(0, (6 * n) / 4);
        for (const a of [to.position, to.normal, to.share, ...(color ? [to.color] : [])]) {
            a.clearUpdateRanges();
            a.addUpdateRange(0, n * a.itemSize);
            a.needsUpdate = true;
        }
    }

    // the vertex drawn for this vertex in a face
    cornerAt(face, vertex) {
        const { faces } = this.surfaceMesh.topology;
        for (let k = 3 * face; k < 3 * face + 3; k++) if (faces[k] === vertex) return this.surfaceMesh.split.index[k];
        return 0;
    }

    thirdOf(face, a, b) {
        const { faces } = this.surfaceMesh.topology, k = 3 * face;
        return faces[k] !== a && faces[k] !== b ? faces[k] : faces[k + 1] !== a && faces[k + 1] !== b ? faces[k + 1] : faces[k + 2];
    }

    dispose() {
        this.mesh.geometry.dispose();
        this.material.dispose();
    }
}
