# Converts callers of souple 0.1 to 0.2:  sed -i -f tools/migrate-0.2.sed FILES
# sed does not know types: a rule for a field applies where the name before it says what it is (solver.op, my_solver->op).

# sp_solver_def: options in a group per solver
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)step\b/\1automatic.step/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)aim_ms\b/\1automatic.aim_ms/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)op\b/\1cg.op/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)preconditioner\b/\1pcg.preconditioner/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)refresh\b/\1pcg.refresh/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)refresh_every\b/\1pcg.refresh_every/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)warp\b/\1pcg.warp/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)lag\b/\1pcg.lag/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)drop\b/\1pcg.drop/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)omega\b/\1pcg.omega/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)ordering\b/\1cholesky.ordering/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)factor\b/\1cholesky.factor/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)precision\b/\1cholesky.precision/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)threshold\b/\1updated.threshold/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)budget_ms\b/\1updated.budget_ms/g
s/\b\([A-Za-z_]*solver\(_def\)\?\(\.\|->\)\)budget_columns\b/\1updated.budget_columns/g

# parameters, anchors, springs, loads, elements. Fields that changed their type need a hand:
#   sp_param_info: .unit -> .spec.unit, .low -> .spec.edit_low, .high -> .spec.edit_high, .meaning -> .spec.label
#   sp_pull, sp_rod_pull, sp_rod_load: .element = E, .at = S -> .at = {.elem = E, .at = {S}};
#   .weights = {a, b, c, d} -> .at = {b, c, d}; sp_anchor.body is an id, and a drag names its body by its anchor alone
#   sp_mesh_locate writes three natural coordinates, the shares of nodes 1, 2, 3
s/\bsp_rod_pull\b/sp_spring_def/g
s/\bsp_pull\b/sp_spring_def/g
s/\bsp_rod_load\b/sp_load/g
s/\([.>]\)pulls\b/\1springs/g
s/\([.>]\)pull_count\b/\1spring_count/g
s/\bsp_world_tets(\([^,]*\), \([^,]*\), \([^,()]*\))/sp_world_elements(\1, \2, \3, \&(sp_element_view){0})/g

# names
s/\bSP_EDIT_TAKE_OVER\b/SP_EDIT_SWAP_PRECONDITIONER/g
s/\bdropped_twins\b/dropped_duplicates/g

# items by index: an _at function fills a struct and returns a status, an id or a value has another name. These need a hand:
#   const sp_event *e = sp_world_event(w, i) -> sp_event e; sp_world_event_at(w, i, &e) >= 0; likewise sp_mesh_group_at,
#   sp_mesh_array_at, sp_mesh_report_at, sp_scene_message_at; sp_scene_output_at and sp_scene_choice_at return a status, not a bool
#   sp_body_info: mass, volumes, energies, work, inverted, penetration, momentum, bytes are in sp_body_measures, which
#   sp_world_body_measure fills
s/\bsp_world_body_at\b/sp_world_body_id/g
s/\bsp_signal_at\b/sp_signal_value/g
s/\bsp_pose_signal_at\b/sp_pose_signal_value/g
