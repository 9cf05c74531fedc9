// Items by index as values, with zeros past the end: for tests that look at a single item.
#ifndef SP_TEST_AT_H
#define SP_TEST_AT_H

#include "souple/io.h"
#include "souple/souple.h"

static inline sp_event event_at(const sp_world *world, int index) {
    sp_event event = {0};
    sp_world_event_at(world, index, &event);
    return event;
}

static inline sp_scene_message message_at(const sp_scene *scene, int index) {
    sp_scene_message message = {.text = ""};
    sp_scene_message_at(scene, index, &message);
    return message;
}

static inline sp_mesh_group group_at(const sp_mesh *mesh, int index) {
    sp_mesh_group group = {0};
    sp_mesh_group_at(mesh, index, &group);
    return group;
}

static inline sp_mesh_array array_at(const sp_mesh *mesh, int index) {
    sp_mesh_array array = {0};
    sp_mesh_array_at(mesh, index, &array);
    return array;
}

static inline sp_defect defect_at(const sp_mesh_report *report, int index) {
    sp_defect defect = {0};
    sp_mesh_report_at(report, index, &defect);
    return defect;
}

#endif
