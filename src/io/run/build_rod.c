// A rod of the scene, or the rods of a merged instance: strands, boundary conditions, integrator and solver; then one call of the
// engine.
#include "io/run/build.h"

#include "math/vec3.h"

typedef struct sp_rod_sections {
    sp_rod_section *list;
    int count;
    size_t capacity;
} sp_rod_sections;

// ============================================================================================== points of a path

// Points of a `path`: from the scene, from a file of comma-separated coordinates, or the polyline of an .obj file.

typedef struct reader {
    sp_run *run;
    const sp_scene_node *node;
    const char *path, *at;
    int line;
    double *points;  // in file order
    int count;
    size_t capacity;
    int *order;  // .obj: vertices of the polyline in sequence
    int order_count;
    size_t order_capacity;
} reader;

static const char *rod_path_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static bool at_end(const char *p) {
    return *p == 0 || *p == '\n' || *p == '\r' || *p == '#';
}

static sp_status add_point(reader *r, const double x[3]) {
    if ((size_t)r->count * 3 + 3 > r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 384;
        double *more = sp__keep_grow(&r->run->scratch, r->points, r->capacity, capacity, sizeof *more);
        if (!more) return sp__build_no_memory(r->run);
        r->points = more, r->capacity = capacity;
    }
    memcpy(r->points + 3 * (size_t)r->count++, x, 3 * sizeof *x);
    return SP_OK;
}

static sp_status bad_line(reader *r, const char *what) {
    return SP_BUILD_FAIL(r->run, r->node, "file", "%s:%d: %s", r->path, r->line, what);
}

// three numbers separated by commas, semicolons or blanks; NULL: not found
static const char *three(const char *p, double x[3]) {
    for (int k = 0; k < 3; k++) {
        p = rod_path_blanks(p);
        if (k > 0 && (*p == ',' || *p == ';')) p = rod_path_blanks(p + 1);
        if (!(p = sp__scan_double(p, &x[k]))) return NULL;
    }
    return p;
}

// ------------------------------------------------------------------------------------------------ .obj

static sp_status obj_line(reader *r, const char *p) {
    int64_t index;
    for (p = rod_path_blanks(p); !at_end(p); p = rod_path_blanks(p + strcspn(p, " \t\r\n"))) {
        if (!sp__scan_int64(p, &index) || index == 0) return bad_line(r, "an l line lists numbers of points");
        int64_t i = index > 0 ? index - 1 : r->count + index;
        if (i < 0 || i >= r->count) return bad_line(r, "an l line names a point that has not been given");
        if (r->order_count && r->order[r->order_count - 1] == (int)i) continue;  // the line continues where the last one ended
        if (!SP_KEEP_MORE(&r->run->scratch, r->order, r->order_count, &r->order_capacity)) return sp__build_no_memory(r->run);
        r->order[r->order_count++] = (int)i;
    }
    return SP_OK;
}

static bool is_obj(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".obj") == 0;
}

static sp_status read_line(reader *r, const char *p, bool obj) {
    double x[3];
    p = rod_path_blanks(p);
    if (at_end(p)) return SP_OK;
    if (obj && p[0] == 'l' && (p[1] == ' ' || p[1] == '\t')) return obj_line(r, p + 1);
    if (obj && !(p[0] == 'v' && (p[1] == ' ' || p[1] == '\t'))) return SP_OK;
    if (three(obj ? p + 1 : p, x)) return add_point(r, x);
    // column names
    if (!obj && r->count == 0 && r->line == 1) return SP_OK;
    return bad_line(r, "three finite numbers are needed, x, y, z");
}

static sp_status read_file(reader *r) {
    char *text;
    size_t size;
    bool obj = is_obj(r->path);
    sp_status status = sp__text_read(r->run->ctx, r->path, sp__scene_memory_limit(r->run->scene), &text, &size);
    if (status < 0) return sp__build_refused(r->run, r->node, status, sp_context_error(r->run->ctx));
    for (r->at = text; *r->at && status >= 0; r->line++) {
        status = read_line(r, r->at, obj);
        r->at += strcspn(r->at, "\n");
        r->at += *r->at == '\n';
    }
    sp__free(r->run->ctx, text);
    return status;
}

// the points along the polyline; without a polyline, all points in file order
static sp_status in_order(reader *r) {
    double *sorted;
    if (!r->order_count) return SP_OK;
    if (!SP_KEEP(&r->run->scratch, sorted, 3 * (size_t)r->order_count)) return sp__build_no_memory(r->run);
    for (int i = 0; i < r->order_count; i++)
        memcpy(sorted + 3 * (size_t)i, r->points + 3 * (size_t)r->order[i], 3 * sizeof *sorted);
    r->points = sorted;
    r->count = r->order_count;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ any path

// The points of a path.
static sp_status build_path_points(sp_run *run, const sp_scene_node *path, double **points, int *count) {
    reader r = {.run = run, .node = path, .line = 1};
    const sp_attr *written = sp__build_attr(path, "points");
    const char *attr = written ? "points" : "file";
    double scale = sp__build_number(path, "scale", 1);
    for (int i = 0; written && i + 2 < written->count; i += 3) SP_TRY(add_point(&r, written->numbers + i));
    if (!written) {
        r.path = sp__attr_word(path, "file");
        SP_TRY(read_file(&r));
        SP_TRY(in_order(&r));
    }
    if (r.count < 2) return SP_BUILD_FAIL(run, path, attr, "%d points, must be two at least", r.count);
    for (int i = 1; i < r.count; i++) {
        double d[3];
        sp__sub3(r.points + 3 * (size_t)i, r.points + 3 * (size_t)(i - 1), d);
        if (!(sp__norm3(d) > 0)) return SP_BUILD_FAIL(run, path, attr, "points %d and %d lie at the same place", i, i + 1);
    }
    for (size_t i = 0; i < 3 * (size_t)r.count; i++) r.points[i] *= scale;
    *points = r.points;
    *count = r.count;
    return SP_OK;
}

// ======================================================================================================= strands

// One strand: length, sections and curvature along its elements. Regions override the rod, and later regions override earlier
// ones, attribute by attribute. The engine needs curvature at nodes: the mean of the two elements of a node. A placement may
// scale a rod uniformly: lengths and semi-axes are multiplied, curvatures divided.

static const double FIT = 1e-3;       // default tolerance of the fit to a path, relative to the length
static const double CURVATURE = 1e9;  // upper bound of any curvature [rad/m]

typedef struct work {
    sp_run *run;
    sp_run_body *body;
    const sp_scene_node *node;  // the rod
    int strand, elements;
    double length, scale;     // before placement; scale of the placement
    sp_pose root;             // before placement
    sp_rod_section *section;  // per element
    const char **region;      // per element: name of the last region that selects it; NULL: none
    double *bend[2];          // curvature at both ends of each element, x 3
    double *fitted;           // curvature fitted to the path, at nodes; NULL: no path
    bool regions_bend;
} work;

static double rod_shape_along(const work *w, int node) {
    return node == w->elements ? w->length : w->length * node / w->elements;
}

// ------------------------------------------------------------------------------------------------ placement

static sp_status find_place(work *w, sp_place *out) {
    sp_places places;
    *out = (sp_place){{1, 1, 1}, sp_pose_identity()};
    SP_TRY(sp__build_places(w->run, w->node, &places));
    for (int i = 0; i < places.count; i++) {
        const sp_place *p = &places.at[i];
        if (p->scale[0] != p->scale[1] || p->scale[1] != p->scale[2])
            return SP_BUILD_FAIL(w->run, w->node, "scale", "a rod can be scaled by one factor only, not by %g %g %g", p->scale[0],
                                 p->scale[1], p->scale[2]);
        for (int k = 0; k < 3; k++) out->pose.translate[k] *= p->scale[0], out->scale[k] *= p->scale[0];
        out->pose = sp__pose_mul(&p->pose, &out->pose);
    }
    w->scale = out->scale[0];
    if (w->strand == 0 && !w->body->node->strand_count) w->body->places = places;
    return SP_OK;
}

static sp_status check_scaled(const work *w) {
    if (w->scale == 1) return SP_OK;
    if (sp__next_child(w->node, "grow", NULL))
        return SP_BUILD_FAIL(w->run, w->node, "scale", "a rod that grows cannot be scaled: write its lengths as they are");
    if (sp__attr_varies(sp__attr(w->node, "curvature"), SP_ATTR_OF_TIME))
        return SP_BUILD_FAIL(w->run, w->node, "scale", "curvature that varies in time cannot be scaled: write it as it is");
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ path

static sp_status fit_path(work *w, const sp_scene_node *path, bool affine) {
    double *points, farthest;
    int count;
    SP_TRY(build_path_points(w->run, path, &points, &count));
    if (!SP_KEEP(&w->run->scratch, w->fitted, 3 * (size_t)(w->elements + 1))) return sp__build_no_memory(w->run);
    sp_status status = sp_rod_fit(w->run->ctx, points, count, w->elements, affine, &w->root, &w->length, w->fitted, &farthest);
    if (status < 0) return sp__build_refused(w->run, path, status, sp_context_error(w->run->ctx));
    bool said = sp__build_given(path, "fit") && !sp__attr(path, "fit")->is_auto;
    double allowed = said ? sp__build_number(path, "fit", 0) : FIT * w->length;
    if (!(farthest <= allowed))
        return SP_BUILD_FAIL(
            w->run, path, "fit",
            "the path is missed by %.3g m, %.3g m%s are allowed: give the rod more elements than %d, or another fit", farthest,
            allowed, said ? "" : ", 1e-3 of the length,", w->elements);
    if (w->strand == 0)
        sp__scene_note_auto(w->run->scene, path, "fit",
                            "%d elements miss the %d points by %.3g m, %.3g m are allowed; length %.9g m", w->elements, count,
                            farthest, allowed, w->length);
    return SP_OK;
}

static sp_status find_length(work *w, sp_rod_model model) {
    const sp_scene_node *path = sp__next_child(w->node, "path", NULL);
    w->elements = (int)sp__build_number(w->node, "elements", 4);
    w->root = sp_pose_identity();
    if (path) return fit_path(w, path, model != SP_ROD_HELIX);
    w->length = sp__build_number(w->node, "length", 0);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ sections

static void read_section(const sp_scene_node *node, double s, sp_rod_section *out) {
    const sp_attr *axes = sp__build_attr(node, "section");
    double *const values[] = {&out->bore, &out->density, &out->young, &out->poisson};
    static const char *const names[] = {"bore", "density", "young", "poisson"};
    if (axes) memcpy(out->axes, axes->numbers, sizeof out->axes);
    if (sp__build_attr(node, "radius")) out->axes[0] = out->axes[1] = sp__build_number(node, "radius", 0);
    for (int i = 0; i < 4; i++)
        if (sp__build_attr(node, names[i])) *values[i] = sp__attr_along(node, names[i], 0, s);
}

static sp_status check_section(work *w, const sp_scene_node *node, const sp_rod_section *s, int element) {
    const char *name = NULL;
    double value = 0;
    if (!(s->density > 0) || isinf(s->density)) name = "density", value = s->density;
    if (!(s->young > 0) || isinf(s->young)) name = "young", value = s->young;
    if (name) return SP_BUILD_FAIL(w->run, node, name, "%s = %g in element %d, must be finite and > 0", name, value, element);
    if (!(s->poisson > -1 && s->poisson < 0.5))
        return SP_BUILD_FAIL(w->run, node, "poisson", "poisson = %g in element %d, must be in (-1, 0.5)", s->poisson, element);
    double thin = fmin(s->axes[0], s->axes[1]);
    if (!(s->bore < thin))
        return SP_BUILD_FAIL(w->run, node, "bore", "bore = %g in element %d, must be in [0, %g), inside the section", s->bore,
                             element, thin);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ curvature

static sp_status bend_at(work *w, const sp_scene_node *node, double s, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = sp__attr_along(node, "curvature", k, s);
        if (!(fabs(out[k]) <= CURVATURE))
            return SP_BUILD_FAIL(w->run, node, "curvature", "curvature = %g rad/m at s = %g, must be finite and in [-1e9, 1e9]",
                                 isnan(out[k]) ? NAN : out[k], s);
    }
    return SP_OK;
}

static sp_status bend_element(work *w, const sp_scene_node *node, int e) {
    for (int end = 0; end < 2; end++) SP_TRY(bend_at(w, node, rod_shape_along(w, e + end), w->bend[end] + 3 * (size_t)e));
    return SP_OK;
}

static sp_status bend_rod(work *w) {
    bool written = sp__build_given(w->node, "curvature");
    for (int e = 0; e < w->elements; e++) {
        if (written || !w->fitted)
            SP_TRY(bend_element(w, w->node, e));
        else
            for (int end = 0; end < 2; end++)
                memcpy(w->bend[end] + 3 * (size_t)e, w->fitted + 3 * (size_t)(e + end), 3 * sizeof(double));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ regions

static sp_status build_region(work *w, const sp_scene_node *region) {
    int *elements, count, first = w->body->rod->first_element[w->strand];
    bool bends = sp__build_attr(region, "curvature") != NULL;
    SP_TRY(sp__build_select(w->run, w->body, region, SP_SELECT_ELEMENTS, &elements, &count));
    w->regions_bend = w->regions_bend || (bends && count);
    for (int i = 0; i < count; i++) {
        int e = elements[i] - first;
        w->region[e] = region->name;
        read_section(region, 0.5 * (rod_shape_along(w, e) + rod_shape_along(w, e + 1)), &w->section[e]);
        SP_TRY(check_section(w, region, &w->section[e], e));
        if (bends) SP_TRY(bend_element(w, region, e));
    }
    return SP_OK;
}

static sp_status fill_elements(work *w) {
    sp_run *run = w->run;
    size_t n = (size_t)w->elements;
    if (!SP_KEEP(&run->scratch, w->section, n) || !SP_KEEP(&run->scratch, w->region, n) ||
        !SP_KEEP(&run->scratch, w->bend[0], 3 * n) || !SP_KEEP(&run->scratch, w->bend[1], 3 * n))
        return sp__build_no_memory(run);
    sp_rod_section section = sp_rod_section_default();
    read_section(w->node, 0, &section);
    SP_TRY(check_section(w, w->node, &section, 0));
    for (size_t e = 0; e < n; e++) w->section[e] = section;
    return bend_rod(w);
}

// ------------------------------------------------------------------------------------------------ strand

// memory: dense matrices for clothoids and helices, banded ones otherwise; plus vectors, frames and the surface
static sp_status rod_shape_reserve(work *w, sp_rod_model model) {
    enum { NODES_MAX = 1 << 28 };
    double n = sp__build_number(w->node, "elements", 4), unknowns = 3 * n + 9;
    double full = model == SP_ROD_CLOTHOID || model == SP_ROD_HELIX ? 40 * unknowns * unknowns : 0;
    if (w->body->rod->nodes + n > NODES_MAX)
        return SP_BUILD_FAIL(w->run, w->node, "elements", "more than %d nodes in one body", NODES_MAX);
    return sp__build_reserve(w->run, w->node, n, 8000 + full / n, "elements");
}

// index of a section of the body; equal sections are merged if they are among the last ones
static sp_status number_section(work *w, sp_rod_sections *all, const sp_rod_section *s, int *out) {
    enum { LOOK_BACK = 64 };
    int last = all->count > LOOK_BACK ? all->count - LOOK_BACK : 0;
    for (*out = all->count - 1; *out >= last; (*out)--) {
        const sp_rod_section *o = &all->list[*out];
        if (o->axes[0] == s->axes[0] && o->axes[1] == s->axes[1] && o->bore == s->bore && o->density == s->density &&
            o->young == s->young && o->poisson == s->poisson)
            return SP_OK;
    }
    if (!SP_KEEP_MORE(&w->run->scratch, all->list, all->count, &all->capacity)) return sp__build_no_memory(w->run);
    all->list[ *out = all->count++] = *s;
    return SP_OK;
}

static sp_status number_sections(work *w, sp_rod_sections *all, sp_rod_strand *out) {
    int *numbers;
    if (!SP_KEEP(&w->run->scratch, numbers, w->elements)) return sp__build_no_memory(w->run);
    for (int e = 0; e < w->elements; e++) {
        sp_rod_section s = w->section[e];
        s.axes[0] *= w->scale, s.axes[1] *= w->scale, s.bore *= w->scale;
        w->body->rod->reach = fmax(w->body->rod->reach, fmax(s.axes[0], s.axes[1]));
        SP_TRY(number_section(w, all, &s, &numbers[e]));
    }
    memcpy(w->body->rod->section + w->body->rod->first_element[w->strand], numbers, (size_t)w->elements * sizeof *numbers);
    out->section = numbers;
    return SP_OK;
}

// curvature at nodes: the mean of the adjacent elements, divided by the scale
static double *at_nodes(const work *w, double scale) {
    double *k;
    if (!SP_KEEP(&w->run->scratch, k, 3 * (size_t)(w->elements + 1))) return NULL;
    for (int n = 0; n <= w->elements; n++)
        for (int c = 0; c < 3; c++) {
            double after = n < w->elements ? w->bend[0][3 * n + c] : w->bend[1][3 * (n - 1) + c];
            double before = n > 0 ? w->bend[1][3 * (n - 1) + c] : after;
            k[3 * n + c] = 0.5 * (before + after) / scale;
        }
    return k;
}

// the initial shape is the path if the natural curvature differs from it
static sp_status fill_curvature(work *w, sp_rod_strand *out) {
    double *start;
    if (!(out->curvature = at_nodes(w, w->scale))) return sp__build_no_memory(w->run);
    if (!w->fitted || !(sp__build_given(w->node, "curvature") || w->regions_bend)) return SP_OK;
    if (!SP_KEEP(&w->run->scratch, start, 3 * (size_t)(w->elements + 1))) return sp__build_no_memory(w->run);
    for (size_t i = 0; i < 3 * (size_t)(w->elements + 1); i++) start[i] = w->fitted[i] / w->scale;
    out->start = start;
    return SP_OK;
}

// initial pose of the root: its own pose, moved by `initial`, then placed
static sp_status place_root(work *w, const sp_place *place, sp_pose *out) {
    const sp_scene_node *initial = sp__next_child(w->node, "initial", NULL);
    sp_place moved = {{1, 1, 1}, sp_pose_identity()};
    if (initial) SP_TRY(sp__build_place(w->run, initial, &moved));
    if (moved.scale[0] != 1 || moved.scale[1] != 1 || moved.scale[2] != 1)
        return SP_BUILD_FAIL(w->run, initial, "scale", "a rod cannot start larger than it is: scale has no effect here");
    sp_pose pose = sp__pose_mul(&moved.pose, &w->root);
    for (int k = 0; k < 3; k++) pose.translate[k] *= place->scale[k];
    *out = sp__pose_mul(&place->pose, &pose);
    return SP_OK;
}

// the strand before placement, for selections
static sp_status rest_strand(work *w, const sp_place *place) {
    sp_rod_rest *rest = w->body->rod->rest;
    sp_rod_strand *own = (sp_rod_strand *)rest->def.strands + w->strand;
    *own = (sp_rod_strand){.length = w->length, .elements = w->elements, .root = w->root};
    rest->place[w->strand] = *place;
    if (!(own->curvature = at_nodes(w, 1))) return sp__build_no_memory(w->run);
    return SP_OK;
}

// first part, before the regions, which may select elements by position
static sp_status begin_strand(work *w, sp_rod_model model) {
    sp_run_rod *rod = w->body->rod;
    sp_place place;
    SP_TRY(find_place(w, &place));
    SP_TRY(check_scaled(w));
    SP_TRY(rod_shape_reserve(w, model));
    SP_TRY(find_length(w, model));
    rod->length[w->strand] = w->length;
    rod->nodes += w->elements + 1, rod->elements += w->elements;
    rod->first_node[w->strand + 1] = rod->nodes, rod->first_element[w->strand + 1] = rod->elements;
    SP_TRY(fill_elements(w));
    return rest_strand(w, &place);
}

static sp_status finish_strand(work *w, sp_rod_sections *sections, sp_rod_strand *out) {
    sp_rod_rest *rest = w->body->rod->rest;
    sp_rod_strand *own = (sp_rod_strand *)rest->def.strands + w->strand;
    *out = (sp_rod_strand){.length = w->length * w->scale, .elements = w->elements};
    SP_TRY(place_root(w, &rest->place[w->strand], &out->root));
    SP_TRY(number_sections(w, sections, out));
    SP_TRY(fill_curvature(w, out));
    if (w->regions_bend && !(own->curvature = at_nodes(w, 1))) return sp__build_no_memory(w->run);
    return SP_OK;
}

// Builds the strands of the body after placement, and those before placement in body->rod->rest
// a section has the name of the region of its elements, if they have one in common
static sp_status name_sections(const work *w, sp_run_rod *rod) {
    if (!SP_KEEP(&w->run->keep, rod->section_name, rod->sections)) return sp__build_no_memory(w->run);
    for (int i = 0; i < rod->strands; i++)
        for (int e = 0; e < w[i].elements; e++) {
            const char *region = w[i].region[e] ? w[i].region[e] : "",
                       **name = &rod->section_name[rod->section[rod->first_element[i] + e]];
            *name = *name && strcmp(*name, region) != 0 ? "" : region;
        }
    return SP_OK;
}

static sp_status build_strands(sp_run *run, sp_run_body *body, sp_rod_model model, sp_rod_sections *sections,
                               sp_rod_strand *out) {
    sp_run_rod *rod = body->rod;
    bool bent = false;
    work *w;
    if (!SP_KEEP(&run->scratch, w, rod->strands)) return sp__build_no_memory(run);
    for (int i = 0; i < rod->strands; i++) {
        w[i] = (work){.run = run, .body = body, .node = rod->node[i], .strand = i};
        SP_TRY(begin_strand(&w[i], model));
    }
    for (int i = 0; i < rod->strands; i++)
        for (const sp_scene_node *r = NULL; (r = sp__next_child(w[i].node, "region", r));) SP_BUILD(build_region(&w[i], r));
    if (run->failed) return SP_BAD_INPUT;
    if (!SP_KEEP(&run->keep, rod->section, rod->elements)) return sp__build_no_memory(run);
    for (int i = 0; i < rod->strands; i++) {
        SP_TRY(finish_strand(&w[i], sections, &out[i]));
        bent = bent || w[i].regions_bend;
    }
    rod->sections = sections->count;
    if (bent) sp__build_forget_rod(body);  // regions changed the shape: discard the positions
    return name_sections(w, rod);
}

// ================================================================================= boundary conditions and loads

// Boundary conditions and loads of a rod: fix, move, load, pull and grow of the scene as the lists of a sp_rod_def. An element
// inside a strand acts on that strand. Directions are in world coordinates, positions in the strand's own coordinates, except the
// target of a spring.

typedef struct lists {
    sp_run *run;
    const sp_run_body *body;
    sp_fix *fix;
    sp_move *move;
    sp_load *load;
    sp_spring_def *pull;
    sp_mass_def *mass;
    int fixes, moves, loads, pulls, masses;
    size_t fix_capacity, move_capacity, load_capacity, pull_capacity, mass_capacity;
} lists;

#define ADD(l, list, count, capacity) SP_KEEP_MORE(&(l)->run->scratch, (l)->list, (l)->count, &(l)->capacity)

// ------------------------------------------------------------------------------------------------ fixed and prescribed nodes

static sp_status add_fix(lists *l, const sp_scene_node *node) {
    int *nodes, count;
    SP_TRY(sp__build_select(l->run, l->body, node, SP_SELECT_NODES, &nodes, &count));
    if (!count) return SP_OK;
    if (!ADD(l, fix, fixes, fix_capacity)) return sp__build_no_memory(l->run);
    l->fix[l->fixes++] = (sp_fix){nodes, count, sp__build_axes(node), sp__build_number(node, "stiffness", 0)};
    return SP_OK;
}

// the default selection is the root
static sp_status add_move(lists *l, int strand, const sp_scene_node *node) {
    const double origin[3] = {0, 0, 0};
    const sp_attr *about = sp__build_attr(node, "about");
    const double *centre = about ? about->numbers : origin;
    int *nodes = &l->body->rod->first_node[strand], count = 1;
    sp_move move = {.axes = sp__build_axes(node)};
    if (sp__selects(node)) SP_TRY(sp__build_select(l->run, l->body, node, SP_SELECT_NODES, &nodes, &count));
    if (strand > 0 && l->body->rod->grows)
        return SP_BUILD_FAIL(l->run, node, NULL, "strands that grow at their tips cannot be moved; mode=\"scale\" keeps nodes");
    if (!count) return SP_OK;
    move.nodes = nodes, move.count = count;
    if (sp__build_is(node, "frame", "world"))
        memcpy(move.about, centre, sizeof move.about);
    else
        sp__place_point(&l->body->rod->rest->place[strand], centre, move.about);
    SP_TRY(sp__build_motion(l->run, node, &move.pose));
    if (!ADD(l, move, moves, move_capacity)) return sp__build_no_memory(l->run);
    l->move[l->moves++] = move;
    return SP_OK;
}

// A body that moves by T(t) moves the roots on it by T(t) T(0)^-1.
typedef struct root_motion {
    sp_pose_signal body;
    sp_pose back;
} root_motion;

static sp_pose inverse_pose(const sp_pose *p) {
    sp_pose out = {{0}, {p->quat[0], -p->quat[1], -p->quat[2], -p->quat[3]}};
    double R[9];
    sp__quat_matrix(out.quat, R);
    sp__mul3(R, p->translate, out.translate);
    for (int k = 0; k < 3; k++) out.translate[k] = -out.translate[k];
    return out;
}

static void eval_root_motion(const void *user, double t, sp_pose *out) {
    const root_motion *c = user;
    sp_pose now = sp_pose_signal_value(&c->body, t);
    *out = sp__pose_mul(&now, &c->back);
}

// prescribes roots that are scattered over a moving body; all strands of a body are on the same one
static sp_status carry_roots(lists *l) {
    const sp_run_rod *rod = l->body->rod;
    const sp_run_body *under = sp__scattered_over(l->run, rod->node[0]);
    root_motion *c;
    int *roots;
    if (!under || !under->rigid.kinematic) return SP_OK;
    if (rod->strands > 1 && rod->grows)
        return SP_BUILD_FAIL(l->run, rod->node[0], NULL,
                             "strands that grow at their tips cannot be carried; mode=\"scale\" keeps nodes");
    if (l->moves)
        return SP_BUILD_FAIL(l->run, sp__next_child(rod->node[0], "move", NULL), NULL,
                             "its root is carried by \"%s\" already, over which it is scattered", under->node->path);
    if (sp__build_is(rod->node[0], "root", "free"))
        return SP_BUILD_FAIL(l->run, rod->node[0], "root",
                             "its root is free: \"%s\", over which it is scattered, cannot carry it", under->node->path);
    if (!SP_KEEP(&l->run->keep, c, 1) || !SP_KEEP(&l->run->scratch, roots, rod->strands) || !ADD(l, move, moves, move_capacity))
        return sp__build_no_memory(l->run);
    sp_pose start = sp_pose_signal_value(&under->rigid.pose, 0);
    *c = (root_motion){under->rigid.pose, inverse_pose(&start)};
    memcpy(roots, rod->first_node, (size_t)rod->strands * sizeof *roots);
    l->move[l->moves++] = (sp_move){roots, rod->strands, SP_AXES_ALL, {0, 0, 0}, {eval_root_motion, c, sp_pose_identity()}};
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ loads

// a signal times a factor
typedef struct share {
    sp_signal whole;
    double part;
} share;

static double eval_share(const void *user, double t) {
    const share *s = user;
    return s->part * sp_signal_value(&s->whole, t);
}

static sp_status shared(sp_run *run, sp_signal whole, double part, sp_signal *out) {
    share *s;
    *out = sp_signal_constant(part * whole.constant);
    if (!whole.eval || part == 1) {
        if (whole.eval) *out = whole;
        return SP_OK;
    }
    if (!SP_KEEP(&run->keep, s, 1)) return sp__build_no_memory(run);
    *s = (share){whole, part};
    *out = (sp_signal){eval_share, s, part * whole.constant};
    return SP_OK;
}

enum { FORCE, EACH, TORQUE, ACCELERATION };
static const char *const kinds[] = {"force", "each", "torque", "acceleration"};
static const sp_load_type types[] = {SP_LOAD_FORCE, SP_LOAD_FORCE, SP_LOAD_TORQUE, SP_LOAD_ACCELERATION};

static int load_kind(const sp_scene_node *node) {
    int i = FORCE;
    while (i < ACCELERATION && !sp__build_given(node, kinds[i])) i++;
    return i;
}

static sp_status add_load(lists *l, int strand, const sp_scene_node *node) {
    sp_rod_spot *spots = NULL;
    int count = 1, kind = load_kind(node);
    bool everywhere = kind == ACCELERATION;
    if (everywhere && strand > 0) return SP_OK;  // acts on the whole body: added once
    if (!everywhere) SP_TRY(sp__rod_spots(l->run, l->body, node, &spots, &count));
    double part = count && kind != EACH && !everywhere ? 1.0 / count : 1;
    for (int i = 0; i < count; i++) {
        sp_load load = {.type = types[kind]};
        if (spots) load.at = (sp_anchor){.elem = (uint32_t)spots[i].element, .at = {spots[i].at}};
        for (int k = 0; k < 3; k++) SP_TRY(shared(l->run, sp__attr_signal(node, kinds[kind], k), part, &load.value[k]));
        if (!ADD(l, load, loads, load_capacity)) return sp__build_no_memory(l->run);
        l->load[l->loads++] = load;
    }
    return SP_OK;
}

static sp_status add_pull(lists *l, const sp_scene_node *node) {
    sp_rod_spot *spots;
    int count;
    SP_TRY(sp__rod_spots(l->run, l->body, node, &spots, &count));
    for (int i = 0; i < count; i++) {
        sp_spring_def pull = {.at = {.elem = (uint32_t)spots[i].element, .at = {spots[i].at}},
                              .stiffness = sp__build_number(node, "stiffness", 100),
                              .damping = sp__build_number(node, "damping", 0)};
        for (int k = 0; k < 3; k++) pull.to[k] = sp__attr_signal(node, "to", k);
        if (!ADD(l, pull, pulls, pull_capacity)) return sp__build_no_memory(l->run);
        l->pull[l->pulls++] = pull;
    }
    return SP_OK;
}

static sp_status add_mass(lists *l, const sp_scene_node *node) {
    sp_rod_spot *spots;
    sp_anchor *at;
    sp_mass_def mass = {.value = sp__attr_signal(node, "value", 0), .inertia = sp__build_number(node, "inertia", 0)};
    SP_TRY(sp__rod_spots(l->run, l->body, node, &spots, &mass.count));
    if (!mass.count) return SP_OK;
    if (!SP_KEEP(&l->run->scratch, at, mass.count) || !ADD(l, mass, masses, mass_capacity)) return sp__build_no_memory(l->run);
    for (int i = 0; i < mass.count; i++) at[i] = (sp_anchor){.elem = (uint32_t)spots[i].element, .at = {spots[i].at}};
    mass.at = at;
    // strands of a merged body have paths of their own
    if (l->body->rod->strands == 1) mass.name = node->path + strlen(l->body->node->path) + 1;
    l->mass[l->masses++] = mass;
    return SP_OK;
}

static sp_status strand_lists(lists *l, int strand) {
    const sp_scene_node *rod = l->body->rod->node[strand];
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "fix", c));) SP_BUILD(add_fix(l, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "move", c));) SP_BUILD(add_move(l, strand, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "load", c));) SP_BUILD(add_load(l, strand, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "pull", c));) SP_BUILD(add_pull(l, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "mass", c));) SP_BUILD(add_mass(l, c));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ growth

static sp_status build_grow(sp_run *run, const sp_run_body *body, sp_rod_def *def) {
    const sp_scene_node *node = sp__next_child(body->node, "grow", NULL);
    sp_rod_grow *grow;
    if (!node) return SP_OK;
    if (!SP_KEEP(&run->scratch, grow, 1)) return sp__build_no_memory(run);
    grow->mode = sp__build_is(node, "mode", "scale") ? SP_GROW_SCALE : SP_GROW_TIP;
    grow->rate = sp__attr_signal(node, "rate", 0);
    grow->until = sp__build_number(node, "until", 0);
    grow->split = sp__build_number(node, "split", 0);
    for (int k = 0; k < 3; k++) grow->curvature[k] = sp__attr_signal(node, "curvature", k);
    for (int i = 0; i < body->rod->strands; i++)
        if (grow->until < body->rod->length[i])
            return SP_BUILD_FAIL(run, node, "until", "until = %g, must be at least the length of \"%s\", %g", grow->until,
                                 body->rod->node[i]->path, body->rod->length[i]);
    if (grow->mode == SP_GROW_TIP && grow->split == 0)
        sp__scene_note_auto(run->scene, node, "split", "%.6g m: 1.5 times the first length of an element",
                            1.5 * body->rod->length[0] / body->rod->first_element[1]);
    def->grow = grow;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ feed

static sp_status build_feed(sp_run *run, const sp_run_body *body, sp_rod_def *def) {
    const sp_scene_node *node = sp__next_child(body->node, "feed", NULL);
    sp_rod_feed *feed;
    if (!node) return SP_OK;
    if (body->rod->strands > 1)
        return SP_BUILD_FAIL(run, node, NULL, "a merged body of %d strands cannot be fed: one rod passes an entry point",
                             body->rod->strands);
    if (sp__scattered_over(run, body->node))
        return SP_BUILD_FAIL(run, node, NULL, "a rod that is scattered over a body cannot be fed");
    if (!SP_KEEP(&run->scratch, feed, 1)) return sp__build_no_memory(run);
    feed->name = node->path + strlen(body->node->path) + 1;
    memcpy(feed->at, sp__build_attr(node, "at")->numbers, sizeof feed->at);
    memcpy(feed->direction, sp__build_attr(node, "direction")->numbers, sizeof feed->direction);
    feed->speed = sp__attr_signal(node, "speed", 0), feed->spin = sp__attr_signal(node, "spin", 0);
    def->feed = feed;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ all conditions

// an equilibrium is unique only if the rod is supported; contact may be a support too
static sp_status check_static(sp_run *run, const sp_run_body *body, const sp_rod_def *def) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    bool touches = sp__next_child(root, "contact", NULL) && sp__next_child(root, "rigid", NULL);
    if (def->integrator.type != SP_STATIC || !def->free_root || touches) return SP_OK;
    if (def->fix_count || def->move_count || def->spring_count) return SP_OK;
    return SP_BUILD_FAIL(run, body->node, NULL, "a static integrator, but nothing holds the rod: there is no unique equilibrium");
}

static sp_status build_rod_loads(sp_run *run, const sp_run_body *body, sp_rod_def *def) {
    lists l = {.run = run, .body = body};
    for (int i = 0; i < body->rod->strands; i++) SP_TRY(strand_lists(&l, i));
    SP_BUILD(carry_roots(&l));
    SP_BUILD(build_grow(run, body, def));
    SP_BUILD(build_feed(run, body, def));
    def->fixes = l.fix, def->fix_count = l.fixes;
    def->moves = l.move, def->move_count = l.moves;
    def->loads = l.load, def->load_count = l.loads;
    def->springs = l.pull, def->spring_count = l.pulls;
    def->masses = l.mass, def->mass_count = l.masses;
    return check_static(run, body, def);
}

// ======================================================================================================= the rod

static sp_rod_model model_of(const sp_scene_node *node) {
    static const char *const models[] = {"clothoid", "helix", "der", "beam"};
    // piecewise constant curvature makes the element a helix
    if (sp__build_given(node, "degree") && sp__build_number(node, "degree", 1) == 0) return SP_ROD_HELIX;
    for (int i = 0; i < 4; i++)
        if (sp__build_is(node, "model", models[i])) return (sp_rod_model)i;
    return SP_ROD_CLOTHOID;
}

// ------------------------------------------------------------------------------------------------ allocation

static sp_status reserve_strands(sp_run *run, sp_run_body *body, sp_rod_strand **strands) {
    const sp_scene_node *node = body->node;
    int n = node->strand_count ? node->strand_count : 1;
    sp_run_rod *rod;
    sp_rod_strand *own;
    sp_rod_rest *rest;
    if (!SP_KEEP(&run->keep, rod, 1) || !SP_KEEP(&run->keep, rod->node, n) || !SP_KEEP(&run->keep, rod->first_node, n + 1) ||
        !SP_KEEP(&run->keep, rod->first_element, n + 1) || !SP_KEEP(&run->keep, rod->length, n) ||
        !SP_KEEP(&run->scratch, rest, 1) || !SP_KEEP(&run->scratch, rest->place, n) || !SP_KEEP(&run->scratch, own, n) ||
        !SP_KEEP(&run->scratch, *strands, n))
        return sp__build_no_memory(run);
    rod->strands = n;
    for (int i = 0; i < n; i++) rod->node[i] = node->strand_count ? node->strands[i] : node;
    const sp_scene_node *grow = sp__next_child(node, "grow", NULL);
    rod->grows = grow && !sp__build_is(grow, "mode", "scale");
    rest->def = sp_rod_def_default();
    rest->def.strands = own, rest->def.strand_count = n;
    rod->rest = rest;
    body->rod = rod;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ appearance

static bool is_flat(const sp_rod_section *s) {
    return fmax(s->axes[0], s->axes[1]) >= 4 * fmin(s->axes[0], s->axes[1]);
}

static bool is_collision_tube(const sp_scene_node *surface) {
    const sp_attr *role = sp__attr(surface, "role");
    for (int i = 0; i < role->count && !sp__build_given(surface, "file"); i++)
        if (strcmp(role->words[i], "collision") == 0) return true;
    return false;
}

// the section decides the surface: a ribbon if flat, else a tube
static sp_status build_embedded_surface(sp_run *run, const sp_run_body *body, const sp_rod_sections *sections, sp_rod_def *def) {
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "surface", c));) {
        bool ribbon = sp__build_is(c, "map", "ribbon"), tube = sp__build_is(c, "map", "tube");
        if (sp__build_given(c, "sides")) def->sides = (int)sp__build_number(c, "sides", 0);
        // its vertices are points of contact, whose number must not depend on what is drawn
        if (!def->sides && is_collision_tube(c)) def->sides = body->rod->strands > 100 ? 6 : 12;
        for (int i = 0; (ribbon || tube) && i < sections->count; i++) {
            if (is_flat(&sections->list[i]) == ribbon) continue;
            const double *a = sections->list[i].axes;
            return SP_BUILD_FAIL(run, c, "map", "map=\"%s\": a section of %g by %g is drawn as a %s, which is one that is %s",
                                 ribbon ? "ribbon" : "tube", a[0], a[1], ribbon ? "tube" : "ribbon",
                                 ribbon ? "less than 4 times as wide as thick" : "4 times as wide as thick, or more");
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rod

static void fill_plain(const sp_scene_node *node, sp_rod_def *def) {
    const sp_attr *rayleigh = sp__build_attr(node, "rayleigh"), *curvature = sp__attr(node, "curvature");
    def->name = node->path;
    def->model = model_of(node);
    def->free_root = sp__build_is(node, "root", "free");
    def->edge_clamp = sp__build_is(node, "clamp", "edge");
    if (rayleigh) def->rayleigh_mass = rayleigh->numbers[0], def->rayleigh_stiffness = rayleigh->numbers[1];
    def->drag = sp__build_number(node, "drag", 0);
    def->natural_in_time = sp__attr_varies(curvature, SP_ATTR_OF_TIME);
    for (int k = 0; def->natural_in_time && k < 3; k++) def->natural[k] = sp__attr_signal(node, "curvature", k);
    const sp_scene_node *initial = sp__next_child(node, "initial", NULL);
    const sp_attr *velocity = initial ? sp__build_attr(initial, "velocity") : NULL,
                  *spin = initial ? sp__build_attr(initial, "spin") : NULL;
    if (velocity) memcpy(def->velocity, velocity->numbers, sizeof def->velocity);
    if (spin) memcpy(def->spin, spin->numbers, sizeof def->spin);
    sp__build_integrator(node, &def->integrator);
    sp__build_solver(node, &def->solver);
    def->compliance = sp__build_compliance(node);
}

static sp_status fill_def(sp_run *run, sp_run_body *body, sp_rod_def *def) {
    sp_rod_strand *strands;
    sp_rod_sections sections = {0};
    SP_TRY(reserve_strands(run, body, &strands));
    fill_plain(body->node, def);
    sp_rod_rest *rest = body->rod->rest;
    sp_rod_section *plain;
    if (!SP_KEEP(&run->scratch, plain, 1)) return sp__build_no_memory(run);
    *plain = sp_rod_section_default();
    plain->axes[0] = plain->axes[1] = 1e-3;  // the rest shape does not depend on it
    rest->def.model = def->model, rest->def.free_root = def->free_root;
    rest->def.sections = plain, rest->def.section_count = 1;
    SP_TRY(build_strands(run, body, def->model, &sections, strands));
    def->strands = strands, def->strand_count = body->rod->strands;
    def->sections = sections.list, def->section_count = sections.count;
    SP_BUILD(build_embedded_surface(run, body, &sections, def));
    SP_BUILD(build_rod_loads(run, body, def));
    return SP_OK;
}

static sp_status check_names(sp_run *run, const sp_scene_node *node) {
    if (strlen(node->path) >= 64)
        return SP_BUILD_FAIL(run, node, "name", "its path \"%s\" has %zu characters, at most 63 can be used", node->path,
                             strlen(node->path));
    return SP_OK;
}

static sp_status build_rod(sp_run *run, const sp_scene_node *node) {
    sp_run_body *body = &run->bodies[run->body_count++];
    sp_rod_def def = sp_rod_def_default();
    bool failed = run->failed;
    *body = (sp_run_body){.node = node, .builder = &sp__rod_builder};
    SP_TRY(check_names(run, node));
    run->failed = false;
    sp_status status = fill_def(run, body, &def);
    failed = failed || run->failed;
    run->failed = failed;
    if (status < 0) return status;
    if (failed) return SP_BAD_INPUT;
    status = sp_world_add_rod(run->world, &def, &body->id);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    return sp__build_say_solver(run, body);
}

const sp_builder sp__rod_builder = {.element = "rod",
                                    .build = build_rod,
                                    .probe = sp__rod_probe,
                                    .select = sp__rod_select,
                                    .item_count = sp__rod_item_count,
                                    .item_number = sp__rod_item_number,
                                    .along = true};
