// Subdivision of cells into simplices. A volume cell is split into the tetrahedra between its lowest-numbered node and the
// triangles of the faces without that node; a quadrilateral face is cut by the diagonal at its own lowest node (Dompierre et al.
// 1999, "How to subdivide pyramids, prisms and hexahedra into tetrahedra"). Two cells of any type therefore cut their common face
// alike.
#include "io/mesh/cells.h"

// outward faces in VTK's numbering of the corners; -1: triangle
static const int tet_faces[][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {0, 3, 2, -1}, {1, 2, 3, -1}};
static const int pyramid_faces[][4] = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}};
// the orientation of (0, 1, 2) and (3, 4, 5) is decided from the positions, since programs differ in it
static const int wedge_faces[][4] = {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}};
static const int hex_faces[][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

typedef struct solid {
    const int (*faces)[4];
    int face_count, tets;
} solid;

static solid solid_of(int type) {
    switch (type) {
    case SP_CELL_TET:
    case SP_CELL_TET10: return (solid){tet_faces, 4, 1};
    case SP_CELL_PYRAMID: return (solid){pyramid_faces, 5, 2};
    case SP_CELL_WEDGE: return (solid){wedge_faces, 5, 3};
    case SP_CELL_HEX: return (solid){hex_faces, 6, 6};
    default: return (solid){NULL, 0, 0};
    }
}

int sp__cell_split_count(int type) {
    return solid_of(type).tets;
}

// splits a face at its lowest node into one or two triangles; returns their number
static int face_triangles(const int face[4], const int *nodes, int out[2][3]) {
    int n = face[3] < 0 ? 3 : 4, least = 0;
    for (int i = 1; i < n; i++)
        if (nodes[face[i]] < nodes[face[least]]) least = i;
    for (int t = 0; t < n - 2; t++)
        for (int k = 0; k < 3; k++) out[t][k] = nodes[face[(least + (k ? t + k : 0)) % n]];
    return n - 2;
}

static bool has(const int face[4], const int *nodes, int node) {
    for (int i = 0; i < 4; i++)
        if (face[i] >= 0 && nodes[face[i]] == node) return true;
    return false;
}

static bool cells_split_twice(const int tet[4]) {
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            if (tet[a] == tet[b]) return true;
    return false;
}

int sp__cell_split(int type, const int *nodes, int out[24]) {
    solid s = solid_of(type);
    int count = 0, corners = sp__cell_corners(type), apex = nodes[0];
    if (s.tets == 1) {
        memcpy(out, nodes, 4 * sizeof *out);
        return 1;
    }
    for (int i = 1; i < corners; i++) apex = nodes[i] < apex ? nodes[i] : apex;
    for (int f = 0; f < s.face_count; f++) {
        int triangles[2][3];
        if (has(s.faces[f], nodes, apex)) continue;
        for (int t = 0, n = face_triangles(s.faces[f], nodes, triangles); t < n && count < s.tets; t++) {
            memcpy(out + 4 * count, triangles[t], sizeof triangles[t]);
            out[4 * count + 3] = apex;
            if (!cells_split_twice(out + 4 * count)) count++;  // a hexahedron with a collapsed edge has fewer
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------------ polygons

enum { EARS_MAX = 128 };  // corners of a concave polygon for which the quadratic search is fast enough

static const double *cells_split_corner(const double *x, const int *corners, int i) {
    return x + 3 * (size_t)corners[i];
}

// twice the area vector by Newell's formula, also valid for concave and slightly warped polygons
static void area_of(const double *x, const int *corners, int n, double normal[3]) {
    normal[0] = normal[1] = normal[2] = 0;
    for (int i = 0; i < n; i++) {
        const double *a = cells_split_corner(x, corners, i), *b = cells_split_corner(x, corners, (i + 1) % n);
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += (a[u] - b[u]) * (a[v] + b[v]);
        }
    }
}

// twice the area of a, b, c projected along the axis `drop`, times `sign`; positive if it has the orientation of the polygon
static double turn(const double *a, const double *b, const double *c, int drop, double sign) {
    int u = (drop + 1) % 3, v = (drop + 2) % 3;
    return sign * ((b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]));
}

static bool is_ear(const double *x, const int *corners, const int *left, int n, int i, int drop, double sign) {
    int before = left[(i + n - 1) % n], at = left[i], after = left[(i + 1) % n];
    const double *a = cells_split_corner(x, corners, before), *b = cells_split_corner(x, corners, at),
                 *c = cells_split_corner(x, corners, after);
    if (!(turn(a, b, c, drop, sign) > 0)) return false;
    for (int j = 0; j < n; j++) {
        if (left[j] == before || left[j] == at || left[j] == after) continue;
        const double *p = cells_split_corner(x, corners, left[j]);
        if (turn(a, b, p, drop, sign) >= 0 && turn(b, c, p, drop, sign) >= 0 && turn(c, a, p, drop, sign) >= 0) return false;
    }
    return true;
}

static bool convex(const double *x, const int *corners, int n, int drop, double sign) {
    for (int i = 0; i < n; i++)
        if (!(turn(cells_split_corner(x, corners, i), cells_split_corner(x, corners, (i + 1) % n),
                   cells_split_corner(x, corners, (i + 2) % n), drop, sign) >= 0))
            return false;
    return true;
}

static void cut_ears(const double *x, const int *corners, int n, int drop, double sign, int *out, int *left) {
    for (int i = 0; i < n; i++) left[i] = i;
    for (; n > 2; n--, out += 3) {
        int ear = 0;
        while (ear < n && !is_ear(x, corners, left, n, ear, drop, sign)) ear++;
        if (ear == n) ear = n - 2;  // self-intersecting or degenerate polygon: any cut is as good
        out[0] = left[(ear + n - 1) % n], out[1] = left[ear], out[2] = left[(ear + 1) % n];
        memmove(left + ear, left + ear + 1, (size_t)(n - 1 - ear) * sizeof *left);
    }
}

void sp__polygon_split(const double *x, const int *corners, int n, int *out, int *capacity) {
    double normal[3];
    area_of(x, corners, n, normal);
    int drop = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    if (fabs(normal[2]) > fabs(normal[drop])) drop = 2;
    double sign = normal[drop] < 0 ? -1 : 1;
    if (n > 3 && n <= EARS_MAX && !convex(x, corners, n, drop, sign)) {
        cut_ears(x, corners, n, drop, sign, out, capacity);
        return;
    }
    for (int t = 0; t < n - 2; t++) out[3 * t] = 0, out[3 * t + 1] = t + 1, out[3 * t + 2] = t + 2;
}
