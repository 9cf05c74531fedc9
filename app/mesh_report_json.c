// What an examination found, as one JSON object.
#include "mesh.h"

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
        for (const sp_defect *d; (d = sp_mesh_report_at(report, at)) && (int)d->kind == k; at++) {
            sp__json_open(j, NULL, '{');
            add_ids(j, "elements", d->elements, d->element_count);
            add_ids(j, "nodes", d->nodes, d->node_count);
            sp__json_number(j, "value", d->value);
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
    sp__json_integer(j, "dropped_duplicates", r->dropped_twins);
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
    sp__json_text(&j, "kind", f->content.tetrahedra ? "tetrahedra" : "triangles");
    add_stats(&j, sp_mesh_report_stats(f->report));
    add_groups(&j, &f->content);
    add_defects(&j, f->report);
    if (f->repaired) add_repairs(&j, f);
    sp__json_close(&j, '}');
}
