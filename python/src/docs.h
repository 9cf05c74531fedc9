// Written by tools/python_api.py from include/souple/*.h: change those and run it again. clang-format does not apply.
// Docstrings: SP_DOC_sp_world_step is the comment of the function,
// SP_KEYWORDS_sp_solid_def the list of the fields of a definition.
// clang-format off
#ifndef SP_PYTHON_DOCS_H
#define SP_PYTHON_DOCS_H

#define SP_DOC_sp_status_text \
    "The description of a status."
#define SP_DOC_sp_status_name \
    "The name of a status (\"Status.NOT_SPD\")."
#define SP_DOC_sp_context_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_context_create \
    "Optional: def (defaults). On failure *out is None."
#define SP_DOC_sp_context_destroy \
    "Destroy the meshes and worlds of the context first. Sets the handle to None; accepts None."
#define SP_DOC_sp_context_workers \
    "Threads of a step, including the calling one."
#define SP_DOC_sp_context_error \
    "The last error of the context; never None. The result is a copy per calling thread: valid until the same thread calls " \
    "this again, also for another context, or ends."
#define SP_DOC_sp_context_memory \
    "Bytes currently allocated, and the number of allocations so far."
#define SP_DOC_sp_signal_constant \
    "A signal that has the same value at every time."
#define SP_DOC_sp_signal_value \
    "The value of a signal at time t [s]."
#define SP_DOC_sp_pose_identity \
    "The identity transformation."
#define SP_DOC_sp_pose_signal_constant \
    "A pose signal that has the same pose at every time."
#define SP_DOC_sp_pose_signal_value \
    "The pose of a signal at time t [s]."
#define SP_DOC_sp_element_nodes \
    "Number of nodes of an element of this type: 4, 2, 10, 8, 3; 0: unknown type."
#define SP_DOC_sp_element_name \
    "\"tetrahedron\", \"line\", \"quadratic tetrahedron\", \"hexahedron\", \"triangle\"; \"element\": unknown type."
#define SP_DOC_sp_element_natural \
    "Natural coordinates of a node of an element. Tetrahedra: the weights of corners 1, 2, 3, as in Anchor. Hexahedra: [0, " \
    "1]^3, nodes 0..3 at (0, 0, 0) (1, 0, 0) (1, 1, 0) (0, 1, 0), then 4..7 above them. Lines: the fraction of the length. " \
    "Triangles: the weights of corners 1 and 2, and 0."
#define SP_DOC_sp_mesh_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_mesh_create \
    "Creates a mesh. Fails for numbers out of range, non-finite positions, duplicate ids, degenerate elements and elements " \
    "whose Jacobian determinant is not positive at a corner or an integration point, and names the first."
#define SP_DOC_sp_mesh_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_mesh_box \
    "Generators. Limits: 1 <= cells, and at most 2^27 elements (hexahedra: 2^25). Box with a corner at the origin; node " \
    "number i(ny+1)(nz+1) + j(nz+1) + l; `per_cell` is 5 (alternating; mirror symmetric along axes with an even count of " \
    "cells), 6 (path tetrahedra along the main diagonal: one-sided, a loaded beam bends aside) or 1 (hexahedra)."
#define SP_DOC_sp_mesh_cylinder \
    "Solid cylinder from the origin along `axis`; cells: across the radius, along the axis."
#define SP_DOC_sp_mesh_sphere \
    "Ball or ellipsoid about the origin, semi-axes `radius`; cells across a radius."
#define SP_DOC_sp_mesh_torus \
    "Ring about the origin: radii of ring and tube; cells around the ring, across the tube's radius."
#define SP_DOC_sp_mesh_sheet \
    "Rectangle of triangles in the xz plane, a corner at the origin, normals along +y; `crossed`: four triangles a cell " \
    "around its middle, otherwise two. Node number i(nz+1) + l, then the middles."
#define SP_DOC_sp_mesh_disc \
    "Disc of triangles in the xz plane about the origin, normals along +y: a node in the middle and 6 k nodes on ring k."
#define SP_DOC_sp_mesh_of_triangles \
    "The triangles of a surface as the elements of a mesh, a membrane, with its groups and arrays. Fails where a vertex " \
    "belongs to no triangle."
#define SP_DOC_sp_mesh_transformed \
    "A copy whose positions are scaled per axis, then transformed by the pose. Optional: scale, pose."
#define SP_DOC_sp_mesh_context \
    "the context of its creation"
#define SP_DOC_sp_mesh_node_count \
    "Number of nodes."
#define SP_DOC_sp_mesh_element_count \
    "Number of elements."
#define SP_DOC_sp_mesh_positions \
    "node_count x 3"
#define SP_DOC_sp_mesh_tets \
    "element_count x 4 node numbers if all elements are \"tet4\", otherwise None."
#define SP_DOC_sp_mesh_element \
    "The type of an element. *nodes: its element_info(type) node numbers. Optional: nodes."
#define SP_DOC_sp_mesh_element_point \
    "Position at natural coordinates of an element [m]. Optional: natural, the centre."
#define SP_DOC_sp_mesh_element_integrals \
    "The integrals of the shape functions of an element [m3], one per node: their sum is its volume, and their sum times " \
    "positions the integral of the position. Of a triangle over its area [m2]."
#define SP_DOC_sp_mesh_node_ids \
    "The user number of each node."
#define SP_DOC_sp_mesh_element_ids \
    "The user number of each element."
#define SP_DOC_sp_mesh_group_count \
    "Number of groups."
#define SP_DOC_sp_mesh_group_at \
    "A group by index. Its pointers are valid as long as the mesh exists."
#define SP_DOC_sp_mesh_group_named \
    "None if absent"
#define SP_DOC_sp_mesh_array_named \
    "None if absent"
#define SP_DOC_sp_mesh_array_count \
    "Number of arrays."
#define SP_DOC_sp_mesh_array_at \
    "An array by index. Its pointers are valid as long as the mesh exists."
#define SP_DOC_sp_mesh_volume \
    "[m3]; of triangles their area [m2]"
#define SP_DOC_sp_mesh_bounds \
    "[m]"
#define SP_DOC_sp_mesh_face_count \
    "Number of boundary triangles; of a mesh of triangles all of these. The face of a hexahedron has two, cut at its lowest " \
    "node; that of a quadratic tetrahedron four, with the nodes on its edges."
#define SP_DOC_sp_mesh_faces \
    "face_count x 3, outward"
#define SP_DOC_sp_mesh_face_element \
    "the element behind a boundary triangle"
#define SP_DOC_sp_mesh_locate \
    "The element that contains a point, and the natural coordinates of the point in it. Returns how far the point is inside: " \
    "the smallest weight of a corner (tetrahedra) or distance to a face in natural coordinates (hexahedra). If it is " \
    "negative, the point is outside, and the element is the one with the largest. Triangles: the nearest one, with the " \
    "coordinates of its nearest point; negative where the distance is not 0 up to rounding, relative to the size of the " \
    "triangle."
#define SP_DOC_sp_mesh_cell_count \
    "Cells: linear tetrahedra that divide the elements, in the order of these. Material points of bodies (Anchor) are in " \
    "cells; their values at elements (stress, ...) are given for each cell. A hexahedron has six, a quadratic tetrahedron " \
    "eight, with its nodes. The cell of a triangle is flat: its last node twice, the second time with weight 0."
#define SP_DOC_sp_mesh_cells \
    "cell_count x 4 node numbers"
#define SP_DOC_sp_mesh_cell_element \
    "the element of a cell"
#define SP_DOC_sp_mesh_element_cell \
    "the first cell of an element; element_count: cell_count"
#define SP_DOC_sp_mesh_locate_cell \
    "As Mesh.locate, but the cell and the coordinates of the point in it, as in Anchor."
#define SP_DOC_sp_selection_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_mesh_select \
    "Selects nodes by position, elements by centre, boundary faces if all three nodes are selected. Writes up to capacity " \
    "numbers in ascending order, and the total count; out = None: only the count. BadInput: unknown group or id."
#define SP_DOC_sp_trimesh_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_trimesh_create \
    "Creates a surface. Fails for numbers out of range and non-finite positions, and names the first."
#define SP_DOC_sp_trimesh_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_trimesh_context \
    "the context of its creation"
#define SP_DOC_sp_trimesh_get \
    "The content of a surface as a definition. Pointers are valid as long as the surface exists."
#define SP_DOC_sp_mesh_boundary \
    "The boundary of a mesh as a separate surface. Its array \"node\" contains the mesh node of each vertex."
#define SP_DOC_sp_trimesh_subdivided \
    "Subdivides each triangle into four, `times` times, 0..6. smooth: Loop subdivision, which keeps edges sharper than " \
    "`crease` degrees."
#define SP_DOC_sp_trimesh_transformed \
    "A copy whose positions are scaled per axis, then transformed by the pose. Optional: scale, pose."
#define SP_DOC_sp_defect_name \
    "The name of a kind of defect (\"self-intersection\"); None: unknown kind."
#define SP_DOC_sp_defect_text \
    "The description of a kind of defect; None: unknown kind."
#define SP_DOC_sp_examine_options_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_mesh_examine \
    "Examines a definition, because a defective mesh cannot be created. Only counts and pointers must be valid. Optional: " \
    "options."
#define SP_DOC_sp_trimesh_examine \
    "The same for a surface."
#define SP_DOC_sp_mesh_report_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_mesh_report_stats \
    "The statistics of an examination."
#define SP_DOC_sp_mesh_report_count \
    "Number of defects of a kind. *whole is false if the search was aborted (tens of millions of triangles in one place): " \
    "the number is then a lower bound."
#define SP_DOC_sp_mesh_report_at \
    "A listed defect by index, sorted by kind."
#define SP_DOC_sp_mesh_repaired \
    "A copy with safe repairs: nodes closer than the tolerance are merged, broken, degenerate and duplicate elements are " \
    "removed, and the orientation of tetrahedra is corrected. Faces of surfaces are oriented consistently within each part, " \
    "and outwards if the part is closed and not inside another. User numbers, groups, arrays, texture coordinates and " \
    "colours are kept. BadInput: nothing remains, or an element is not a linear tetrahedron. Of the options only the " \
    "tolerance is used. Optional: options, done."
#define SP_DOC_sp_trimesh_repaired \
    "The same for a surface."
#define SP_DOC_sp_mesh_refined \
    "Subdivides each linear tetrahedron into eight of equal volume, `times` times, 0..8; other elements are refused. Nodes " \
    "keep their numbers and ids, new ones follow; elements are renumbered. Groups and arrays are kept: values of new nodes " \
    "are means of their edge."
#define SP_DOC_sp_mesh_refined_where \
    "Bisects the selected elements at their longest edges until none of their edges is longer than `edge` [m]; edge <= 0: " \
    "bisects each selected element `times` times. Neighbours are bisected as necessary to avoid hanging nodes."
#define SP_DOC_sp_mesh_order2 \
    "Quadratic tetrahedra from linear ones: a node in the middle of each edge. Nodes keep their numbers and ids, new ones " \
    "follow; elements keep theirs. Groups and arrays are kept: values of new nodes are means of their edge. BadInput: an " \
    "element is not a linear tetrahedron. `curve` places new nodes of the boundary; the edges of an element stay straight " \
    "where its Jacobian determinant would not be positive at a corner or an integration point. Optional: curve, and then " \
    "user."
#define SP_DOC_sp_fill_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_mesh_fill \
    "Meshes the region where `field` is below 0, inside the box low..high [m], which must contain the shape. `slope`: a " \
    "bound of |grad field|, 1 for a distance, which saves evaluations; 0: unknown."
#define SP_DOC_sp_mesh_fill_surface \
    "Meshes the inside of a surface: where its generalised winding number (Jacobson et al. 2013) is above one half. Noise, " \
    "small holes, overlaps and an inverted orientation are allowed; a surface without a clear inside is an error."
#define SP_DOC_sp_mesh_fill_labels \
    "Meshes labelled voxels: faces follow the interfaces between labels, and each label is a group. `take`: the labels to " \
    "mesh; optional: all except 0."
#define SP_DOC_sp_mesh_organ \
    "Organ-like shapes and test bodies, with named groups (docs/meshing.md): \"liver\", \"lens\", \"eye\", \"skin\", " \
    "\"stomach\", \"vessels\", \"gall-bladder\", \"rabbit\", \"armadillo\", \"octopus\", \"snake\"; `length` is the longest " \
    "extent [m], centred at the origin. `elements`: approximate number of elements, at least 300."
#define SP_DOC_sp_mesh_organ_name \
    "The name of organ `index`, or None past the last."
#define SP_DOC_sp_integrator_def_default \
    "The defaults listed above."
#define SP_DOC_sp_solver_def_default \
    "The defaults listed above."
#define SP_DOC_sp_material_moduli \
    "Moduli of volume elements without fibres, also where coefficients and `bulk` describe it; of costa the means of its " \
    "three shear moduli and of all directions. false: a number is outside of its range, all moduli are NaN, and a sentence " \
    "says why. Optional: wrong"
#define SP_DOC_sp_solid_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_add_solid \
    "Adds a solid; its mesh is copied."
#define SP_DOC_sp_rigid_def_mass \
    "Mass, centre of mass and inertia that a free body with this definition has. BadInput: it has no volume and no mass, or " \
    "its surfaces are open."
#define SP_DOC_sp_rigid_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_add_rigid \
    "Adds a rigid body."
#define SP_DOC_sp_world_remove \
    "Removes a body of any kind. Its id is then stale."
#define SP_DOC_sp_rod_section_default \
    "without axes"
#define SP_DOC_sp_rod_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_add_rod \
    "Adds a rod."
#define SP_DOC_sp_world_rod_invert \
    "Inverse statics: sets the natural curvature for which the current shape is an equilibrium under gravity and loads " \
    "(Casati 2015, section 16), exact to rounding. Clothoids and helices. natural: a copy of it, nodes x 3 (helix: elements " \
    "x 3), optional."
#define SP_DOC_sp_rod_fit \
    "Fits a rod to a polyline, starting at its first point: the curvatures at the ends of `elements` elements of equal " \
    "length, clothoids (affine) or helices. Scenes use it for the `path` of a rod. curvature: (elements + 1) x 3; a helix " \
    "uses the mean of its ends. elements: 1..1000. farthest: the largest distance from a point of the polyline to the curve " \
    "[m], optional."
#define SP_DOC_sp_surface_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_add_surface \
    "Adds an embedded surface. Neither mesh nor faces: the whole boundary of the body. *index: its number on the body, from " \
    "1; 0 is the boundary."
#define SP_DOC_sp_world_surface_count \
    "Number of surfaces of a body including the boundary: at least 1. 0: the id is null or stale. Busy (negative): another " \
    "thread steps, restores or queries the world."
#define SP_DOC_sp_world_surface_info \
    "Names, counts, anchors and faces of a surface."
#define SP_DOC_sp_world_surface_get \
    "Current positions and velocities, unit normals (vertex_count x 3 each). Optional: each."
#define SP_DOC_sp_world_surface_apply_transpose \
    "g += J^T f: converts forces on the vertices (vertex_count x 3) to generalised forces on the body (nodes x 3 in user " \
    "numbering; rigid: force, and torque about the centre of mass of a free body or about the origin of the frame of " \
    "another, 6 numbers)."
#define SP_DOC_sp_surface_contact_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_set_surface_contact \
    "Sets how a surface of a body is touched: the boundary (0) or an embedded one. A field is built, which takes from " \
    "milliseconds to seconds, or shared with other bodies that have the same triangles and cells. BadInput: a soft body has " \
    "no field; bodies that consist of planes, spheres and capsules only are touched exactly, from outside; the field would " \
    "need more than 1 GB."
#define SP_DOC_sp_world_distance_field_info \
    "The distance field of a surface. BadInput: it has none."
#define SP_DOC_sp_world_contact_count \
    "Number of contacts of the last step."
#define SP_DOC_sp_world_contact_at \
    "A contact of the last step, index in [0, count). BadInput: there is no such contact."
#define SP_DOC_sp_world_contact_sum \
    "Sums the contacts of a body, or all contacts if `id` is null. Nothing is allocated."
#define SP_DOC_sp_world_set_contacts \
    "Replaces the contacts by given ones, for a world that shows recorded states; the next step replaces them. Only bodies, " \
    "point, normal, force, gap and pressure are used. In fields each contact acts at the nearest vertex of the boundary."
#define SP_DOC_sp_contact_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_set_contact \
    "Sets the contact parameters. Optional: def (no contact)."
#define SP_DOC_sp_world_get_contact \
    "Contact as it is now, with the values of its parameters. False: there is none."
#define SP_DOC_sp_contact_part_body \
    "The whole body: all surfaces, all nodes."
#define SP_DOC_sp_contact_pair_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_add_contact_pair \
    "Adds a pair; everything is copied. Pairs stay when the contact parameters are set again. BadInput: a body was removed, " \
    "a node does not exist, a value is out of range, or another pair overlaps this one and neither is narrower."
#define SP_DOC_sp_world_add_friction \
    "Gives a part of a body its own friction coefficient, which holds where no pair gives one. Where both sides have one, " \
    "the smaller holds; of two that hold for one part, the later. Optional: path, of the parameter " \
    "(\"beam.region[0].friction\")."
#define SP_DOC_sp_world_open_surface \
    "Looks for a surface that may touch another body by volumes, by the contact parameters and pairs of the world, and is " \
    "not closed: the first step refuses it. The first one is returned; out->edges is 0 if all are closed or no pair needs it."
#define SP_DOC_sp_world_contact_problem \
    "The problem of the last step. It allocates; the arrays are valid until the next call or step. BadInput: there were no " \
    "contacts."
#define SP_DOC_sp_link_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_add_link \
    "Adds a link. BadInput: a body is removed, cannot move, or has an integrator without constraints; both sides are fixed; " \
    "a value is out of range; nothing is near enough to be tied."
#define SP_DOC_sp_world_remove_link \
    "Removes a link. Its id is then stale. Links of a body are removed with it."
#define SP_DOC_sp_world_set_link \
    "Attaches a link again at the current state, also a broken one, or detaches it, between two steps. Edit logs do not " \
    "contain this change: \"attach\" and \"detach\" are the edits."
#define SP_DOC_sp_world_link_count \
    "Number of links, including those that are not attached."
#define SP_DOC_sp_world_link_at \
    "A link by index, in order of creation, index in [0, count)."
#define SP_DOC_sp_world_link_named \
    "null id if absent"
#define SP_DOC_sp_world_link_info \
    "A link by its id."
#define SP_DOC_sp_world_link_point \
    "A tied point of a link, index in [0, point_count)."
#define SP_DOC_sp_world_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_create \
    "Creates an empty world at time 0. Optional: def (defaults)."
#define SP_DOC_sp_world_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_world_context \
    "The context of its creation."
#define SP_DOC_sp_world_error \
    "The last failure of any call on the world; never None. The result is a copy per calling thread: valid until the same " \
    "thread calls this again, also for another world, or ends. Any thread may call this at any time."
#define SP_DOC_sp_edit_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_queue \
    "Queues an edit, from any thread. A malformed edit fails at once. An edit that is found invalid by the step is refused " \
    "with an event."
#define SP_DOC_sp_world_set_removed \
    "Sets which elements of a solid are removed, at once, between two steps: to show a recording, or to start without them. " \
    "removed: one number per cell of Body.elements, as the field \"removed\" has it, 1 removed and 0 there; an element with " \
    "a removed cell is removed as a whole. None: the solid is whole again. Edit logs do not contain this change: " \
    "\"remove-element\" is the edit. Elements do not return beside those that Body.append has put in their place."
#define SP_DOC_sp_addition_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_world_append \
    "Appends nodes and elements to a solid and removes elements of it, at once, between two steps; docs/removing.md says " \
    "what follows. Everything happens or nothing. BadInput: not a solid, an element that is flat or inverted at rest, or two " \
    "that are at the same side of a face. Edit logs do not contain this change; checkpoints do."
#define SP_DOC_sp_world_apply \
    "Applies an edit that adds or removes a body or adds a link at once, between two steps: to make a world like another one " \
    "whose checkpoint it takes. A link is not attached. Edit logs do not contain this change."
#define SP_DOC_sp_world_drop_edits \
    "Removes all queued edits (to continue without them after a failed step)."
#define SP_DOC_sp_world_edits_taken \
    "The edits applied by the last successful step, in order: the content of an edit log. Valid until the next step."
#define SP_DOC_sp_kind_name \
    "Names of the kinds that have parameters, None past the end: \"world\" (gravity, contact), then the kinds of bodies."
#define SP_DOC_sp_kind_param_count \
    "Number of parameters of a kind, without a world; 0: no such kind."
#define SP_DOC_sp_kind_param_at \
    "A parameter of a kind by index. Strings are constants of the library. BadInput: no such kind or index."
#define SP_DOC_sp_kind_param \
    "A parameter of a kind by name. BadInput: no such kind or name."
#define SP_DOC_sp_world_param_count \
    "Number of parameters that edits may change."
#define SP_DOC_sp_world_param_at \
    "A parameter by index."
#define SP_DOC_sp_world_param \
    "A parameter by path. BadInput: no such path."
#define SP_DOC_sp_stage_name \
    "The name of a stage (\"take_edits\")."
#define SP_DOC_sp_world_step \
    "Advances by h > 0 seconds. Below 0: the world is unchanged and its edits are still queued."
#define SP_DOC_sp_world_step_info \
    "The report of the last step."
#define SP_DOC_sp_world_time \
    "Time of the state [s]."
#define SP_DOC_sp_world_steps \
    "Number of steps since the creation of the world."
#define SP_DOC_sp_world_hash \
    "Hash of the state, in user numbering: bitwise equal states have equal hashes."
#define SP_DOC_sp_world_event_at \
    "An event of the last step by index, below StepInfo.event_count."
#define SP_DOC_sp_world_body_count \
    "Number of bodies."
#define SP_DOC_sp_world_body_id \
    "The id of a body by index, in order of creation; null id past the end."
#define SP_DOC_sp_world_body_named \
    "null id if absent"
#define SP_DOC_sp_world_body_info \
    "The description of a body. Its cost does not depend on the size of the body."
#define SP_DOC_sp_world_body_measure \
    "Measures a body: a pass over all its nodes and elements, about as expensive as one evaluation of its forces."
#define SP_DOC_sp_field_count \
    "Number of all fields, of all kinds of bodies: SP_FIELD_COUNT."
#define SP_DOC_sp_field_at \
    "A field by sp_field_id. BadInput past the end. `count` is 0, because it depends on the body."
#define SP_DOC_sp_field_named \
    "The field of this name. BadInput: no such field."
#define SP_DOC_sp_world_field_count \
    "Number of fields of a body, or of all bodies of the world together if `id` is null. < 0: a failure."
#define SP_DOC_sp_world_field_at \
    "The index-th of these fields. If `id` is null, `count` is 0."
#define SP_DOC_sp_world_field_info \
    "A field of a body by name. The error for an unknown name lists the fields of the body."
#define SP_DOC_sp_world_field \
    "The numbers of a field at the current state: writes count x components of them."
#define SP_DOC_sp_world_surface_field \
    "A field at the vertices of a surface, one number each (vertex_count); vectors give their length. Numbers of elements " \
    "are averaged at the nodes; if they must not be averaged, a vertex has the largest of the elements around it. NaN: the " \
    "body has no value there. surface -1: all surfaces of the body, concatenated."
#define SP_DOC_sp_world_surface_corner_field \
    "The same at the corners of the faces (face_count x 3): numbers that must not be averaged are those of the element " \
    "behind the face, and numbers vary linearly from node to node along a rod."
#define SP_DOC_sp_world_mass_count \
    "Number of point masses of a body. < 0: a failure."
#define SP_DOC_sp_world_mass_at \
    "A point mass of a body by index, in the order of its definition."
#define SP_DOC_sp_world_anchor_node \
    "The material point at a node, by user number."
#define SP_DOC_sp_world_anchor_point \
    "The material point that was at `point` in the rest shape."
#define SP_DOC_sp_world_anchor_face \
    "The material point of a face, for a drag that pulls there. weights: of the three corners, >= 0 with the sum 1. A rod is " \
    "pulled at its centreline if the face is of its boundary. surface, face: from 0; faces are those of SurfaceInfo and of " \
    "snapshots."
#define SP_DOC_sp_world_anchor_rest \
    "Position of a material point in the rest shape [m]. BadInput: the kind keeps no rest positions of points (rods, rigid " \
    "bodies)."
#define SP_DOC_sp_world_sweep \
    "How far a ball of this radius [m] > 0 can move from one point to another until it touches a body: *fraction of the way, " \
    "1 if it touches none, 0 if it does at the start or the start is inside of a body. *body: the one that it touches. " \
    "Optional: body."
#define SP_DOC_sp_world_anchor_get \
    "Position [m] and velocity [m/s] of a material point. Optional: v."
#define SP_DOC_sp_world_elements \
    "The elements of a rod, the cells of a solid: linear tetrahedra that divide its elements (Mesh.cells). Optional: nodes, " \
    "an array of count x nodes_per_element numbers, to which the view then points. BadInput: the kind has no elements."
#define SP_DOC_sp_world_set_state \
    "Sets the state directly, with numbers of the fields `state` of BodyInfo: nodes x 3; of a rigid body the pose (7 " \
    "numbers: x y z and quaternion w x y z), and the velocity of its centre of mass (not free: of its origin) and angular " \
    "velocity (6 numbers); of a rod the fields \"coordinates\" and \"rates\". Optional: either. Edit logs do not contain " \
    "this change; its energy counts as `edits` in Work."
#define SP_DOC_sp_world_set_param \
    "Sets a parameter directly, between two steps, for a world that shows recorded states. Edit logs do not contain this " \
    "change. NaN: a region has the value of its body. BadInput: no such path, or the value is out of the range of edits."
#define SP_DOC_sp_world_snapshot_acquire \
    "The newest snapshot, from any thread; None before the first. It may be held for any time: a step without a free slot " \
    "skips its snapshot."
#define SP_DOC_sp_world_publish_field \
    "Snapshots that are published from now on contain this field of a body, or contain it no longer (published: false), so " \
    "that other threads read it without a copy while the world steps. The memory is allocated now; a slot that a reader " \
    "holds gets it when it is used again, and so does every slot when the number of items has grown. Checkpoints do not " \
    "contain the request. BadInput: the body has no such field."
#define SP_DOC_sp_world_publish \
    "Publishes a snapshot of the current state, without a step."
#define SP_DOC_sp_world_snapshot_release \
    "Releases an acquired snapshot. Optional: snapshot."
#define SP_DOC_sp_world_save \
    "Saves the world into a new checkpoint."
#define SP_DOC_sp_world_restore \
    "Restores a checkpoint. BadInput: it is damaged or of another world, and nothing changes."
#define SP_DOC_sp_checkpoint_free \
    "Frees the memory of a checkpoint."
#define SP_DOC_sp_world_backend \
    "The backend of the bodies of the world, with \"auto\" resolved."
#define SP_DOC_sp_backend_name \
    "Backends of this build, None past the end: \"ref\", \"cpu\"."
#define SP_DOC_sp_backend_detail \
    "The hardware features that a backend uses on this machine (\"AVX2+FMA, 4 lanes\"); None if unknown."
#define SP_DOC_sp_batch_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_batch_create \
    "Builds the worlds and keeps their state for Batch.reset."
#define SP_DOC_sp_batch_destroy \
    "Frees the batch and its worlds and sets the handle to None. Accepts None."
#define SP_DOC_sp_batch_count \
    "Number of worlds."
#define SP_DOC_sp_batch_world \
    "A world of the batch, index in [0, count); None outside. It belongs to the batch: do not destroy it. One thread at a " \
    "time may use a batch and its worlds; any thread may queue edits, acquire snapshots and read errors at any time."
#define SP_DOC_sp_batch_step \
    "Steps every world by h > 0 seconds, on all workers of the context. The failure of a world does not stop the others. " \
    "Returns the worst status of the worlds (the lowest failure, else the highest reservation); Batch.statuses has those of " \
    "all."
#define SP_DOC_sp_batch_step_some \
    "Steps the worlds of a list, each of which may occur once. The others keep their state, and their status becomes " \
    "Status.OK. BadInput: an index is out of range or occurs twice, and nothing is stepped."
#define SP_DOC_sp_batch_run \
    "The worlds of a list (None: all worlds) make `steps` steps of h each, all steps of a world before those of the next one " \
    "on that core: quicker than as many calls of Batch.step, because the data of a world stay in the cache, and with the " \
    "same bits. A world whose step fails makes no further one. Its status is the worst of its steps. BadInput: steps < 1, or " \
    "as Batch.step."
#define SP_DOC_sp_batch_statuses \
    "The status of every world in the last step, run or reset, Status.OK where it took no part. Valid until the batch is " \
    "destroyed. The reason of a failure is in Error of the world."
#define SP_DOC_sp_batch_reset \
    "Puts the worlds of a list back into the state in which `build` left them, with their parameters, drags and time; queued " \
    "edits are dropped. They then have the bits of new worlds. Returns the worst status as Batch.step. BadInput: as " \
    "Batch.step; or bodies or links were added or removed in a world since, which stays as it is."
#define SP_DOC_sp_batch_keep \
    "The current state of a world becomes the one to which Batch.reset puts it back."
#define SP_DOC_sp_batch_field \
    "A field of a body (\"position\", \"velocity\", any of list_fields) in all worlds, in one array, at their current " \
    "states. The body is the one of this name in each world. The array is valid until the batch is destroyed; its numbers " \
    "are replaced when the same field of the same body is asked for again. BadInput: a world has no such body or field, or " \
    "another number of items than world 0."
#define SP_DOC_sp_batch_get_memory \
    "Bytes that are allocated for the worlds of the batch."
#define SP_DOC_sp_scene_options_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_scene_load \
    "Reads, checks and resolves a scene. On BadInput *out is a scene that can only be asked for its messages. Optional: " \
    "options."
#define SP_DOC_sp_scene_parse \
    "The same from memory. `name` is the file name in messages, and its folder is that of other files."
#define SP_DOC_sp_scene_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_scene_message_count \
    "Number of messages, including warnings."
#define SP_DOC_sp_scene_message_at \
    "A message by index, in the order of the file. Its strings are valid as long as the scene exists."
#define SP_DOC_sp_scene_name \
    "The name in the scene file; empty: none."
#define SP_DOC_sp_scene_get \
    "Fills `out` with the source of a scene."
#define SP_DOC_sp_scene_set_text \
    "\"--set path=value\" of sp_scene_options.sets by index; None past the end."
#define SP_DOC_sp_scene_output_count \
    "Number of files that a run of the scene writes: those of records, then those of inverse problems."
#define SP_DOC_sp_scene_output_at \
    "An output by index."
#define SP_DOC_sp_scene_choice_at \
    "Choice number `index`, from 0, of an attribute (\"solver\", \"type\"). BadInput: no such choice."
#define SP_DOC_sp_scene_describe \
    "Prints every resolved value with unit and origin, one per line, with `print(user, text)`."
#define SP_DOC_sp_scene_schema \
    "Prints the RelaxNG schema of the scene language, from the table that the reader uses."
#define SP_DOC_sp_scene_reference \
    "Prints the reference page of the scene language in Markdown, from the same table. `all`: also elements, attributes and " \
    "choices that the language defines and this build lacks, in parentheses."
#define SP_DOC_sp_import_options_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_import_sofa \
    "Reads and converts a scene of SOFA; nothing is written. Mesh files that it names are read. Optional: options. BadInput: " \
    "no XML with a root `Node`, a mesh file that is missing or unreadable, or a Python scene. FileError: the file cannot be " \
    "read."
#define SP_DOC_sp_import_sofa_parse \
    "The same from memory. `name` is the file name in messages, and its folder that of other files."
#define SP_DOC_sp_import_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_import_text \
    "The new scene; files beside it are named in it."
#define SP_DOC_sp_import_note_count \
    "Number of notes."
#define SP_DOC_sp_import_note_at \
    "A note by index, in the order of the lines."
#define SP_DOC_sp_import_write \
    "Writes the new scene to the path of its options, and the mesh files that it needs beside it."
#define SP_DOC_sp_run_options_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_scene_world_def \
    "Writes what a scene says about its world to a definition, and leaves the rest, such as snapshots. Signals refer to the " \
    "scene."
#define SP_DOC_sp_run_create \
    "Creates meshes and world. The scene must outlive the run. Optional: options. Errors become messages of the scene."
#define SP_DOC_sp_run_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_run_world \
    "The world of the run. It is valid as long as the run exists."
#define SP_DOC_sp_run_dt \
    "Length of a step [s]."
#define SP_DOC_sp_run_steps_planned \
    "Number of planned steps; 0: unknown."
#define SP_DOC_sp_run_done \
    "Whether a stop condition has been met."
#define SP_DOC_sp_run_adopt \
    "Continues from the state of `from`, a run of the same scene. It may differ in time step, solver, threads and records, " \
    "which do not change the state. If the bodies differ, the call fails, and `run` can only be destroyed."
#define SP_DOC_sp_run_look_of \
    "Appearance of a surface of a body. Surface 0: the boundary of the body; 1, 2, ...: its embedded surfaces, in the order " \
    "of SnapshotBody. An embedded surface without appearance has that of the body, interfaces have the colour of their " \
    "region. False: the scene defines none, and out has the defaults."
#define SP_DOC_sp_run_region_name \
    "Name in the scene of a region of a body. Region 1 is `region[0]` in the paths of parameters and 1 in the field " \
    "\"region\"; 0 is the body without its regions. Each cross section of a rod is a region. \"\": it has no name. None: " \
    "there is no such region."
#define SP_DOC_sp_run_step \
    "One step: events, world step, probes, records."
#define SP_DOC_sp_run_finish \
    "Closes records and checks the claims."
#define SP_DOC_sp_run_probe_count \
    "Number of probes in the scene."
#define SP_DOC_sp_run_probe_at \
    "The samples of a probe by index."
#define SP_DOC_sp_run_column_at \
    "Name and unit of a column. Both indices count from 0; column is below RunProbe.width."
#define SP_DOC_sp_run_inverse_count \
    "Number of inverse problems that were solved before the first step."
#define SP_DOC_sp_run_inverse_at \
    "A solved inverse problem by index."
#define SP_DOC_sp_run_claim_count \
    "Number of claims. Run.finish checks them."
#define SP_DOC_sp_run_claim_at \
    "A claim by index."
#define SP_DOC_sp_mesh_read \
    "Reads the tetrahedra, linear or quadratic, and hexahedra of a file, with groups and arrays. Fails if there are none. If " \
    "the file has wedges or pyramids, all its volume cells are cut into linear tetrahedra, with a warning. The format is " \
    "detected by content, then by suffix: Gmsh .msh 1.0, 2.2 and 4.1, VTK .vtk and .vtu, TetGen .node/.ele/.face, OBJ, STL, " \
    "PLY."
#define SP_DOC_sp_mesh_read_tets \
    "The same with all volume cells cut into linear tetrahedra: a hexahedron into six or five, of a quadratic one only the " \
    "corners."
#define SP_DOC_sp_trimesh_read \
    "Reads the triangles of a file (quadrilaterals and polygons are split); for a file of tetrahedra only, their boundary."
#define SP_DOC_sp_mesh_write_options_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_mesh_write \
    "Writes a mesh file. A failure leaves no incomplete file. Optional: options."
#define SP_DOC_sp_trimesh_write \
    "The same for a surface."
#define SP_DOC_sp_mesh_file_open \
    "Reads a file without checks of the mesh. BadInput: it is not a mesh file."
#define SP_DOC_sp_mesh_file_get \
    "The content of the file."
#define SP_DOC_sp_mesh_file_mesh \
    "The mesh of the file, as Mesh.read would return it, without reading again."
#define SP_DOC_sp_mesh_file_tets \
    "The mesh of the file, as Mesh.read would return it."
#define SP_DOC_sp_mesh_file_trimesh \
    "The surface of the file, as Surface.read would return it."
#define SP_DOC_sp_mesh_file_close \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_volume_read \
    "Reads a volume of labels. BadInput: it is not one; the reason is in the context."
#define SP_DOC_sp_volume_parse \
    "The same from memory. `path` is the name in messages, and its folder is that of the data file of a detached header."
#define SP_DOC_sp_volume_get \
    "The labels, for Mesh.fill_labels. Pointers are valid as long as the volume exists."
#define SP_DOC_sp_volume_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_edit_log_create \
    "Starts a new log at `path`."
#define SP_DOC_sp_edit_log_append \
    "after a step: the edits that it applied"
#define SP_DOC_sp_edit_log_open \
    "Opens a log for replay."
#define SP_DOC_sp_edit_log_queue \
    "before a step: the edits of that step"
#define SP_DOC_sp_edit_log_close \
    "Closes the log and sets the handle to None. FileError: a new log could not be written completely."
#define SP_DOC_sp_edit_log_line \
    "The line of a log for an edit that the given step applied, with its line end. False: logs omit such an edit, because " \
    "the scene creates it again on replay."
#define SP_DOC_sp_recording_open \
    "Opens a recording. Fails with file and reason if it is damaged, missing or not a recording. Strings and arrays of the " \
    "recording are valid until it is closed."
#define SP_DOC_sp_recording_close \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_recording_get \
    "The description of a recording."
#define SP_DOC_sp_recording_frame_at \
    "A frame by index, from 0."
#define SP_DOC_sp_recording_nearest \
    "The frame whose time is nearest, the earlier of two; -1: no frames."
#define SP_DOC_sp_recording_body_at \
    "A body by index, from 0."
#define SP_DOC_sp_recording_has_body \
    "The body is in the frame. Those of the scene are in every frame, unless they were removed; those that edits added are " \
    "in the frames from their addition to their removal. Queries of a frame without the body fail."
#define SP_DOC_sp_recording_topology_at \
    "The cells of a body. They are valid until the next call for another revision of the body."
#define SP_DOC_sp_recording_field_info \
    "Count and components of a field at a frame."
#define SP_DOC_sp_recording_field \
    "The numbers of a field: writes count x components. \"position\" is always present, \"velocity\" for solids, \"pose\" " \
    "for rigid bodies."
#define SP_DOC_sp_recording_contact_count \
    "Number of contacts of a frame: those of the step that ended at its time or, in an interpolated frame, after it. < 0: " \
    "there is no such frame. Recordings of scenes without contact by constraints have none."
#define SP_DOC_sp_recording_contacts \
    "The contacts of a frame: writes as many as Recording.contacts says."
#define SP_DOC_sp_recording_scene \
    "The scene of the recording with its values of --set, for a run that Recording.show can use. Optional: options; their " \
    "`sets` come after those of the recording. Errors are messages of the scene, as for Scene.parse. BadInput: the recording " \
    "holds visual surfaces, which do not determine a state."
#define SP_DOC_sp_recording_show \
    "Sets the bodies of the world of a run, by name, to the state of a frame, and the parameters that edits of the recording " \
    "changed to their values at that frame; its contacts become those of the world. Bodies that edits added are added to the " \
    "world in the frames that have them and removed in the others; a body of the scene that an edit removed keeps its last " \
    "state. The run must be one of the same scene: fails if a body is missing or has other counts. The time of the world " \
    "does not change."
#define SP_DOC_sp_run_record_count \
    "Number of files that the run writes."
#define SP_DOC_sp_run_record_at \
    "A file of the run by index."
#define SP_DOC_sp_run_recorder_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_run_recorder_start \
    "Creates the files and writes the current state. Stop it before the run is destroyed. Unavailable: this build has no " \
    "HDF5."
#define SP_DOC_sp_run_recorder_step \
    "After each step of the run: copies its state if a frame is due, which another thread writes. A failure, also of earlier " \
    "frames, leaves the frames that are complete; then stop it."
#define SP_DOC_sp_run_recorder_get \
    "Frames and bytes written so far. Pointers are valid until it is stopped."
#define SP_DOC_sp_run_recorder_stop \
    "Writes what is waiting, closes the files and sets the handle to None. Accepts None. Returns the first failure."
#define SP_DOC_sp_run_additions \
    "The edits that added and removed bodies and links since the start, as lines of an edit log; \"\": none. Valid until the " \
    "next step."
#define SP_DOC_sp_run_save \
    "Writes a checkpoint file of the whole run: world, with what was added to it, probes, events, records. A failure leaves " \
    "no incomplete file. Continue from it with sp_run_options.resume: hashes, probes and records are the same as without the " \
    "interruption."
#define SP_DOC_sp_picture_def_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_picture_extent_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_run_picture \
    "Camera, lights and colours from the camera, view and look elements of the scene, if present."
#define SP_DOC_sp_run_picture_set_time \
    "Sets what varies in time in the scene to its value at a time [s]: the point of the clipping plane. Run.camera has the " \
    "time of the world."
#define SP_DOC_sp_run_clips \
    "Whether clipping planes cut a body: the attribute `of` of the element `clip`; true without one. *cap: caps close the " \
    "cut."
#define SP_DOC_sp_picture_write \
    "Draws the surfaces of the world at the current state to a PNG file. Optional: def; run (for looks). Errors are in the " \
    "context of the world."
#define SP_DOC_sp_picture_draw \
    "The same to memory: def->width x height x 3 bytes of sRGB, rows from the top."
#define SP_DOC_sp_picture_measure \
    "Extends the extent of a series by that of the current state of the world. Optional: run."
#define SP_DOC_sp_picture_surface \
    "Draws a single surface with its colours, or coloured by one of its arrays or \"region\", its groups (`color_by`). " \
    "Optional: def; name (of the surface, for opacities). Errors are in the context."
#define SP_DOC_sp_picture_save \
    "Writes pixels to a PNG file. A failure leaves no incomplete file."
#define SP_DOC_sp_gltf_options_default \
    "Every default, and a valid cookie."
#define SP_DOC_sp_gltf_create \
    "Starts a file; it is written by Gltf.write. The run must outlive it. Optional: options."
#define SP_DOC_sp_gltf_frame \
    "Adds the newest snapshot of the world as the frame at a time [s], later than that of the last frame. BadInput: a " \
    "surface has other vertices than in the first frame; at most 10,000 frames."
#define SP_DOC_sp_gltf_write \
    "Writes the file: an animation from 0, the time of the first frame. A failure leaves no incomplete file. Call it once."
#define SP_DOC_sp_gltf_destroy \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_section_create \
    "Prepares the cross sections of a body. BadInput: it has no tetrahedra."
#define SP_DOC_sp_section_destroy \
    "Frees the section. *section becomes None; None is accepted."
#define SP_DOC_sp_section_update \
    "Takes the current state of the world: positions, and values of a field as on surfaces (optional: none). Call it after " \
    "each step, before the cuts."
#define SP_DOC_sp_section_cut \
    "Cuts the state of the last update by a plane. normal: any length but 0."
#define SP_DOC_sp_plot_write \
    "Writes `count` panels below each other, 1..SP_PLOT_PANELS, to a file by its suffix, .svg or .png. A failure leaves no " \
    "incomplete file. Errors are in the context."
#define SP_DOC_sp_plot_suffix \
    "Whether Plot.write supports the suffix of the path."
#define SP_DOC_sp_plot_svg \
    "The same panels as one SVG element for an HTML page, passed to `write` as one text."
#define SP_DOC_sp_fclib_read \
    "Reads an FCLIB file (HDF5). Unavailable: this build has no HDF5."
#define SP_DOC_sp_fclib_get \
    "The problem. Its pointers are valid as long as the file object exists."
#define SP_DOC_sp_fclib_close \
    "Frees it and sets the handle to None. Accepts None."
#define SP_DOC_sp_fclib_write \
    "Writes a problem, and a solution in the group \"solution\". A failure leaves no incomplete file. Optional: solution."
#define SP_DOC_sp_addition \
    "Nodes and elements that a solid gets while it exists, and elements that it loses at the same time. Numbers are those of " \
    "users: new nodes and elements follow those that the body has (BodyInfo), and no number of the others changes."
#define SP_DOC_sp_anchor \
    "A material point of a body: an element and natural coordinates in it. Make it with sp_world_anchor_*, or, for a " \
    "definition, from the number of an element. An anchor on a removed body is detected."
#define SP_DOC_sp_automatic_options \
    "Criteria of \"auto\"."
#define SP_DOC_sp_batch \
    "Many worlds of one context."
#define SP_DOC_sp_batch_def \
    "Definition of a batch."
#define SP_DOC_sp_batch_memory \
    "Memory of a batch."
#define SP_DOC_sp_batch_view \
    "The numbers of a field in all worlds."
#define SP_DOC_sp_body_id \
    "A body of a world. Zero is null; functions detect the id of a removed body."
#define SP_DOC_sp_body_info \
    "Description of a body. Strings are valid as long as the body exists."
#define SP_DOC_sp_body_measures \
    "Measures of a body at the current state."
#define SP_DOC_sp_cg_options \
    "Options of \"cg\"."
#define SP_DOC_sp_checkpoint \
    "All tiers in one block of memory of the context; free it with sp_checkpoint_free. After a restore, the same world, or a " \
    "world created by the same calls, continues with the same hashes."
#define SP_DOC_sp_cholesky_options \
    "Options of Cholesky factors: \"cholesky\", \"updated-cholesky\", \"dense\" and preconditioners with a factor."
#define SP_DOC_sp_contact_def \
    "Contact between bodies. Penalty: a spring along the normal, and along the surface one that sticks up to friction times " \
    "the normal force."
#define SP_DOC_sp_contact_pair_def \
    "Other values for the contacts between two sets of bodies or parts of bodies (proximity). Where several pairs hold, the " \
    "narrower one wins, value by value. A pair that is not enabled makes no contacts."
#define SP_DOC_sp_contact_part \
    "A body, or a part of its surface."
#define SP_DOC_sp_contact_point \
    "A contact of the last step (proximity). Force, slip, area and pressure are those of the whole step."
#define SP_DOC_sp_contact_problem \
    "The complementarity problem that the last step solved: u = W lambda + q, three rows per contact (normal, two tangents)."
#define SP_DOC_sp_contact_solver_def \
    "Options of the solver of contact by constraints; part of ContactDef."
#define SP_DOC_sp_contact_sum \
    "All contacts of a body, or of the world, in the last step."
#define SP_DOC_sp_context \
    "Memory, log and tasks of a process or of a part of it. There is no global state: two contexts share nothing."
#define SP_DOC_sp_context_def \
    "Definition of a context. Copied on creation."
#define SP_DOC_sp_defect \
    "One defect, with the user numbers of the elements and nodes concerned."
#define SP_DOC_sp_distance_field_info \
    "Size and accuracy of a distance field."
#define SP_DOC_sp_edit \
    "A change by the user or the host program, applied at the start of the next step in the order (source, sequence)."
#define SP_DOC_sp_edit_log \
    "Edit log: one line of text per edit, with the step that applied it."
#define SP_DOC_sp_eigenstrain \
    "A stress-free deformation Fa of the material (docs/swelling.md): the elastic part of a deformation F is F Fa^-1. A " \
    "function of time that leaves its range keeps its last value."
#define SP_DOC_sp_eigenstrains \
    "The eigenstrains of a solid; default: none."
#define SP_DOC_sp_element_view \
    "The elements or cells of a body, in user numbering."
#define SP_DOC_sp_error \
    "The last failure, stored in the object on which the call was made: Error for calls on a world, solvers included, Error " \
    "for all others. A failure of a world is also recorded in its context, so that a call on a run, picture or recording " \
    "that fails because of a world leaves its sentence there."
#define SP_DOC_sp_event \
    "A message of a step to the user. Events of the last step are kept."
#define SP_DOC_sp_examine_options \
    "Options of an examination."
#define SP_DOC_sp_fclib \
    "A contact problem that was read from a file."
#define SP_DOC_sp_fclib_matrix \
    "A sparse matrix by rows: row i has the entries [start[i], start[i + 1]); entries of the same place add up. start None: " \
    "the problem has no such matrix."
#define SP_DOC_sp_fclib_problem \
    "A frictional contact problem in the form of FCLIB, the library of such problems of Siconos (Acary et al. 2014). Rows of " \
    "contact i are `dimension` i (normal) and the following (tangents). A local problem is u = W r + V l + q, 0 = V^T r + R " \
    "l + s, a global one M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b; l are multipliers of equality constraints. " \
    "Vectors that the form does not have are None."
#define SP_DOC_sp_fclib_solution \
    "A solution to write beside a problem. Optional: each vector."
#define SP_DOC_sp_field_info \
    "A field: numbers on the nodes or elements of a body, or of the body as a whole. In user numbering."
#define SP_DOC_sp_fill_def \
    "Mesh generation by isosurface stuffing (Labelle and Shewchuk 2007)."
#define SP_DOC_sp_fill_info \
    "Report of a mesh generation."
#define SP_DOC_sp_fill_region \
    "A part of the filled shape that becomes a group, with faces along its boundary. If two overlap, the later one is used."
#define SP_DOC_sp_fix \
    "Boundary condition: nodes held at their initial position, exactly, or by springs if stiffness > 0."
#define SP_DOC_sp_gltf \
    "The motion of a run as a glTF 2.0 file (.glb): the surfaces that are seen, with looks. Rigid bodies are animated by " \
    "their nodes, solids and rods by a morph target for each frame."
#define SP_DOC_sp_gltf_options \
    "Options of a glTF file."
#define SP_DOC_sp_import \
    "A scene of SOFA (.scn, XML) that was read and converted to the scene language, with a note for each of its components."
#define SP_DOC_sp_import_note \
    "A note about a component. Strings are valid as long as the import."
#define SP_DOC_sp_import_options \
    "Options of a conversion."
#define SP_DOC_sp_integrator_def \
    "The time integrator of a body."
#define SP_DOC_sp_label_volume \
    "Labelled voxels: a segmented scan. Label 0 is background and stays empty."
#define SP_DOC_sp_link_def \
    "A link between two bodies, or two parts of one body. Its rows are solved together with those of contacts. Everything is " \
    "copied. Points are found at the state in which the link is attached."
#define SP_DOC_sp_link_id \
    "A link between two bodies. Zero is null; functions detect the id of a removed link."
#define SP_DOC_sp_link_info \
    "A link and what it did in the last step. Nothing is allocated for it."
#define SP_DOC_sp_link_part \
    "One side of a link: a body, some of its nodes, or material points of it."
#define SP_DOC_sp_link_point \
    "A tied point of a link."
#define SP_DOC_sp_load \
    "A load on a body of any kind. Rods and free rigid bodies take forces and torques at a material point, and accelerations " \
    "of everything."
#define SP_DOC_sp_mass_def \
    "A point mass: a weight at material points of a solid or a rod. It adds to the mass matrix, so that gravity, " \
    "acceleration loads and damping by mass act on it as on the mass of the body. It keeps that place in the material and " \
    "has no volume: neither `drag` nor contacts see its size. A point inside an element is lumped to the nodes of the " \
    "element by its natural coordinates, as the mass of solids, discrete rods and beams is; clothoids and helices take it " \
    "where it is. If the value changes, mass with the velocity of the point is added or removed, and the change of energy " \
    "counts as `edits` in Work. Default: zero."
#define SP_DOC_sp_mass_info \
    "A point mass of a body."
#define SP_DOC_sp_material \
    "Material constants of a solid or of a region of it."
#define SP_DOC_sp_mesh \
    "A mesh of volume elements, or of triangles: nodes, elements, groups and arrays. It never changes."
#define SP_DOC_sp_mesh_array \
    "A named array over the nodes or elements of a mesh."
#define SP_DOC_sp_mesh_def \
    "Definition of a mesh. Everything is copied."
#define SP_DOC_sp_mesh_file \
    "A mesh file with or without defects, to examine and repair what Mesh.read does not accept."
#define SP_DOC_sp_mesh_file_content \
    "Content of a mesh file. Pointers are valid as long as the file is open."
#define SP_DOC_sp_mesh_group \
    "A named set of a mesh (a physical group of the file). Elements or nodes may be empty, but not both."
#define SP_DOC_sp_mesh_repairs \
    "Report of a repair."
#define SP_DOC_sp_mesh_report \
    "Result of an examination."
#define SP_DOC_sp_mesh_stats \
    "Statistics of a mesh or surface. Elements with missing nodes are not counted."
#define SP_DOC_sp_mesh_write_options \
    "Options of writing a mesh."
#define SP_DOC_sp_moduli \
    "Moduli at small strains: shear and bulk modulus, Young's modulus [Pa] and Poisson's ratio."
#define SP_DOC_sp_move \
    "Prescribed displacement: nodes that follow a pose about a point, x(t) = about + translate(t) + R(t) (x_start - about)."
#define SP_DOC_sp_open_surface \
    "A surface that contact by volumes cannot use."
#define SP_DOC_sp_param_info \
    "A parameter of a world that edits may change: all of the list except those with \"new-body\", for each body and region."
#define SP_DOC_sp_param_spec \
    "An entry of the list of parameters. Definitions, edits, scene files, `souple check` and sliders all read this one list."
#define SP_DOC_sp_pcg_options \
    "Options of \"pcg\"."
#define SP_DOC_sp_picture_def \
    "Definition of a picture. or Run.camera. Strings and lists are borrowed for the call."
#define SP_DOC_sp_picture_extent \
    "The common extent of a series of pictures, so that neither the camera nor the colours jump: a box around everything " \
    "visible, and the range of the displayed field. , which is empty."
#define SP_DOC_sp_picture_opacity \
    "Opacity of a body, instead of that of its look."
#define SP_DOC_sp_plot \
    "One panel, 860 x 430 units. A zero-initialised one has linear axes and no series."
#define SP_DOC_sp_plot_series \
    "Points of one line, area or group of bars. Pointers are borrowed for the call."
#define SP_DOC_sp_pose \
    "A rigid transformation: x = translate + R(quat) X."
#define SP_DOC_sp_pose_signal \
    "A pose that may vary with time, pure in t."
#define SP_DOC_sp_recording \
    "A recording (.xdmf, or its .h5) opened for reading: finished, still being written, or left by a run that was killed; " \
    "then up to its last complete frame. In a build without HDF5 opening returns Unavailable. Use it from one thread at a " \
    "time."
#define SP_DOC_sp_recording_body \
    "A body of a recording and its recorded fields."
#define SP_DOC_sp_recording_contact \
    "A contact of a recorded frame, as in ContactPoint."
#define SP_DOC_sp_recording_frame \
    "One instant of a recording."
#define SP_DOC_sp_recording_info \
    "Description of a recording and of its run."
#define SP_DOC_sp_recording_topology \
    "Cells of a body at a frame: tetrahedra, lines along a rod, or triangles of a body without elements."
#define SP_DOC_sp_rigid_def \
    "A rigid body: fixed, with prescribed motion, or free. Everything is copied, except what signals point to. What is below " \
    "`pose` is for free bodies; fixed and kinematic ones ignore mass, density and inertia and must not have the rest."
#define SP_DOC_sp_rigid_mass \
    "Mass of a rigid body."
#define SP_DOC_sp_rigid_shape \
    "A rigid shape, with the pose of its frame in the frame of the body."
#define SP_DOC_sp_rod_cross_section \
    "A cross section of the surface of a rod: the vertices from `vertex` to the first one of the next cross section."
#define SP_DOC_sp_rod_def \
    "A body of one or thousands of strands. Nodes and elements are numbered strand by strand. Everything is copied, except " \
    "what signals point to."
#define SP_DOC_sp_rod_feed \
    "A rod that is pushed and turned through an entry point. What has not entered lies straight on the axis, which the root " \
    "must lie on, with its tangent along `direction`. Rods of one strand, of the models der and beam. At least one element " \
    "stays behind the entry point, and the tip does not go back behind it (if the rod starts there: not behind its start): " \
    "the feed stops there, and an event says so. docs/rods.md describes the method."
#define SP_DOC_sp_rod_grow \
    "How the strands of a rod grow at their tips."
#define SP_DOC_sp_rod_section \
    "An elliptic cross section and its material."
#define SP_DOC_sp_rod_strand \
    "One strand of a rod. Its nodes are the ends of its elements, which have equal lengths."
#define SP_DOC_sp_run \
    "The simulation of a scene: world, events, probes, records, stop conditions and claims."
#define SP_DOC_sp_run_claim \
    "An `expect` element of the scene: the observed and the expected value."
#define SP_DOC_sp_run_column \
    "A column of the samples of a probe."
#define SP_DOC_sp_run_inverse \
    "An inverse problem that was solved before the first step."
#define SP_DOC_sp_run_look \
    "Appearance of a surface of a body."
#define SP_DOC_sp_run_options \
    "Values that override those of the scene."
#define SP_DOC_sp_run_probe \
    "The samples of a probe so far. The numbers stay as they are until the run is destroyed; samples of later steps need a " \
    "new call."
#define SP_DOC_sp_run_record \
    "A file that the run writes."
#define SP_DOC_sp_run_recorder \
    "A recording (.xdmf and .h5) that starts and stops while a run goes on, besides the records of its scene. Its failure " \
    "does not affect the run. Use it from the thread that steps the run."
#define SP_DOC_sp_run_recorder_def \
    "What is recorded."
#define SP_DOC_sp_scene \
    "A scene that was read, checked and resolved, with its messages."
#define SP_DOC_sp_scene_choice \
    "A permitted value of an attribute of the scene language."
#define SP_DOC_sp_scene_info \
    "The source of a scene. Strings are valid as long as the scene exists."
#define SP_DOC_sp_scene_message \
    "A message of the reader about a scene. Pointers are valid as long as the scene exists."
#define SP_DOC_sp_scene_options \
    "Options of reading a scene."
#define SP_DOC_sp_scene_output \
    "A file that a run of the scene writes to its output folder."
#define SP_DOC_sp_section \
    "The elements of a solid, prepared to be cut by planes: the caps of clipping planes in pictures and pages. It refers to " \
    "its world and is destroyed before it."
#define SP_DOC_sp_section_faces \
    "A cross section: the triangles in which a plane cuts the tetrahedra. Triangles of one region share their vertices, " \
    "unless the values of the field must not be averaged. The arrays are valid until the next call for the same section."
#define SP_DOC_sp_selection \
    "A selection: the attributes that are set intersect. , which selects everything."
#define SP_DOC_sp_signal \
    "A number that may vary with time: `eval(user, t)` if eval is set, otherwise `constant`. It must be a pure function of " \
    "t; `user` must outlive the world."
#define SP_DOC_sp_snapshot \
    "The published state of a world after a step, for readers in other threads. It does not change while a reader holds it."
#define SP_DOC_sp_snapshot_body \
    "A body in a snapshot: its surfaces, the fields that were asked for, and its energies."
#define SP_DOC_sp_snapshot_field \
    "A field of a body in a snapshot, see World.publish_fields."
#define SP_DOC_sp_snapshot_link \
    "A tied point of a link in a snapshot."
#define SP_DOC_sp_snapshot_surface \
    "A surface of a body in a snapshot. All snapshots of one revision share the constant arrays."
#define SP_DOC_sp_solid_def \
    "A deformable solid. Everything is copied, except what signals point to."
#define SP_DOC_sp_solid_law \
    "The law of a region. Options that a model does not have are ignored."
#define SP_DOC_sp_solve_info \
    "Statistics of the solves of one body in its last step."
#define SP_DOC_sp_solver_def \
    "The linear solver of a body: its type, its stopping criterion, and a group of options for each type. Groups of other " \
    "types than the one in use are ignored."
#define SP_DOC_sp_spring_def \
    "A spring from a material point to a position in space."
#define SP_DOC_sp_step_info \
    "Report of a step."
#define SP_DOC_sp_surface_contact_def \
    "How a collision surface is touched (proximity)."
#define SP_DOC_sp_surface_def \
    "A surface embedded in a body: each vertex is a material point, inside an element or attached to the nearest one, and " \
    "follows the affine motion of that element. Forces on vertices act on the body by the exact transpose of this mapping. " \
    "The vertices of collision surfaces are the collision points of a solid and share the contact stiffness of the nodes " \
    "that carry them; without a collision surface the nodes are the collision points. The boundary has the roles that no " \
    "embedded surface has. Surfaces are removed with their body."
#define SP_DOC_sp_surface_info \
    "Description of a surface. Pointers are valid as long as the body exists."
#define SP_DOC_sp_trimesh \
    "A triangle surface with texture coordinates, normals, colours, groups and arrays. It may be open, closed or defective: " \
    "Surface checks numbers only, Surface.examine finds defects."
#define SP_DOC_sp_trimesh_def \
    "Definition of a triangle surface. Everything is copied."
#define SP_DOC_sp_updated_options \
    "Options of \"updated-cholesky\" (incremental Cholesky)."
#define SP_DOC_sp_volume \
    "Labelled voxels from a file: NRRD (.nrrd, .nhdr + raw, also gzip) or NIfTI-1 (.nii, .nii.gz), see docs/meshing.md."
#define SP_DOC_sp_work \
    "Work done on a body since its first step [J], by cause."
#define SP_DOC_sp_world \
    "A simulation: bodies and their common time."
#define SP_DOC_sp_world_def \
    "Definition of a world."
#define SP_KEYWORDS_sp_pose \
    "\n    translate: [m]\n    quat: w x y z, unit length\n"
#define SP_KEYWORDS_sp_selection \
    "\n    box: x0 y0 z0 x1 y1 z1, inclusive\n    sphere: x y z r, inclusive\n    plane: point, normal: the side the normal " \
    "points to\n    within: with plane, if > 0: the layer of that half thickness around it [m]\n    near: the nearest node; " \
    "of equal distances the lower number\n    group: name of a mesh group; optional\n    ids: user numbers; optional\n    " \
    "on_surface: only nodes of the boundary, elements with a boundary face\n    invert: the complement\n"
#define SP_KEYWORDS_sp_mesh_stats \
    "\n    node_count: \n    element_count: \n    tetrahedra: a volume mesh, not a surface\n    type_counts: elements of " \
    "each one of \"tet4\", \"line2\", \"tet10\", \"hex8\", \"tri3\", of volume meshes\n    low: of the finite positions " \
    "[m]\n    high: of the finite positions [m]\n    volume: of elements, inverted ones counted positive; of closed surfaces " \
    "the volume enclosed; open ones: NaN [m3]\n    area: of the surface [m2]\n    tolerance: distance below which nodes " \
    "coincide [m]\n    component_count: parts that share no node\n    face_count: of the surface\n    edge_count: of the " \
    "surface\n    vertex_count: of the surface\n    shell_count: parts of the surface that share no edge; closed ones among " \
    "them\n    closed_count: parts of the surface that share no edge; closed ones among them\n    angle_min: dihedral angles " \
    "of the corners of tetrahedra, angles of triangles [deg]\n    angle_max: dihedral angles of the corners of tetrahedra, " \
    "angles of triangles [deg]\n    angles: per 10 degrees\n    ratio_min: inscribed to circumscribed radius, 1 for a " \
    "regular element, 0 for a flat one\n    ratio_mean: inscribed to circumscribed radius, 1 for a regular element, 0 for a " \
    "flat one\n    ratios: per 0.1\n    worst: user number of the element with ratio_min, or -1\n    aspect_max: longest " \
    "edge to inscribed radius, 1 for a regular element\n    edge_min: over the edges of all elements, straight from corner " \
    "to corner [m]\n    edge_mean: over the edges of all elements, straight from corner to corner [m]\n    edge_max: over " \
    "the edges of all elements, straight from corner to corner [m]\n    jacobian_min: smallest to largest Jacobian " \
    "determinant at corners and integration points of\n    jacobian_mean: smallest to largest Jacobian determinant at " \
    "corners and integration points of hexahedra and quadratic tetrahedra: 1 for undistorted ones; NaN: none\n    " \
    "jacobian_worst: user number of the element with jacobian_min, or -1\n"
#define SP_KEYWORDS_sp_examine_options \
    "\n    tolerance: distance below which nodes coincide [m]; default -1: 1e-9 of the bounding box diagonal\n    limit: " \
    "defects listed per kind, >= 0, default 20; counts are always complete\n    intersections: search for " \
    "self-intersections. Default true\n"
#define SP_KEYWORDS_sp_mesh_repairs \
    "\n    welded: nodes merged with another one\n    dropped_nodes: nodes without elements, including non-finite ones\n    " \
    "dropped_broken: elements with a missing or non-finite node\n    dropped_flat: elements without volume or area\n    " \
    "dropped_duplicates: duplicate elements\n    turned: tetrahedra with corrected orientation; triangles flipped to agree " \
    "with their neighbours and to face outwards\n    unorientable: edges whose triangles cannot be oriented consistently (a " \
    "Moebius strip has one)\n"
#define SP_KEYWORDS_sp_fill_def \
    "\n    size: edge of a lattice cell at the boundary [m]; edges of elements are about 0.4 to 1.3 of it. 0: by " \
    "`elements`\n    elements: approximate number of tetrahedra instead of a size, 1..2^26: within 10 % for 500 or more\n    " \
    "grade: largest ratio of cells inside to cells at the boundary: 1, 2, 4, ... 32. Default 1: equal\n    detail: smallest " \
    "ratio of cells at thin or curved parts of the surface: 1, 1/2, 1/4, ... 1/32. Default 1: equal. Below 1 no angle is " \
    "guaranteed; FillInfo has the angles reached\n    smooth: label volumes: width of the smoothing [voxels], 0.5..4. " \
    "Default 1\n"
#define SP_KEYWORDS_sp_fill_info \
    "\n    size: of the lattice [m]\n    runs: lattices tried until the number of elements was reached\n    dihedral: " \
    "smallest and largest dihedral angle [deg]\n    guarantee: guaranteed bounds of these angles [deg]; 0 and 180: no " \
    "guarantee\n    islands: parts connected by faces\n    winding: surfaces: fraction of samples whose winding number is " \
    "not near an integer; largest |winding number|\n"
#define SP_KEYWORDS_sp_integrator_def \
    "\n    type: default \"implicit-euler\"; one of \"implicit-euler\", \"newton\", \"explicit\", \"static\"\n    " \
    "iterations: maximum Newton iterations, >= 1, default SP_ITERATIONS_AUTO; implicit-euler of rods: 1 for exactly one " \
    "linearisation\n    tolerance: of Newton, on the residual force relative to the first (static: to the force on fixed " \
    "nodes, if larger), > 0, default 1e-8\n    line_search: shorten Newton steps that do not lower the energy or the " \
    "residual, default true\n    load_steps: static: loads grow in this many stages, >= 1, default 1\n    substeps: equal " \
    "parts of a step, >= 1; default 0: one; implicit-euler of rods then divides the step of each strand depending on its " \
    "motion. Not for static\n"
#define SP_KEYWORDS_sp_automatic_options \
    "\n    step: expected length of steps [s], > 0, default 0.01\n    aim_ms: time that a step may take [ms], > 0; default " \
    "nan (auto): the length of the step (real time)\n"
#define SP_KEYWORDS_sp_cg_options \
    "\n    op: product with the matrix, default \"auto\". With \"matrix-free\", \"auto\" chooses cg; one of \"auto\", " \
    "\"matrix-free\", \"assembled\"\n"
#define SP_KEYWORDS_sp_pcg_options \
    "\n    preconditioner: default \"block-jacobi\"; one of \"block-jacobi\", \"jacobi\", \"ssor\", \"ic\", \"cholesky\", " \
    "\"inverse-factor\", \"multigrid\"\n    refresh: when it is rebuilt, default \"auto\"; one of \"auto\", \"async\", " \
    "\"step\", \"never\", \"every\"\n    refresh_every: \"every\": steps, >= 1, default 1\n    warp: rotate an old " \
    "preconditioner with the nodes, default true\n    lag: asynchronous refresh in a deterministic world: steps from the " \
    "matrix to the use of its preconditioner, >= 0, default 2\n    drop: \"ic\": relative size of dropped entries, >= 0, " \
    "default 1e-3\n    omega: \"ssor\": relaxation factor, in (0, 2), default 1\n"
#define SP_KEYWORDS_sp_cholesky_options \
    "\n    ordering: default \"auto\"; one of \"auto\", \"natural\", \"amd\", \"metis\", \"geometric\"\n    factor: default " \
    "\"llt\"; one of \"llt\", \"ldlt\"\n    precision: default \"auto\"; one of \"auto\", \"double\", \"float\"\n"
#define SP_KEYWORDS_sp_updated_options \
    "\n    threshold: error of an element above which it is refreshed [N s], >= 0; 0: all, each step. Default nan (auto)\n   " \
    " budget_ms: not deterministic: time to spend on refreshing in a step [ms], > 0; default nan (auto)\n    budget_columns: " \
    "maximum fraction of the block columns factored again in a step, in (0, 1]; default nan (auto)\n"
#define SP_KEYWORDS_sp_solver_def \
    "\n    type: default \"auto\"; one of \"auto\", \"cg\", \"pcg\", \"cholesky\", \"updated-cholesky\", \"dense\", " \
    "\"block-tridiagonal\"\n    tolerance: |b - Ax| / |b|; 0: exactly `iterations`, for any residual. In [0, 1), default " \
    "1e-6\n    iterations: maximum (or exact number), >= 1, default 1000\n    automatic: of \"auto\"; a dict of step, " \
    "aim_ms\n    cg: a dict of op, or just its op\n    pcg: a dict of preconditioner, refresh, refresh_every, warp, lag, " \
    "drop, omega, or just its preconditioner\n    cholesky: a dict of ordering, factor, precision\n    updated: a dict of " \
    "threshold, budget_ms, budget_columns\n"
#define SP_KEYWORDS_sp_solve_info \
    "\n    solver: \"cg (assembled)\", \"pcg (cholesky, async)\", ...\n    linear_iterations: of all linear solves of the " \
    "step\n    linear_solves: of the step\n    newton_iterations: linearisations: 1 for implicit-euler, plus the maximum " \
    "over the strands; 0 for explicit\n    substeps: parts of the step, of equal or different length; rods: maximum over the " \
    "strands\n    residual: largest |b - Ax|/|b| of the step: computed from x if tolerance > 0, otherwise by recurrence\n    " \
    "force_residual: newton and static: |residual force| at the end relative to the first\n    critical_step: explicit: the " \
    "longest stable step [s]; otherwise 0\n    refreshes: factors or preconditioners built or swapped in during the step\n   " \
    " failed_refreshes: refreshes that failed (matrix not positive definite): the previous one stays in use\n    factor_age: " \
    "age in steps of the matrix from which the preconditioner in use was built; -1: none\n    columns: block columns " \
    "factored in the step\n    elements_refreshed: updated-cholesky: elements whose matrix was updated\n    " \
    "elements_waiting: updated-cholesky: elements above the threshold that the budget defers to the next step\n    " \
    "factor_flops: floating point operations of factorisations in the step, without the background thread\n    shift: " \
    "diagonal shift that was necessary for a factorisation; 0: none\n    status: worst of the solves: Status.OK, " \
    "Status.NOT_CONVERGED, Status.NOT_SPD, NotFinite\n"
#define SP_KEYWORDS_sp_material \
    "\n    density: [kg/m3] > 0, default 1000\n    young: [Pa] >= 0, default 1e6\n    poisson: in (-1, 0.5), default 0.3\n   " \
    " bulk: of laws with isochoric invariants: bulk modulus [Pa]; 0: from Young's modulus and Poisson's ratio\n    " \
    "coefficients: in the order of docs/materials.md\n    relaxation: pairs: share g > 0 of the instantaneous stiffness, " \
    "time [s] > 0\n    fibre_young: [Pa] >= 0: modulus that fibres along `fibre` add to an isotropic law, in tension and " \
    "compression\n    fibre: rest direction of the fibres in the axes of the mesh, of any length; then that of a second " \
    "family (of costa: the sheet), 0 0 0: none\n    incompressibility: modulus k [Pa] >= 0 of the penalty k/2 (J - 1)^2 on " \
    "the change of volume, default 0; of linear and corotational k/2 (tr e)^2. Not of laws with isochoric invariants, which " \
    "have `bulk`\n"
#define SP_KEYWORDS_sp_solid_law \
    "\n    model: one of \"corotational\", \"linear\", \"stvk\", \"neo-hookean\", \"mooney-rivlin\", \"arruda-boyce\", " \
    "\"veronda-westmann\", \"ogden\", \"holzapfel\", \"costa\", \"mass-spring\", \"tensor-mass\"\n    rotation: one of " \
    "\"polar\", \"qr\", \"svd\"\n    shape: one of \"rest\", \"deformed\"\n    tangent: one of \"frozen\", \"exact\"\n    " \
    "form: one of \"stable\", \"log\", \"isochoric\"\n    volumetric: one of \"log\", \"quadratic\", \"mixed\"\n    " \
    "integration: one of \"auto\", \"b-bar\", \"full\", \"vertices\"\n    tensor_law: one of \"stvk\", \"hooke\"\n"
#define SP_KEYWORDS_sp_moduli \
    "\n    shear: \n    bulk: \n    young: \n    poisson: \n"
#define SP_KEYWORDS_sp_fix \
    "\n    nodes: \n    axes: \"x\", \"y\", \"z\"; words: \"x\", \"y\", \"z\"\n    stiffness: [N/m] per node; 0: exactly\n"
#define SP_KEYWORDS_sp_move \
    "\n    nodes: \n    axes: words: \"x\", \"y\", \"z\"\n    about: \n    pose: a pose, or a function of t [s] that returns " \
    "one\n"
#define SP_KEYWORDS_sp_anchor \
    "\n    body: a body, or its name\n    elem: number of the element; rod: numbered through all strands; rigid: 0\n    " \
    "group: group of elements of one type; 0: there is only one so far\n    at: natural coordinates. Tetrahedron: weights of " \
    "nodes 1, 2, 3 (node 0: 1 - sum); triangle: of nodes 1, 2, and 0; rod: fraction of the element's length in [0, 1], 0, 0; " \
    "rigid: 0\n    offset: [m]. Rigid: the point in its own frame; rod: from the centreline in the frame there, x is 0\n"
#define SP_KEYWORDS_sp_load \
    "\n    type: one of \"force\", \"each\", \"traction\", \"pressure\", \"acceleration\", \"torque\"\n    items: nodes, or " \
    "for traction and pressure indices into Mesh.faces; None: the material point `at`\n    at: force, torque; its `body` is " \
    "ignored: the point is on the body that is defined; a material point: Body.anchor, or a dict of elem, at, offset\n    " \
    "value: world axes; numbers or functions of t [s], or one function that returns as many\n"
#define SP_KEYWORDS_sp_spring_def \
    "\n    at: its `body` is ignored: the point is on the body that is defined; a material point: Body.anchor, or a dict of " \
    "elem, at, offset\n    to: [m]; numbers or functions of t [s], or one function that returns as many\n    stiffness: " \
    "[N/m] > 0\n    damping: [N s/m] >= 0\n"
#define SP_KEYWORDS_sp_mass_def \
    "\n    name: its parameter is \"<body>.<name>.value\"; optional: \"mass[<index>]\"\n    at: material points, inside " \
    "their elements and with zero offset; their `body` is ignored\n    value: [kg], total, divided equally among the points; " \
    "> 0, a function of time may also be 0; a number or a function of t [s]\n    inertia: moment of inertia about every axis " \
    "[kg m2] >= 0, total. Rods only; of a discrete rod about the tangent of the edge, since its nodes do not rotate\n"
#define SP_KEYWORDS_sp_eigenstrain \
    "\n    swell: linear strain in every direction, in [-0.9, 10]; default 0; a number or a function of t [s]\n    active: " \
    "contraction along the fibres at constant volume, in [0, 0.9]; default 0; a number or a function of t [s]\n"
#define SP_KEYWORDS_sp_eigenstrains \
    "\n    body: of the elements without a region; a dict of swell, active\n    regions: region_count, a constant NaN: that " \
    "of the body; optional: likewise for all; a dict of swell, active; or a list of them\n    element_swell: per element, " \
    "NaN: from the region; optional\n    element_active: likewise\n"
#define SP_KEYWORDS_sp_solid_def \
    "\n    name: unique in the world; optional: \"solid<slot>\"\n    mesh: rest shape\n    thickness: of a mesh of " \
    "triangles, a membrane [m] > 0; 0, the default: a mesh of volume elements\n    initial: initial positions (nodes x 3); " \
    "optional: the rest shape\n    initial_velocity: (nodes x 3); optional: at rest\n    model: default corotational; one of " \
    "\"corotational\", \"linear\", \"stvk\", \"neo-hookean\", \"mooney-rivlin\", \"arruda-boyce\", \"veronda-westmann\", " \
    "\"ogden\", \"holzapfel\", \"costa\", \"mass-spring\", \"tensor-mass\"\n    rotation: default svd, which restores " \
    "inverted elements; one of \"polar\", \"qr\", \"svd\"\n    shape: default rest; one of \"rest\", \"deformed\"\n    " \
    "tangent: default frozen; exact of the corotational law needs polar or svd and shape rest; one of \"frozen\", " \
    "\"exact\"\n    form: default stable; one of \"stable\", \"log\", \"isochoric\"\n    volumetric: default log; one of " \
    "\"log\", \"quadratic\", \"mixed\"\n    integration: default auto; one of \"auto\", \"b-bar\", \"full\", \"vertices\"\n  " \
    "  tensor_law: of \"tensor-mass\", default stvk; one of \"stvk\", \"hooke\"\n    mass_matrix: default lumped; " \
    "consistent: not with explicit and not with solver updated-cholesky; one of \"lumped\", \"consistent\"\n    material: of " \
    "the elements without a region; a dict of density, young, poisson, bulk, coefficients, relaxation, fibre_young, fibre, " \
    "incompressibility\n    regions: optional; a value that is NaN: from `material`; a dict of density, young, poisson, " \
    "bulk, coefficients, relaxation, fibre_young, fibre, incompressibility; or a list of them\n    region_laws: " \
    "region_count; optional: that of the body; a dict of model, rotation, shape, tangent, form, volumetric, integration, " \
    "tensor_law; or a list of them\n    element_region: per element: 0 `material`, k regions[k-1]; optional: all 0\n    " \
    "element_density: per element, NaN: from the region; optional\n    element_young: likewise\n    element_poisson: " \
    "likewise\n    element_fibre: per element 6 numbers as in sp_material, NaN: from the region, 0 0 0: none; optional\n    " \
    "eigenstrains: swelling and contraction; a dict of body, regions, element_swell, element_active\n    young_of_time: if " \
    "eval is set: `material.young` at each step; a number or a function of t [s]\n    rayleigh_mass: [1/s] >= 0\n    " \
    "rayleigh_stiffness: [s] >= 0\n    drag: viscous damping by the surrounding medium [N s/m4] >= 0, per rest volume\n    " \
    "fixes: a dict of nodes, axes, stiffness, or just its nodes; or a list of them\n    moves: a dict of nodes, axes, about, " \
    "pose; or a list of them\n    loads: a dict of type, items, at, value; or a list of them\n    springs: a dict of at, to, " \
    "stiffness, damping; or a list of them\n    masses: point masses; a dict of name, at, value, inertia; or a list of " \
    "them\n    integrator: a dict of type, iterations, tolerance, line_search, load_steps, substeps, or just its type\n    " \
    "solver: a dict of type, tolerance, iterations, automatic, cg, pcg, cholesky, updated, or just its type\n    compliance: " \
    "of contact by constraints; one of \"auto\", \"diagonal\", \"warped\", \"factor\", \"exact\", \"block-tridiagonal\"\n"
#define SP_KEYWORDS_sp_rigid_shape \
    "\n    type: one of \"plane\", \"sphere\", \"box\", \"cylinder\", \"capsule\", \"torus\", \"ellipsoid\"\n    size: " \
    "plane: its normal (the half-space below is solid; through its origin); sphere: radius; box: edge lengths, a corner at " \
    "the origin; cylinder: radius, length, from the origin along +z; capsule: radius, distance of the centres of its caps, " \
    "the first one at the origin, the other along +z; torus: radii of ring and tube, about z; ellipsoid: semi-axes\n    " \
    "pose: x y z, or x y z and a quaternion w x y z, or a dict of translate and quat\n"
#define SP_KEYWORDS_sp_rigid_def \
    "\n    name: \n    shapes: a dict of type, size, pose; or a list of them\n    meshes: triangle surfaces in the frame of " \
    "the body; closed and outward if the body is free\n    kinematic: follows `pose`\n    free: six degrees of freedom, " \
    "moved by forces. Neither kinematic nor free: stays at pose(0)\n    pose: of its frame [m]; free: its value at time 0; a " \
    "pose, or a function of t [s] that returns one\n    mass: [kg] >= 0; 0: volume times density\n    density: [kg/m3] > 0, " \
    "default 1000\n    inertia: xx yy zz xy yz zx about the centre of mass, in the axes of the frame [kg m2]; all 0: from " \
    "the shapes, which share the mass in proportion to their volumes\n    velocity: initial, of the centre of mass [m/s]\n   " \
    " spin: initial angular velocity [rad/s]\n    loads: forces and torques at a material point, accelerations; a dict of " \
    "type, items, at, value; or a list of them\n    springs: a dict of at, to, stiffness, damping; or a list of them\n    " \
    "integrator: a dict of type, iterations, tolerance, line_search, load_steps, substeps, or just its type\n"
#define SP_KEYWORDS_sp_rigid_mass \
    "\n    mass: [kg]\n    volume: [m3], sum over the shapes: where they overlap, it counts twice\n    centre: of mass, in " \
    "the frame of the body [m]\n    inertia: about the centre of mass, in the axes of the frame, row-major [kg m2]\n"
#define SP_KEYWORDS_sp_rod_section \
    "\n    axes: semi-axes along n1 and n2 [m] > 0\n    bore: radius of a round hole along the axis [m] >= 0, less than both " \
    "semi-axes\n    density: [kg/m3] > 0, default 1000\n    young: [Pa] > 0, default 1e6\n    poisson: in (-1, 0.5), default " \
    "0.3\n"
#define SP_KEYWORDS_sp_rod_strand \
    "\n    length: [m] > 0\n    elements: >= 1\n    root: its first frame: x along the tangent, y along n1, z along n2; x y " \
    "z, or x y z and a quaternion w x y z, or a dict of translate and quat\n    curvature: natural, at the nodes: (elements " \
    "+ 1) x 3, twist, k1, k2 [rad/m]; optional: straight\n    start: likewise, the initial curvature; optional: the natural " \
    "one\n    section: per element, index into `sections`; optional: all 0\n"
#define SP_KEYWORDS_sp_rod_grow \
    "\n    mode: one of \"tip\", \"scale\"\n    rate: [m/s] of every strand, >= 0; a number or a function of t [s]\n    " \
    "until: final length [m], >= the length of every strand\n    split: [m]; 0: 1.5 times the initial length of an element\n " \
    "   curvature: natural curvature of the new material [rad/m]; numbers or functions of t [s], or one function that " \
    "returns as many\n"
#define SP_KEYWORDS_sp_rod_feed \
    "\n    name: its parameters are \"<body>.<name>.speed\" and \"<body>.<name>.spin\"; optional: \"feed\"\n    at: the " \
    "entry point [m]\n    direction: of entry; not zero, of any length\n    speed: [m/s] along the direction; default 0; a " \
    "number or a function of t [s]\n    spin: [rad/s] about the direction; default 0; a number or a function of t [s]\n"
#define SP_KEYWORDS_sp_rod_def \
    "\n    name: unique in the world; optional: \"rod<slot>\"\n    model: default clothoid; one of \"clothoid\", \"helix\", " \
    "\"der\", \"beam\"\n    strands: a dict of length, elements, root, curvature, start, section; or a list of them\n    " \
    "sections: a dict of axes, bore, density, young, poisson; or a list of them\n    free_root: roots are free; default: " \
    "each is held with its frame\n    velocity: with free roots: initial velocity [m/s]\n    spin: with free roots: initial " \
    "angular velocity about the centre of mass of all strands [rad/s]\n    edge_clamp: der: a root is held by its first " \
    "edge; default: by a frame and half a cell (second order)\n    natural: with `natural_in_time`: the natural curvature " \
    "everywhere, instead of that of the strands; numbers or functions of t [s], or one function that returns as many\n    " \
    "grow: optional: no growth; a dict of mode, rate, until, split, curvature\n    feed: optional: the rod is not fed; a " \
    "dict of name, at, direction, speed, spin\n    rayleigh_mass: [1/s] >= 0\n    rayleigh_stiffness: [s] >= 0\n    drag: " \
    "viscous damping by the surrounding medium [N s/m2] >= 0, per length\n    fixes: A node held on all axes also holds its " \
    "frame, if the model has one there. Clothoids and helices hold nodes other than their roots by springs. Their default " \
    "stiffness allows 1e-4 of the length of a strand under its own weight.; a dict of nodes, axes, stiffness, or just its " \
    "nodes; or a list of them\n    moves: roots of clothoids and helices; any node of the others; a dict of nodes, axes, " \
    "about, pose; or a list of them\n    loads: a dict of type, items, at, value; or a list of them\n    springs: a dict of " \
    "at, to, stiffness, damping; or a list of them\n    masses: point masses; a dict of name, at, value, inertia; or a list " \
    "of them\n    samples: collision points of an element, 0..64; default 10\n    sides: Vertices of a cross section of its " \
    "surface, 3..64; default 0: 12, or 8 above 10 strands, above 100 strands 6, or 3 if they are at least 30 times as long " \
    "as thick.\n    rings: cross sections of its surface per element, 1..64; default 0: 8, or as many as its curvature " \
    "needs\n    integrator: a dict of type, iterations, tolerance, line_search, load_steps, substeps, or just its type\n    " \
    "solver: auto (block-tridiagonal), block-tridiagonal or cg; a dict of type, tolerance, iterations, automatic, cg, pcg, " \
    "cholesky, updated, or just its type\n    compliance: of contact by constraints: auto, diagonal, exact or " \
    "block-tridiagonal; one of \"auto\", \"diagonal\", \"warped\", \"factor\", \"exact\", \"block-tridiagonal\"\n"
#define SP_KEYWORDS_sp_surface_def \
    "\n    name: unique on its body; optional: \"surface<index>\", or the next free number\n    mesh: in the frame of the " \
    "rest shape (rigid: of the body)\n    roles: \"visual\", \"collision\" or both; default both; words: \"visual\", " \
    "\"collision\", \"mechanical\", \"interfaces\"\n    faces: instead of `mesh`: these boundary faces of the body (indices " \
    "into Mesh.faces); optional\n    subdivide: subdivide each triangle of the boundary into 4^n for display, 0..4; default " \
    "0\n    region: instead of all above but `name`: the interfaces of this region of a solid with regions of lower numbers, " \
    "faces inside the solid that point out of the region. Its role is \"interfaces\". May be empty. From 1; 0 (default): " \
    "none\n"
#define SP_KEYWORDS_sp_rod_cross_section \
    "\n    vertex: \n    element: numbered through all strands\n    at: fraction of its length, in [0, 1]\n"
#define SP_KEYWORDS_sp_surface_info \
    "\n    name: \n    roles: words: \"visual\", \"collision\", \"mechanical\", \"interfaces\"\n    vertex_count: \n    " \
    "face_count: \n    outside: vertices outside all elements, attached to the nearest one\n    farthest: largest distance " \
    "of those [m]\n    faces: face_count x 3, outward\n    nodes: boundary: user node of each vertex; None: none\n    " \
    "ring_count: number of `rings`\n    rings: boundary: cross sections of a rod, in order; None: none; a dict of vertex, " \
    "element, at; or a list of them\n    revision: changes when the vertices or faces change: elements were removed or " \
    "appended\n"
#define SP_KEYWORDS_sp_surface_contact_def \
    "\n    side: default outside; one of \"outside\", \"inside\", \"both\"\n    field: rigid bodies: others touch a signed " \
    "distance field with cells of this size instead of the triangles [m] > 0, at most half of the surface; 0, the default: " \
    "triangles. Not with \"both\"\n    self: soft bodies: the surface touches itself, also if ContactDef.self is false; " \
    "default false\n"
#define SP_KEYWORDS_sp_distance_field_info \
    "\n    cell: [m]\n    cells: along the axes, over the size of the surface\n    blocks: of 8 x 8 x 8 nodes\n    " \
    "blocks_near: those that have values\n    bytes: grid, triangles and their tree\n    open_edges: edges that belong to " \
    "one triangle; 0: the surface is closed\n    deviation: largest value at vertices and middles of triangles, where it " \
    "should be 0 [m]\n    build_ms: time of its creation\n"
#define SP_KEYWORDS_sp_contact_solver_def \
    "\n    method: default auto; one of \"auto\", \"gauss-seidel\", \"interior-point\", \"direct\"\n    local: default " \
    "projection; one of \"projection\", \"newton\"\n    cone: default exact; one of \"exact\", \"facets\"\n    facets: of " \
    "the cone, 4..32, default 4\n    strategy: default auto; one of \"auto\", \"sequential\", \"block\", \"graph\", \"row\", " \
    "\"col\"\n    sweeps: limit of Gauss-Seidel >= 1, default 500\n    tolerance: of the residual, relative to the largest " \
    "violation > 0, default 1e-6\n    warm_start: start from the impulses of the last step, default true\n    budget_ms: " \
    "time of a step's solves [ms] >= 0; 0: no limit, the default. It acts where the world is not deterministic; edits taken " \
    "say where it ended a solve, and a replay ends it there too\n"
#define SP_KEYWORDS_sp_contact_def \
    "\n    formulation: one of \"penalty\", \"proximity\", \"volume\", \"volume-penalty\"\n    stiffness: penalty: [N/m] per " \
    "node, normal and tangential; 0: auto, 30 m/h2 with the mass of each node (or the mean mass if larger), and for solids " \
    "at least Young's modulus times the element size (static: that; explicit: m/h2 of the substep). Contacts of all pairs: " \
    "per contact, normal; 0: auto, 30 times the stiffness with which the bodies answer there within a step. volume-penalty: " \
    "[N/m5]; 0: auto, once that\n    damping: penalty: [N s/m] per node or contact >= 0\n    friction: coefficient >= 0\n    " \
    "alarm: proximity: contacts are made below this distance (beyond the gap) [m] >= 0; 0, the default: of each pair, an " \
    "eighth of the smaller edge or radius of those of the two that can move\n    gap: proximity: distance that contacts keep " \
    "[m] >= 0\n    stabilisation: proximity: default auto; one of \"auto\", \"post\", \"velocity\", \"position\"\n    " \
    "passes: proximity: how often a step searches and solves again until its end does not overlap >= 0, default 3\n    " \
    "reserve: proximity: contacts for which memory is kept ready >= 0; 0: auto, memory grows with the contacts\n    broad: " \
    "proximity: default auto, which is bvh; one of \"auto\", \"bvh\", \"hash\", \"brute\"\n    self: proximity: soft bodies " \
    "touch themselves; default false\n    continuous: proximity: what touches only between the start and the end of the free " \
    "motion of a step is found too; default false\n    enabled: proximity: 1, the default: contacts act; 0: they do not, " \
    "until the parameter contact.enabled is 1\n    pixel: volume: distance of the rays of the layered depth images [m] > 0; " \
    "no default\n    cell: volume: edge of a constraint in pixels, 0..4096; 0, the default: one constraint for each pair\n   " \
    " layers: volume: surfaces that a ray may cross for which memory is ready, 0..4096; 0, the default: 98. Where a ray " \
    "crosses more, memory grows, and the first time an event says so. It changes no result\n    slack: volume: overlap that " \
    "stays at rest, in pixels >= 0, default 0.5; 0: contacts without a load come and go\n    law: volume: default coulomb; " \
    "one of \"coulomb\", \"viscous\"\n    viscosity: viscous: force per area, area and relative velocity [N s/m5] >= 0\n    " \
    "solver: proximity; a dict of method, local, cone, facets, strategy, sweeps, tolerance, warm_start, budget_ms\n"
#define SP_KEYWORDS_sp_contact_part \
    "\n    body: a body, or its name\n    surface: number of a surface of the body; -1: all of them\n    nodes: nodes in " \
    "user numbering: faces, edges and vertices with all their nodes in this set. A vertex of an embedded surface counts as " \
    "the node of its element that carries most of it. None: everything\n"
#define SP_KEYWORDS_sp_contact_pair_def \
    "\n    name: its parameter is \"contact.<name>.friction\"; optional: \"pair[<index>]\"\n    a: a dict of body, surface, " \
    "nodes, or just its body; or a list of them\n    b: a dict of body, surface, nodes, or just its body; or a list of " \
    "them\n    enabled: default true; false: they ignore each other\n    friction: coefficient >= 0; NaN, the default: that " \
    "of a wider pair, of the parts, or of ContactDef\n    alarm: [m] > 0; NaN, the default: of a wider pair or of " \
    "ContactDef\n    gap: [m] >= 0; NaN, the default: likewise\n    continuous: 1: yes, 0: no; -1, the default: likewise. It " \
    "acts on whole bodies: yes, if it is so in a part\n    formulation: one of \"penalty\", \"proximity\", \"volume\", " \
    "\"volume-penalty\"; -1, the default: likewise. Volumes are of whole bodies and surfaces\n    pixel: volume: [m] > 0; " \
    "NaN, the default: likewise\n"
#define SP_KEYWORDS_sp_contact_point \
    "\n    bodies: a body, or its name\n    point: midway between the two surfaces, at the start of the step [m]; volume: " \
    "centroid of the overlap\n    normal: unit, from the second to the first body\n    force: on the first body [N]; on the " \
    "second it is the opposite\n    gap: distance minus the gap to keep, at the start of the step [m]; < 0: overlap\n    " \
    "slip: displacement of the first body along the second in the step [m], tangential; 0: it sticks\n    pressure: Normal " \
    "force per area [Pa]. The normal force is distributed to the vertices of the touching feature by their weights, and each " \
    "share is divided by the tributary area of its vertex: a third of the faces around it that are less than 60 degrees from " \
    "the normal, projected along it. The value is the mean of the vertices, with the contributions of all contacts that " \
    "share them. It is taken on the side that touches with a vertex, else on the first one with faces. 0: both sides are " \
    "analytic shapes, which have no area.\n    area: normal force / pressure [m2]: the part of the surface that the contact " \
    "carries\n    features: what touches on each body; one of \"shape\", \"vertex\", \"edge\", \"face\", \"patch\"\n    " \
    "anchors: the material points that touch. Where a feature of an embedded surface is in several elements: its vertex with " \
    "the largest weight; a material point: Body.anchor, or a dict of elem, at, offset\n"
#define SP_KEYWORDS_sp_contact_sum \
    "\n    count: number of contacts, including those that carry nothing\n    force: sum of the forces on the body [N]; " \
    "world: 0\n    normal: sum of the normal forces [N]\n    largest: largest force of one contact [N]\n    pressure: " \
    "largest pressure of one contact [Pa]\n    gap: smallest gap at the start of the step [m]; infinite: no contacts\n"
#define SP_KEYWORDS_sp_open_surface \
    "\n    body: a body, or its name\n    surface: 0: the boundary; others: embedded surfaces\n    edges: edges whose " \
    "triangles do not close it; 0: no surface is open\n"
#define SP_KEYWORDS_sp_link_part \
    "\n    body: a body, or its name\n    nodes: in user numbering; None: the whole body\n    points: material points of the " \
    "body instead of nodes, tied one by one to the other body; where both sides of a spring have as many, point by point: " \
    "each pair is pulled together. Nullable\n"
#define SP_KEYWORDS_sp_link_def \
    "\n    name: unique in the world, also among bodies; optional: \"link<slot>\"\n    type: default weld; one of \"weld\", " \
    "\"spring\", \"slide\", \"hinge\"\n    a: first side; forces are those on it; a dict of body, nodes, points, or just its " \
    "body\n    b: second side; a dict of body, nodes, points, or just its body\n    within: points of one side are tied that " \
    "are at most so far from the other [m] > 0; 0, the default: auto, a quarter of the mean edge of the faces (rods: of the " \
    "elements) of the finer side\n    point: hinge: on the axis; weld, spring and slide of whole rigid bodies: where they " \
    "are joined [m], world axes, at the state in which the link is attached\n    axis: hinge, line: direction; plane: " \
    "normal; of any length > 0\n    guide: slide: default line; one of \"line\", \"plane\", \"centreline\"\n    stiffness: " \
    "spring: [N/m] > 0, of all points together\n    damping: spring: [N s/m] >= 0, of all points together\n    friction: " \
    "slide: Coulomb's coefficient >= 0\n    break_force: the link breaks at the end of a step in which its force exceeds " \
    "this [N] > 0; default infinity\n    attached: default true; false: an edit attaches it\n"
#define SP_KEYWORDS_sp_link_info \
    "\n    id: \n    name: valid as long as the link exists\n    type: one of \"weld\", \"spring\", \"slide\", \"hinge\"\n   " \
    " state: one of \"attached\", \"detached\", \"broken\"\n    bodies: of `a` and `b`; a body, or its name\n    " \
    "point_count: tied points, see Link.points; 0: not attached\n    force: sum of the forces on `a` [N], the mean over the " \
    "last step; on `b` it is the opposite\n    stretch: largest distance between what is tied together, at the current state " \
    "[m]; 0: not attached\n    within: distance of the last search, with `auto` resolved [m]\n    break_force: [N]\n"
#define SP_KEYWORDS_sp_link_point \
    "\n    a: its positions on both sides at the current state [m]\n    b: its positions on both sides at the current state " \
    "[m]\n    force: on `a` [N], the mean over the last step\n    anchors: the material points; of a mean of several the one " \
    "with the largest weight; a material point: Body.anchor, or a dict of elem, at, offset\n"
#define SP_KEYWORDS_sp_world_def \
    "\n    gravity: [m/s2], default 0 -9.81 0; numbers or functions of t [s], or one function that returns as many\n    " \
    "backend: \"auto\", \"ref\", \"cpu\"; default \"auto\"\n    on_limit: an iteration limit is a reservation (default) or a " \
    "failure; one of \"accept\", \"fail\"\n    on_failure: a failing body fails the step (default) or is frozen; one of " \
    "\"stop\", \"freeze\"\n    snapshot_slots: 1 + snapshots that readers may hold at the same time, 2..16, default 4\n    " \
    "snapshots: publish after each step, default true\n    deterministic: a preconditioner built in the background is used a " \
    "fixed number of steps later (`lag` of the solver), and the step waits for it if necessary: a replay is bitwise equal. " \
    "false: it is used as soon as it is ready, without waiting. Default true\n"
#define SP_KEYWORDS_sp_edit \
    "\n    type: one of \"pin\", \"release\", \"drag\", \"drop\", \"pose\", \"param\", \"swap-preconditioner\", " \
    "\"swap-compliance\", \"contact-budget\", \"attach\", \"detach\", \"add\", \"remove\", \"link\", \"remove-element\"\n    " \
    "source: origin of the edit: 0 the program, other numbers are chosen by the host\n    sequence: 0: numbered on arrival\n " \
    "   body: pin, release, pose, swap; a drag names its body by its anchor; a body, or its name\n    node: pin, release: " \
    "node in user numbering; removal of an element: the element\n    axes: words: \"x\", \"y\", \"z\"\n    slot: drag, drop: " \
    "number of the drag within the source\n    anchor: drag, link; a material point: Body.anchor, or a dict of elem, at, " \
    "offset\n    target: drag [m]\n    stiffness: drag [N/m] > 0; link [N/m] >= 0\n    damping: drag, link [N s/m] >= 0\n    " \
    "pose: x y z, or x y z and a quaternion w x y z, or a dict of translate and quat\n    path: \"beam.young\", " \
    "\"gravity.y\", \"contact.friction\"; attach, detach, link: the name of a link; add: of a body\n    value: parameter; " \
    "link that is a weld: the distance [m] >= 0 of the two bodies that it may bridge, 0: auto\n    other: link: the point of " \
    "the second body; a material point: Body.anchor, or a dict of elem, at, offset\n    shape: add; no plane; one of " \
    "\"plane\", \"sphere\", \"box\", \"cylinder\", \"capsule\", \"torus\", \"ellipsoid\"\n    size: add: as in " \
    "sp_rigid_shape\n    kinematic: add: follows poses\n    free: add: moved by forces; neither: fixed\n    density: add: of " \
    "a free body [kg/m3] > 0, default 1000\n    velocity: add: of a free body [m/s]\n"
#define SP_KEYWORDS_sp_addition \
    "\n    node_count: >= 0; each new node is a node of a new element\n    rest: node_count x 3: positions in the rest shape " \
    "[m]; None: from `at`\n    position: node_count x 3 [m]; None: from `at`, else `rest`\n    velocity: node_count x 3 " \
    "[m/s]; None: from `at`, else 0\n    at: node_count: material points of the body, which move on as nodes; None: none\n   " \
    " element_count: >= 0\n    like: element_count: an element of the body, or one listed before. The new one has its type, " \
    "law, region and fibres, and its own numbers of a material where it has some; of a viscous one its history\n    nodes: " \
    "nodes of the new elements, one element after the other, in the order of their type\n    node_entries: numbers in " \
    "`nodes`\n    removed_count: >= 0\n    removed: removed_count: elements of the body that are removed, as " \
    "\"remove-element\" does\n"
#define SP_KEYWORDS_sp_param_spec \
    "\n    name: \"young\", \"solver.tolerance\"\n    unit: \"Pa\"; \"\" or \"1\": a pure number\n    label: short text for " \
    "a slider\n    meaning: short text for a manual\n    low: range of a definition\n    high: range of a definition\n    " \
    "ends: words; words: \"low-open\", \"high-open\", \"low-guard\", \"high-guard\", \"integer\"\n    edit_low: closed range " \
    "of an edit: `low` and `high`, or slightly inside if an end is open\n    edit_high: closed range of an edit: `low` and " \
    "`high`, or slightly inside if an end is open\n    initial: default of the definition; NaN: none, the value is " \
    "required\n    price: of a change; one of \"nothing\", \"values\", \"mass\", \"new-body\"\n"
#define SP_KEYWORDS_sp_param_info \
    "\n    path: \"beam.young\", \"beam.region[0].young\", \"gravity.y\"; valid until the next call on this world\n    " \
    "value: current value\n    spec: its entry in the list of parameters; a dict of name, unit, label, meaning, low, high, " \
    "ends, edit_low, edit_high, initial, price\n"
#define SP_KEYWORDS_sp_step_info \
    "\n    status: worst reservation\n    reservations: all reservations: bit s stands for status s\n    step: number of " \
    "steps\n    time: [s]\n    hash: of the state tier, in user numbering\n    stage_ms: wall time of each stage\n    " \
    "step_ms: \n    event_count: \n"
#define SP_KEYWORDS_sp_event \
    "\n    step: \n    time: \n    status: \n    text: \n"
#define SP_KEYWORDS_sp_work \
    "\n    loads: forces, tractions, pressure, torques, acceleration loads\n    pins: prescribed motion, and springs that " \
    "hold nodes\n    drags: drags and springs, including their damping\n    contact: friction, damping of contacts, moving " \
    "rigid bodies, links\n    edits: changes at a fixed state: parameters (also time-dependent ones), gravity, growth, " \
    "direct changes of state\n"
#define SP_KEYWORDS_sp_body_info \
    "\n    id: a body, or its name\n    name: \n    kind: \"solid\", \"rod\", \"rigid\"\n    nodes: in [0, 2^31); 0: the " \
    "body has none, and moves as a whole\n    elements: in [0, 2^31)\n    removed: elements that edits have removed, of " \
    "`elements`\n    appended: elements that Body.append has added, the last of `elements`\n    cells: of Body.elements: " \
    "those that divide the elements of a solid (docs/elements.md), else the elements\n    state: names of the fields that " \
    "Body.set_state takes as positions and velocities; None: no field\n    frozen: held at its last valid state, see one of " \
    "\"stop\", \"freeze\"\n    prescribed: moves by prescription only: forces and drags have no effect\n    kinematic: " \
    "prescribed, and \"pose\" moves it\n    solve: of the last step; a dict of solver, linear_iterations, linear_solves, " \
    "newton_iterations, substeps, residual, force_residual, critical_step, refreshes, failed_refreshes, factor_age, columns, " \
    "elements_refreshed, elements_waiting, factor_flops, shift, status\n    solver: with `auto` resolved; a dict of type, " \
    "tolerance, iterations, automatic, cg, pcg, cholesky, updated, or just its type\n    solver_why: the reason of the " \
    "choice, a sentence; empty: no choice\n    material_note: of a network of springs: the elastic material that it " \
    "replaces; empty: nothing to tell\n    compliance_why: what `auto` is for its contacts by constraints, and why; empty: " \
    "no choice\n"
#define SP_KEYWORDS_sp_body_measures \
    "\n    mass: [kg], with point masses\n    rest_volume: [m3]\n    volume: current [m3], signed sum over the elements\n    " \
    "kinetic: [J]\n    elastic: [J]; NaN: the material has no energy\n    potential: of gravity [J], relative to the first " \
    "step\n    contact: stored in penalty contacts [J]\n    work: since the first step; a dict of loads, pins, drags, " \
    "contact, edits\n    energy_max: largest sum of kinetic, elastic, contact energy and range of the potential so far [J]\n " \
    "   appeared: spurious energy: largest rise of energy minus work above its previous minimum [J]; NaN: no energy\n    " \
    "inverted: elements with det F <= 0\n    volume_lost: 1 - volume / rest_volume\n    penetration: deepest collision point " \
    "below a rigid surface [m]\n    element_size: edge of a regular tetrahedron of the mean rest volume; rod: cube root of " \
    "that volume; free rigid body: root of the trace of the inertia over the mass, 0.7 edges of a cube [m]\n    momentum: " \
    "[kg m/s]\n    angular: [kg m2/s] about the origin of the world\n    displacement_max: [m] from the rest shape\n    " \
    "bytes: memory of topology, parameters, state and cache\n"
#define SP_KEYWORDS_sp_field_info \
    "\n    name: \"von-mises\"\n    label: display name: \"von Mises stress\"\n    unit: of the numbers: \"Pa\"; \"1\": " \
    "dimensionless\n    meaning: a sentence without its full stop\n    axes: names of the components, separated by spaces: " \
    "\"x y z\"; empty: a scalar\n    shown_unit: on legends: \"deg\"; empty: dimensionless\n    shown_scale: number on the " \
    "legend = shown_scale x number\n    low: range of the numbers, inclusive; may be infinite\n    high: range of the " \
    "numbers, inclusive; may be infinite\n    values: whether the numbers may be averaged; one of \"continuous\", \"whole\", " \
    "\"label\"\n    on: what the items are; one of \"nodes\", \"elements\", \"body\"\n    color: number among the fields " \
    "that can colour surfaces, from 1; 0: not one of them\n    components: numbers per item\n    count: items of this body; " \
    "0 in the list of all fields\n"
#define SP_KEYWORDS_sp_mass_info \
    "\n    name: valid as long as the body exists\n    value: [kg], total\n    inertia: [kg m2], total\n    radius: of a " \
    "steel ball (7850 kg/m3) with the mass of one point [m]: pictures and the page draw it\n    count: number of points\n    " \
    "at: the points; valid as long as the body exists\n"
#define SP_KEYWORDS_sp_element_view \
    "\n    type: one of \"tet4\", \"line2\", \"tet10\", \"hex8\", \"tri3\"\n    nodes_per_element: \n    nodes: count x " \
    "nodes_per_element; None if the caller gave no array for them\n"
#define SP_KEYWORDS_sp_snapshot_link \
    "\n    link: several points may belong to one link\n    bodies: of `a` and `b`; a body, or its name\n    a: its " \
    "positions on both sides [m]\n    b: its positions on both sides [m]\n    force: on `a` in the last step [N]\n"
#define SP_KEYWORDS_sp_batch_memory \
    "\n    bytes: of all worlds together\n    constant: of `bytes`: constant arrays, of which equal ones are stored once\n   " \
    " lent: of `bytes`: scratch that several worlds use one after the other\n"
#define SP_KEYWORDS_sp_scene_options \
    "\n    allow_count: \n    memory_limit: bytes that meshes and instances may need, checked before allocation; 0: 8 GiB\n"
#define SP_KEYWORDS_sp_scene_message \
    "\n    severity: one of \"warning\", \"error\"\n    file: \n    line: 0: not from a file (--set)\n    text: without file " \
    "and line\n"
#define SP_KEYWORDS_sp_scene_info \
    "\n    file: as the caller named it\n    text: content, `size` bytes followed by a zero byte\n    size: \n    set_count: " \
    "for Scene.sets\n    seed: of all random numbers of the scene\n"
#define SP_KEYWORDS_sp_scene_output \
    "\n    element: the element that writes it: \"record\" or \"inverse\"\n    file: as in the scene\n"
#define SP_KEYWORDS_sp_scene_choice \
    "\n    name: as a scene writes it\n    built: false: part of the language, but not in this build\n"
#define SP_KEYWORDS_sp_import_options \
    "\n    out: path of the scene to write; its folder is that of the files beside it. Optional: \"scene.xml\"\n    time: at " \
    "which the new scene stops, > 0, default 1 [s]; SOFA's scenes have no end\n"
#define SP_KEYWORDS_sp_import_note \
    "\n    fate: one of \"became\", \"not-needed\", \"changed\", \"left-out\"\n    file: \n    line: \n    component: its " \
    "type, as in the scene of SOFA\n    text: \n"
#define SP_KEYWORDS_sp_run_options \
    "\n    backend: overrides that of the scene; optional\n    time: stop time instead of the stop condition of the scene " \
    "[s]; <= 0: not set\n    steps: number of steps instead of the stop condition of the scene; <= 0: not set\n    out: " \
    "folder for records; optional: none are written\n    endless: no stop condition is required\n    resume: checkpoint file " \
    "of Run.save from which to continue; optional. Records in `out` are continued\n"
#define SP_KEYWORDS_sp_run_look \
    "\n    color: in [0, 1]; default 0.8 0.8 0.8\n    opacity: in [0, 1]; default 1\n    roughness: in [0, 1]; default 0.6\n " \
    "   metallic: in [0, 1]; default 0\n    edges: lines on the edges of faces; default false\n"
#define SP_KEYWORDS_sp_run_probe \
    "\n    name: \n    body: optional\n    quantity_count: \n    values: sample_count x sum of components\n    width: sum of " \
    "components\n"
#define SP_KEYWORDS_sp_run_column \
    "\n    name: \"position.x\"\n    unit: \"m\"; \"\" for none\n"
#define SP_KEYWORDS_sp_run_claim \
    "\n    probe: \n    component: \n    seen: \n    value: \n    tolerance: \n    relative: \n    held: \n    source: \n"
#define SP_KEYWORDS_sp_run_inverse \
    "\n    unknown: path of the computed quantity\n    residual: largest displacement of a node in the first step, relative " \
    "to the length of the rod\n"
#define SP_KEYWORDS_sp_mesh_write_options \
    "\n    format: \"msh\", \"msh2\", \"vtk\", \"vtu\", \"tetgen\", \"obj\", \"stl\", \"ply\"; optional: by the suffix\n    " \
    "encoding: default auto; an error if the format does not support it; one of \"auto\", \"ascii\", \"binary\", \"base64\", " \
    "\"appended\"\n    compress: vtu: zlib. Default false\n"
#define SP_KEYWORDS_sp_mesh_file_content \
    "\n    format: \"Gmsh 4.1\"\n    tetrahedra: true: `mesh` has the volume cells and every node of the file; false: " \
    "`surface` has triangles\n"
#define SP_KEYWORDS_sp_recording_info \
    "\n    frame_count: \n    body_count: \n    scene: text of the scene\n    scene_size: \n    scene_path: file name of the " \
    "scene as given by the caller: `name` of Scene.parse\n    set_count: \n    version: of the library that wrote it\n    " \
    "backend: \n    dt: [s]\n    seed: \n    in_double: numbers are stored as double; otherwise as float\n    visual: " \
    "contains visual surfaces instead of mechanical meshes: Recording.show cannot use it\n    complete: the run closed it\n  " \
    "  edits: log of the edits up to the last frame, in the format of EditLog; empty: none\n"
#define SP_KEYWORDS_sp_recording_frame \
    "\n    time: [s]\n    step: \n    hash: of the state; 0 if interpolated\n    interpolated: its time is between two " \
    "steps\n"
#define SP_KEYWORDS_sp_recording_body \
    "\n    name: \n    kind: \"solid\", \"rod\", \"rigid\"\n"
#define SP_KEYWORDS_sp_recording_topology \
    "\n    revision: from 0; another one: the cells may differ\n    node_count: \n    corners: 4, 2 or 3\n    cells: " \
    "cell_count x corners\n"
#define SP_KEYWORDS_sp_recording_contact \
    "\n    bodies: indices of bodies of the recording; -1: a body that is not recorded\n    point: [m]\n    normal: unit, " \
    "from the second to the first body\n    force: on the first body [N]\n    gap: [m]\n    pressure: [Pa]\n"
#define SP_KEYWORDS_sp_run_record \
    "\n    file: as in the scene\n    path: path of the file; None: nothing is written\n    kind: \"xdmf\", \"vtu\", " \
    "\"obj\", \"ply\", \"png\", \"csv\"\n    frames: frames written\n    dropped: frames omitted because the disk is slow, " \
    "with on-slow=\"drop\"\n    bytes: written so far\n"
#define SP_KEYWORDS_sp_run_recorder_def \
    "\n    path: ends in .xdmf; the .h5 file is written next to it\n    period: shortest simulated time between two frames " \
    "[s], >= 0; default 0: every step\n    quantity_count: \n    edits: lines of an edit log of the steps before, without " \
    "its first line; optional\n    in_double: default false: float\n    compress: default false\n    wait: slow disk: wait " \
    "for it; default false: frames are dropped and counted\n"
#define SP_KEYWORDS_sp_picture_extent \
    "\n    low: [m]\n    high: [m]\n    least: in the unit of the field\n    greatest: in the unit of the field\n    force: " \
    "largest force of one contact [N]\n"
#define SP_KEYWORDS_sp_picture_opacity \
    "\n    body: by name; None: every body\n    opacity: in [0, 1]; 0: not drawn\n"
#define SP_KEYWORDS_sp_picture_def \
    "\n    width: pixels, 16..16384, default 1280 x 720\n    height: pixels, 16..16384, default 1280 x 720\n    at: \n    " \
    "to: \n    up: \n    fitted: camera from the bounds of all bodies (default); otherwise at, to, up\n    fov: vertical " \
    "[deg], default 40\n    azimuth: fitted: angle of the camera about `up`, 0 in front [deg]; NaN (default): the broad " \
    "side\n    elevation: fitted: angle above the horizon, in [-90, 90] [deg]; NaN (default): slightly from above\n    " \
    "orbit: rotates the camera about `up` around its target [deg], default 0\n    background: default 1 1 1\n    color_by: " \
    "optional: looks; or \"displacement\", \"velocity\", \"von-mises\", \"rotation\", \"refresh\", \"region\", " \
    "\"contact-pressure\"\n    range: of the colours; NaN (default): that of the scene, or of the visible values\n    title: " \
    "optional\n    note: a line below the title; optional: time and step\n    clip: a clipping plane: what clip_normal " \
    "points to is not drawn, caps close the cut. Default false\n    clip_point: a point of the plane [m]; NaN (default): the " \
    "centre of the bodies\n    clip_normal: any length but 0, default 0 0 1\n    interfaces: draw the faces between regions " \
    "of solids, whose surfaces are then transparent. Default false\n    contacts: draw contacts by constraints: points, and " \
    "arrows for their forces. Default false\n    links: draw links: points, and lines between their two sides. Default " \
    "false\n    plain: without title, note and colour bar; default false\n    extent: of a series; optional: of this picture " \
    "alone; a dict of low, high, least, greatest, force\n    opacities: a dict of body, opacity\n    opacity_count: \n"
#define SP_KEYWORDS_sp_gltf_options \
    "\n    normals: those of smooth surfaces; without, viewers draw facets and the file is half as large. Default true\n"
#define SP_KEYWORDS_sp_section_faces \
    "\n    positions: vertex_count x 3 [m]\n    faces: face_count x 3, counter-clockwise seen from where the normal points\n"
#define SP_KEYWORDS_sp_plot_series \
    "\n    name: in the legend\n    x: values that are not finite, or not positive on a log axis, are skipped\n    y: values " \
    "that are not finite, or not positive on a log axis, are skipped\n    marks: a dot at every point; default false\n    " \
    "dashed: default false\n"
#define SP_KEYWORDS_sp_plot \
    "\n    title: optional: none\n    x_label: optional: none\n    y_label: optional: none\n    log_x: log10 axes; default " \
    "false\n    log_y: log10 axes; default false\n    series: borrowed for the call; a dict of name, x, y, marks, dashed; or " \
    "a list of them\n    kind: default lines; one of \"lines\", \"stacked\", \"bars\"\n    free_y: lines: the y axis may " \
    "exclude zero; default false\n"
#define SP_KEYWORDS_sp_fclib_matrix \
    "\n    rows: \n    columns: \n"
#define SP_KEYWORDS_sp_fclib_problem \
    "\n    global_: else local\n    dimension: 2 or 3 rows per contact\n    contacts: number of contacts\n    equalities: " \
    "number of equality constraints; 0: no V, R, s, G and b\n    W: local; a dict of rows, columns\n    V: local; a dict of " \
    "rows, columns\n    R: local; a dict of rows, columns\n    M: global; a dict of rows, columns\n    H: global; a dict of " \
    "rows, columns\n    G: global; a dict of rows, columns\n"
#define SP_KEYWORDS_sp_fclib_solution \
    "\n\n"

#endif
