// Which corners share a normal. A box keeps its edges and a ball stays round: faces around a vertex that meet at less than a limit
// are shaded as one, others get a vertex of their own. Found once for each topology, on the first positions seen.

const LIMIT = Math.cos((42 * Math.PI) / 180);

function faceNormals(positions, faces) {
    const count = faces.length / 3;
    const out = new Float32Array(3 * count);
    for (let f = 0; f < count; f++) {
        const a = 3 * faces[3 * f], b = 3 * faces[3 * f + 1], c = 3 * faces[3 * f + 2];
        const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
        const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        const n = Math.hypot(x, y, z) || 1;
        out[3 * f] = x / n, out[3 * f + 1] = y / n, out[3 * f + 2] = z / n;
    }
    return out;
}

// corners around each vertex, in compressed rows
function cornersAround(faces, vertexCount) {
    const start = new Uint32Array(vertexCount + 2);
    const list = new Uint32Array(faces.length);
    for (let i = 0; i < faces.length; i++) start[faces[i] + 2]++;
    for (let v = 0; v < vertexCount; v++) start[v + 2] += start[v + 1];
    for (let i = 0; i < faces.length; i++) list[start[faces[i] + 1]++] = i;
    return { start, list };
}

const nextCorner = (i) => (i % 3 === 2 ? i - 2 : i + 1);
const previousCorner = (i) => (i % 3 === 0 ? i + 2 : i - 1);

// do two corners at one vertex lie on faces that share an edge there
function neighbours(faces, i, j) {
    const ni = faces[nextCorner(i)], pi = faces[previousCorner(i)], nj = faces[nextCorner(j)], pj = faces[previousCorner(j)];
    return ni === pj || pi === nj || ni === nj || pi === pj;
}

// -> { source: vertex behind each drawn vertex, index: drawn vertices of the faces, in the order of the faces }
export function splitAtCreases(positions, faces, stripes = null, limit = LIMIT) {
    const vertexCount = positions.length / 3;
    const normals = faceNormals(positions, faces);
    const { start, list } = cornersAround(faces, vertexCount);
    const index = new Uint32Array(faces.length);
    const source = [];
    const alike = (f, g) => (!stripes || stripes[f] === stripes[g]) &&
        normals[3 * f] * normals[3 * g] + normals[3 * f + 1] * normals[3 * g + 1] + normals[3 * f + 2] * normals[3 * g + 2] >= limit;
    for (let v = 0; v < vertexCount; v++) {
        const corners = Array.from(list.subarray(start[v], start[v + 1]));
        while (corners.length) {
            const group = [corners.pop()];
            for (let g = 0; g < group.length; g++)
                for (let k = corners.length - 1; k >= 0; k--)
                    if (neighbours(faces, group[g], corners[k]) && alike(Math.floor(group[g] / 3), Math.floor(corners[k] / 3)))
                        group.push(...corners.splice(k, 1));
            for (const corner of group) index[corner] = source.length;
            source.push(v);
        }
    }
    return { source: Uint32Array.from(source), index };
}

// Whether faces bound a volume, seen from outside: then only front faces are ever seen, and back faces need not be drawn.
export function isSolid(positions, faces) {
    const n = positions.length / 3, there = new Float64Array(faces.length), back = new Float64Array(faces.length);
    let volume = 0;
    for (let i = 0; i < faces.length; i += 3) {
        for (let k = 0; k < 3; k++) {
            const a = faces[i + k], b = faces[i + ((k + 1) % 3)];
            there[i + k] = a * n + b, back[i + k] = b * n + a;
        }
        const a = 3 * faces[i], b = 3 * faces[i + 1], c = 3 * faces[i + 2];
        volume += positions[a] * (positions[b + 1] * positions[c + 2] - positions[b + 2] * positions[c + 1]) +
            positions[a + 1] * (positions[b + 2] * positions[c] - positions[b] * positions[c + 2]) +
            positions[a + 2] * (positions[b] * positions[c + 1] - positions[b + 1] * positions[c]);
    }
    // every edge is passed once in each direction
    there.sort(), back.sort();
    for (let i = 0; i < there.length; i++) if (there[i] !== back[i] || there[i] === there[i - 1]) return false;
    return volume > 0;
}

// smooth normals of the drawn vertices, each face by its area
export function smoothNormals(positions, index, out) {
    out.fill(0);
    for (let i = 0; i < index.length; i += 3) {
        const a = 3 * index[i], b = 3 * index[i + 1], c = 3 * index[i + 2];
        const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
        const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        out[a] += x, out[a + 1] += y, out[a + 2] += z;
        out[b] += x, out[b + 1] += y, out[b + 2] += z;
        out[c] += x, out[c + 1] += y, out[c + 2] += z;
    }
    for (let i = 0; i < out.length; i += 3) {
        const n = Math.sqrt(out[i] * out[i] + out[i + 1] * out[i + 1] + out[i + 2] * out[i + 2]) || 1;
        out[i] /= n, out[i + 1] /= n, out[i + 2] /= n;
    }
}
