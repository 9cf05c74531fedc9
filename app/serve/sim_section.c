// Cross sections of the bodies with the clipping planes of clients. Values inside bodies exist only here, so that caps are made
// by the server: once per frame for each different plane and field, and only while a client clips.
#include <math.h>
#include <string.h>

#include "serve/sim_internal.h"

static bool body_section(sp_sim *s, sp_sim_body *b) {
    if (!b->clipped) return false;
    if (!b->section && sp_section_create(s->stage.world, b->id, &b->section) < 0) b->clipped = false;  // it has no tetrahedra
    return b->section != NULL;
}

// The field may be one that this body does not have.
static bool update_section(sp_sim_body *b, int colour) {
    sp_field_info field;
    bool known = sp__wire_field(colour, &field) && sp_section_update(b->section, field.name) >= 0;
    return known || sp_section_update(b->section, NULL) >= 0;
}

// the next `count` numbers of four bytes of a buffer that has room for them
static void *take_numbers(sp_buffer *b, size_t count) {
    void *at = b->data + b->size;
    b->size += 4 * count;
    return at;
}

static void widen(sp_sim_section *to, float v) {
    if (v < to->least || (isnan(to->least) && !isnan(v))) to->least = v;
    if (v > to->greatest || (isnan(to->greatest) && !isnan(v))) to->greatest = v;
}

static void copy_section(const sp_section_faces *from, uint32_t body, sp_buffer *memory, sp_sim_section *to) {
    size_t v = (size_t)from->vertex_count, f = 3 * (size_t)from->face_count;
    sp_frame_section *s = &to->list[to->count++];
    *s = (sp_frame_section){.body = body, .vertex_count = (uint32_t)v, .face_count = (uint32_t)from->face_count};
    s->positions = take_numbers(memory, 3 * v), s->regions = take_numbers(memory, v), s->faces = take_numbers(memory, f);
    if (from->values) s->values = take_numbers(memory, v);
    for (size_t i = 0; i < 3 * v; i++) s->positions[i] = (float)from->positions[i];
    for (size_t i = 0; i < v; i++) s->regions[i] = (uint32_t)from->regions[i];
    for (size_t i = 0; i < v && from->values; i++) widen(to, s->values[i] = (float)from->values[i]);
    memcpy(s->faces, from->faces, f * sizeof *s->faces);
}

// Sections keep their result until they are cut again: the bodies are cut first, then copied to memory of the right size.
static void cut_bodies(sp_sim *s, sp_buffer *memory, sp_sim_section *out) {
    sp_sim_stage *g = &s->stage;
    size_t bodies = (size_t)g->body_count, numbers = 0;
    out->count = 0, out->least = out->greatest = NAN;
    memory->size = 0;
    for (size_t i = 0; i < bodies; i++) {
        sp_sim_body *b = &g->bodies[i];
        b->cut = (sp_section_faces){0};
        if (body_section(s, b)) sp_section_cut(b->section, out->cut.plane.point, out->cut.plane.normal, &b->cut);
        numbers += 5 * (size_t)b->cut.vertex_count + 3 * (size_t)b->cut.face_count;
    }
    if (!sp__buffer_reserve(NULL, memory, bodies * sizeof *out->list + 4 * numbers)) {
        memory->broken = false;
        return;
    }
    memory->size = bodies * sizeof *out->list;
    out->list = (void *)memory->data;
    for (size_t i = 0; i < bodies; i++)
        if (g->bodies[i].cut.face_count > 0) copy_section(&g->bodies[i].cut, g->bodies[i].id.slot, memory, out);
}

// the different planes of a request; a client with one too many gets none
static void list_sections(sp_sim_slot *slot, const sp_sim_want *want) {
    sp_sim_frame *f = &slot->frame;
    f->cut_count = slot->section_count = 0, f->sections = slot->sections;
    for (int i = 0; i < want->cut_count; i++) {
        int k = 0;
        while (k < slot->section_count && !sp__cuts_equal(&slot->sections[k].cut, &want->cuts[i])) k++;
        if (k == SP_SECTIONS_MAX) continue;
        if (k == slot->section_count) slot->sections[slot->section_count++] = (sp_sim_section){.cut = want->cuts[i]};
        f->section_of[f->cut_count] = k, f->cuts[f->cut_count++] = want->cuts[i];
    }
}

void sp__sim_make_sections(sp_sim *s, sp_sim_slot *slot, const sp_sim_want *want) {
    list_sections(slot, want);
    // one update of the bodies for all planes of a field
    for (int colour = 0; colour < SP_FIELD_CODES; colour++) {
        bool updated = false;
        for (int k = 0; k < slot->section_count; k++) {
            if (slot->sections[k].cut.colour != colour) continue;
            for (int i = 0; i < s->stage.body_count && !updated; i++)
                if (body_section(s, &s->stage.bodies[i])) update_section(&s->stage.bodies[i], colour);
            updated = true;
            cut_bodies(s, &slot->numbers[k], &slot->sections[k]);
        }
    }
}

void sp__sim_free_sections(sp_sim_slot *slot) {
    for (int k = 0; k < SP_SECTIONS_MAX; k++) sp__buffer_free(NULL, &slot->numbers[k]);
}
