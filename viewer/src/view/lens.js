// How wide a camera looks. Angles of view are vertical and in degrees, as in scenes; a shape is width over height.
import * as THREE from "three";

const PICTURE = 16 / 9;  // pictures of `souple render`, where the scene names no other size
const AIR = 1.1;         // beside bodies that will move

const half = (degrees) => Math.tan((degrees * Math.PI) / 360);

// a window narrower than the shape sees as much from left to right, and more above and below
export function widened(fov, shape, aspect) {
    return (Math.atan(half(fov) * Math.max(1, shape / aspect)) * 360) / Math.PI;
}

// the shape that has to be kept: that of the picture, or less where the box does not fill it; never taller than wide
export function shapeOf({ at, to, fov }, up, box) {
    const eye = new THREE.Vector3().fromArray(at), ahead = new THREE.Vector3().fromArray(to).sub(eye).normalize();
    const right = new THREE.Vector3().crossVectors(ahead, up).normalize();
    let wide = 0;
    for (let k = 0; k < 8; k++) {
        const c = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(eye);
        const depth = c.dot(ahead);
        if (depth <= 0) return PICTURE;  // the camera stands among the bodies
        wide = Math.max(wide, Math.abs(c.dot(right)) / depth);
    }
    return Math.min(PICTURE, Math.max(1, (AIR * wide) / half(fov)));
}
