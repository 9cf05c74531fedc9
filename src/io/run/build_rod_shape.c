// One strand: length, sections and curvature along its elements. Regions override the rod, and later regions override earlier
// ones, attribute by attribute. The engine needs curvature at nodes: the mean of the two elements of a node. A placement may
// scale a rod uniformly: lengths and semi-axes are multiplied, curvatures divided.
#include "io/run/build_rod.h"

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
    SP_TRY(sp__build_path_points(w->run, path, &points, &count));
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
        read_section(region, 0.5 * (rod_shape_along(w, e) + rod_shape_along(w, e + 1)), &w->section[e]);
        SP_TRY(check_section(w, region, &w->section[e], e));
        if (bends) SP_TRY(bend_element(w, region, e));
    }
    return SP_OK;
}

static sp_status fill_elements(work *w) {
    sp_run *run = w->run;
    size_t n = (size_t)w->elements;
    if (!SP_KEEP(&run->scratch, w->section, n) || !SP_KEEP(&run->scratch, w->bend[0], 3 * n) ||
        !SP_KEEP(&run->scratch, w->bend[1], 3 * n))
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

sp_status sp__build_strands(sp_run *run, sp_run_body *body, sp_rod_model model, sp_rod_sections *sections, sp_rod_strand *out) {
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
    return SP_OK;
}
