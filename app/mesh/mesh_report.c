// Text report of an examination: defects first, then the numbers, then histograms of the shapes.
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

enum { BAR = 40, LISTED_MAX = 8 };

long long sp__findings_defects(const sp_mesh_report *report) {
    long long sum = 0;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) sum += sp_mesh_report_count(report, (sp_defect_kind)k, NULL);
    return sum;
}

// ---------------------------------------------------------------------------------------------------- defects

static bool only_linear(const sp_mesh_stats *s) {
    return s->type_counts[SP_ELEMENT_TET4] == s->element_count;
}

// one element, in a sentence
static const char *element_word(const sp_mesh_stats *s) {
    return !s->tetrahedra ? "triangle" : only_linear(s) ? "tetrahedron" : "element";
}

static void print_defect(const sp_defect *d, const sp_mesh_stats *s, FILE *file) {
    const char *element = element_word(s), *gap = "      ";
    bool tetrahedra = s->tetrahedra;
    for (int i = 0; i < d->element_count; i++, gap = " and ") fprintf(file, "%s%s %lld", gap, element, (long long)d->elements[i]);
    if (d->element_count && d->node_count) gap = ", ";
    for (int i = 0; i < d->node_count; i++, gap = " and ") fprintf(file, "%snode %lld", gap, (long long)d->nodes[i]);
    bool volume = d->kind == SP_DEFECT_INVERTED || d->kind == SP_DEFECT_INSIDE_OUT || (d->kind == SP_DEFECT_FLAT && tetrahedra);
    if (volume) fprintf(file, ", %.4g m3", d->value);
    if (d->kind == SP_DEFECT_DISTORTED) fprintf(file, ", determinant down to %.4g m3", d->value);
    if (d->kind == SP_DEFECT_FLAT && !tetrahedra) fprintf(file, ", %.4g m2", d->value);
    if (d->kind == SP_DEFECT_COINCIDENT) fprintf(file, ", %.4g m apart", d->value);
    fputc('\n', file);
}

static void print_defects(const sp_mesh_report *report, FILE *file) {
    const sp_mesh_stats *s = sp_mesh_report_stats(report);
    int at = 0;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) {
        bool whole;
        long long count = sp_mesh_report_count(report, (sp_defect_kind)k, &whole), listed = 0;
        if (count == 0 && whole) continue;
        fprintf(file, "  %s%lld %s: %s\n", whole ? "" : "at least ", count, sp_defect_name((sp_defect_kind)k),
                sp_defect_text((sp_defect_kind)k));
        sp_defect d;
        for (; sp_mesh_report_at(report, at, &d) >= 0 && (int)d.kind == k; at++, listed++) print_defect(&d, s, file);
        if (listed < count && listed > 0) fprintf(file, "      ... and %lld more\n", count - listed);
    }
}

// ---------------------------------------------------------------------------------------------------- numbers

static void row(sp_table *t, const char *what) {
    sp__table_row(t);
    sp__table_cell(t, "%s", what);
}

static void add_surface(sp_table *t, const sp_mesh_stats *s) {
    row(t, s->tetrahedra ? "boundary" : "surface");
    int genus =
        s->closed_count == s->shell_count ? (2 * s->shell_count - (s->vertex_count - s->edge_count + s->face_count)) / 2 : 0;
    sp__table_cell(t, "%d triangles, %d vertices, %.6g m2", s->face_count, s->vertex_count, s->area);
    row(t, "");
    if (s->closed_count == s->shell_count)
        sp__table_cell(t, "closed, %d part%s, %d handle%s", s->shell_count, s->shell_count == 1 ? "" : "s", genus,
                       genus == 1 ? "" : "s");
    else
        sp__table_cell(t, "%d part%s, %d of them open", s->shell_count, s->shell_count == 1 ? "" : "s",
                       s->shell_count - s->closed_count);
}

static const char *element_row(const sp_mesh_stats *s) {
    return !s->tetrahedra ? "triangles" : only_linear(s) ? "tetrahedra" : "elements";
}

static void add_numbers(sp_table *t, const sp_mesh_stats *s) {
    row(t, "nodes"), sp__table_cell(t, "%d", s->node_count);
    char types[120];
    sp__mesh_elements_text(s->type_counts, types, sizeof types);
    row(t, element_row(s));
    if (s->tetrahedra && !only_linear(s))
        sp__table_cell(t, "%s", types);
    else
        sp__table_cell(t, "%d", s->element_count);
    row(t, "components"), sp__table_cell(t, "%d", s->component_count);
    row(t, s->tetrahedra ? "volume" : "encloses");
    if (isfinite(s->volume))
        sp__table_cell(t, "%.6g m3", s->volume);
    else
        sp__table_cell(t, "nothing: it is open");
    row(t, "from"), sp__table_cell(t, "%.6g %.6g %.6g m", s->low[0], s->low[1], s->low[2]);
    row(t, "to"), sp__table_cell(t, "%.6g %.6g %.6g m", s->high[0], s->high[1], s->high[2]);
    row(t, "extent"),
        sp__table_cell(t, "%.6g %.6g %.6g m", s->high[0] - s->low[0], s->high[1] - s->low[1], s->high[2] - s->low[2]);
    row(t, "edges"), sp__table_cell(t, "%.4g .. %.4g m, mean %.4g m", s->edge_min, s->edge_max, s->edge_mean);
    add_surface(t, s);
}

static void add_carried(sp_table *t, const sp_mesh_file_content *c) {
    const sp_mesh_group *groups = c->tetrahedra ? c->mesh.groups : c->surface.groups;
    const sp_mesh_array *arrays = c->tetrahedra ? c->mesh.arrays : c->surface.arrays;
    int group_count = c->tetrahedra ? c->mesh.group_count : c->surface.group_count;
    int array_count = c->tetrahedra ? c->mesh.array_count : c->surface.array_count;
    for (int i = 0; i < group_count && i < LISTED_MAX; i++) {
        row(t, i ? "" : "groups");
        sp__table_cell(t, "\"%.40s\": %d elements, %d nodes", groups[i].name, groups[i].element_count, groups[i].node_count);
    }
    if (group_count > LISTED_MAX) row(t, ""), sp__table_cell(t, "... and %d more", group_count - LISTED_MAX);
    for (int i = 0; i < array_count && i < LISTED_MAX; i++) {
        row(t, i ? "" : "arrays");
        sp__table_cell(t, "\"%.40s\" on %s", arrays[i].name, arrays[i].on_elements ? "elements" : "nodes");
    }
    if (array_count > LISTED_MAX) row(t, ""), sp__table_cell(t, "... and %d more", array_count - LISTED_MAX);
    if (!c->tetrahedra && (c->surface.texcoords || c->surface.normals || c->surface.colors)) {
        row(t, "also");
        sp__table_cell(t, "%s%s%s", c->surface.texcoords ? "texture coordinates " : "", c->surface.normals ? "normals " : "",
                       c->surface.colors ? "colours" : "");
    }
}

// ---------------------------------------------------------------------------------------------------- histograms

static void print_bars(const int64_t *counts, int n, double width, const char *unit, FILE *file) {
    int64_t sum = 0, most = 0;
    int first = n, last = -1;
    char bar[BAR + 1];
    for (int i = 0; i < n; i++) {
        sum += counts[i];
        most = counts[i] > most ? counts[i] : most;
        if (counts[i]) first = first < i ? first : i, last = i;
    }
    for (int i = first; i <= last; i++) {
        int length = (int)ceil((double)BAR * (double)counts[i] / (double)most);
        memset(bar, '#', (size_t)length);
        bar[length] = 0;
        fprintf(file, "  %5g .. %-5g%s %5.1f %%  %s\n", i * width, (i + 1) * width, unit, 100.0 * (double)counts[i] / (double)sum,
                bar);
    }
}

static void print_shapes(const sp_mesh_stats *s, FILE *file) {
    if (isfinite(s->jacobian_min))
        fprintf(file,
                "\n  Jacobian ratio (smallest to largest determinant, 1 undistorted), mean %.3f, worst %.3g (element %lld)\n",
                s->jacobian_mean, s->jacobian_min, (long long)s->jacobian_worst);
    if (!isfinite(s->angle_min)) return;
    fprintf(file, "\n  %s, %.4g .. %.4g deg\n", s->tetrahedra ? "dihedral angles" : "angles", s->angle_min, s->angle_max);
    print_bars(s->angles, 18, 10, " deg", file);
    fprintf(file, "\n  shape (inscribed to circumscribed radius, 1 regular, 0 flat), mean %.3f, worst %.3g (%s %lld)\n",
            s->ratio_mean, s->ratio_min, element_word(s), (long long)s->worst);
    print_bars(s->ratios, 10, 0.1, "", file);
    if (isfinite(s->aspect_max)) fprintf(file, "  longest edge to inscribed radius, 1 regular: at most %.4g\n", s->aspect_max);
}

// ---------------------------------------------------------------------------------------------------- repairs

static void mesh_report_say(FILE *file, int count, const char *one, const char *many) {
    if (count) fprintf(file, "  %d %s\n", count, count == 1 ? one : many);
}

static void print_repairs(const sp_mesh_findings *f, FILE *file) {
    const sp_mesh_repairs *r = &f->repairs;
    bool tets = f->content.tetrahedra;
    fprintf(file, "\nrepaired, in %s:\n", f->repaired_path);
    mesh_report_say(file, r->welded, "node welded to another", "nodes welded to others");
    mesh_report_say(file, r->dropped_nodes, "node of no element left out", "nodes of no element left out");
    mesh_report_say(file, r->dropped_broken, "broken element left out", "broken elements left out");
    mesh_report_say(file, r->dropped_flat, "degenerate element left out", "degenerate elements left out");
    mesh_report_say(file, r->dropped_duplicates, "duplicate element left out", "duplicate elements left out");
    mesh_report_say(file, r->turned, tets ? "tetrahedron oriented positively" : "triangle turned",
                    tets ? "tetrahedra oriented positively" : "triangles turned");
    mesh_report_say(file, r->unorientable, "edge whose triangles cannot be oriented consistently",
                    "edges whose triangles cannot be oriented consistently");
    if (!(r->welded || r->dropped_nodes || r->dropped_broken || r->dropped_flat || r->dropped_duplicates || r->turned))
        fprintf(file, "  nothing had to be done\n");
    long long left = sp__findings_defects(f->after);
    if (left == 0) {
        fprintf(file, "no defects are left\n");
        return;
    }
    fprintf(file, "%lld defect%s left:\n", left, left == 1 ? " is" : "s are");
    print_defects(f->after, file);
}

void sp__print_findings(const sp_mesh_findings *f, FILE *file) {
    const sp_mesh_stats *s = sp_mesh_report_stats(f->report);
    long long defects = sp__findings_defects(f->report);
    sp_table t = {.left = 3};
    fprintf(file, "%s: %s, ", f->path, f->content.format ? f->content.format : "mesh");
    if (defects == 0)
        fprintf(file, "no defects\n");
    else
        fprintf(file, "%lld defect%s\n", defects, defects == 1 ? "" : "s");
    print_defects(f->report, file);
    fputc('\n', file);
    add_numbers(&t, s);
    add_carried(&t, &f->content);
    sp__table_print(&t, file, 2);
    sp__table_free(&t);
    print_shapes(s, file);
    if (f->repaired) print_repairs(f, file);
}

// ---- as one JSON object

static void add_ids(sp_json *j, const char *key, const int64_t *ids, int count) {
    sp__json_open(j, key, '[');
    for (int i = 0; i < count; i++) sp__json_integer(j, NULL, (long long)ids[i]);
    sp__json_close(j, ']');
}

static void add_defects(sp_json *j, const sp_mesh_report *report) {
    int at = 0;
    sp__json_integer(j, "defect_count", sp__findings_defects(report));
    sp__json_open(j, "defects", '{');
    for (int k = 0; k < SP_DEFECT_KINDS; k++) {
        bool whole;
        long long count = sp_mesh_report_count(report, (sp_defect_kind)k, &whole);
        sp__json_open(j, sp_defect_name((sp_defect_kind)k), '{');
        sp__json_integer(j, "count", count);
        sp__json_yes(j, "whole", whole);
        sp__json_open(j, "first", '[');
        sp_defect d;
        for (; sp_mesh_report_at(report, at, &d) >= 0 && (int)d.kind == k; at++) {
            sp__json_open(j, NULL, '{');
            add_ids(j, "elements", d.elements, d.element_count);
            add_ids(j, "nodes", d.nodes, d.node_count);
            sp__json_number(j, "value", d.value);
            sp__json_close(j, '}');
        }
        sp__json_close(j, ']');
        sp__json_close(j, '}');
    }
    sp__json_close(j, '}');
}

static void add_stats(sp_json *j, const sp_mesh_stats *s) {
    sp__json_integer(j, "nodes", s->node_count);
    sp__json_integer(j, "elements", s->element_count);
    if (s->tetrahedra) {
        sp__json_open(j, "types", '{');
        sp__json_integer(j, "tetrahedra", s->type_counts[SP_ELEMENT_TET4]);
        sp__json_integer(j, "quadratic_tetrahedra", s->type_counts[SP_ELEMENT_TET10]);
        sp__json_integer(j, "hexahedra", s->type_counts[SP_ELEMENT_HEX8]);
        sp__json_close(j, '}');
    }
    sp__json_integer(j, "components", s->component_count);
    sp__json_number(j, "volume", s->volume);
    sp__json_vector(j, "low", s->low, 3);
    sp__json_vector(j, "high", s->high, 3);
    sp__json_number(j, "tolerance", s->tolerance);
    sp__json_open(j, "surface", '{');
    sp__json_integer(j, "faces", s->face_count);
    sp__json_integer(j, "edges", s->edge_count);
    sp__json_integer(j, "vertices", s->vertex_count);
    sp__json_number(j, "area", s->area);
    sp__json_integer(j, "parts", s->shell_count);
    sp__json_integer(j, "closed_parts", s->closed_count);
    sp__json_yes(j, "closed", s->closed_count == s->shell_count);
    sp__json_close(j, '}');
    sp__json_open(j, "edges", '{');
    sp__json_number(j, "min", s->edge_min);
    sp__json_number(j, "mean", s->edge_mean);
    sp__json_number(j, "max", s->edge_max);
    sp__json_close(j, '}');
    sp__json_open(j, "angles", '{');
    sp__json_number(j, "min", s->angle_min);
    sp__json_number(j, "max", s->angle_max);
    add_ids(j, "per_10_degrees", s->angles, 18);
    sp__json_close(j, '}');
    sp__json_open(j, "radius_ratio", '{');
    sp__json_number(j, "min", s->ratio_min);
    sp__json_number(j, "mean", s->ratio_mean);
    sp__json_integer(j, "worst", (long long)s->worst);
    add_ids(j, "per_tenth", s->ratios, 10);
    sp__json_close(j, '}');
    sp__json_number(j, "aspect_max", s->aspect_max);
    sp__json_open(j, "jacobian_ratio", '{');
    sp__json_number(j, "min", s->jacobian_min);
    sp__json_number(j, "mean", s->jacobian_mean);
    sp__json_integer(j, "worst", (long long)s->jacobian_worst);
    sp__json_close(j, '}');
}

static void add_groups(sp_json *j, const sp_mesh_file_content *c) {
    const sp_mesh_group *groups = c->tetrahedra ? c->mesh.groups : c->surface.groups;
    int count = c->tetrahedra ? c->mesh.group_count : c->surface.group_count;
    sp__json_open(j, "groups", '[');
    for (int i = 0; i < count; i++) {
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", groups[i].name);
        sp__json_integer(j, "elements", groups[i].element_count);
        sp__json_integer(j, "nodes", groups[i].node_count);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static void add_repairs(sp_json *j, const sp_mesh_findings *f) {
    const sp_mesh_repairs *r = &f->repairs;
    sp__json_open(j, "repair", '{');
    sp__json_text(j, "file", f->repaired_path);
    sp__json_integer(j, "welded", r->welded);
    sp__json_integer(j, "dropped_nodes", r->dropped_nodes);
    sp__json_integer(j, "dropped_broken", r->dropped_broken);
    sp__json_integer(j, "dropped_degenerate", r->dropped_flat);
    sp__json_integer(j, "dropped_duplicates", r->dropped_duplicates);
    sp__json_integer(j, "turned", r->turned);
    sp__json_integer(j, "unorientable", r->unorientable);
    add_stats(j, sp_mesh_report_stats(f->after));
    add_defects(j, f->after);
    sp__json_close(j, '}');
}

void sp__print_findings_json(const sp_mesh_findings *f, FILE *file) {
    sp_json j = {.file = file};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "file", f->path);
    sp__json_text(&j, "format", f->content.format);
    sp__json_text(&j, "kind", element_row(sp_mesh_report_stats(f->report)));
    add_stats(&j, sp_mesh_report_stats(f->report));
    add_groups(&j, &f->content);
    add_defects(&j, f->report);
    if (f->repaired) add_repairs(&j, f);
    sp__json_close(&j, '}');
}
