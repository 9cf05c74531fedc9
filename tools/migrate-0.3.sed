# Converts callers of souple 0.2 to 0.3:  sed -i -f tools/migrate-0.3.sed FILES
# sed does not know types: a rule for a field applies where the name before it says what it is (def.tets, mesh_def->tets).

# meshes have elements of several types: element_types NULL means linear tetrahedra. These need a hand:
#   sp_mesh_tets(mesh) is NULL unless all elements are linear tetrahedra; sp_mesh_element gives the nodes of any
#   sp_mesh_read keeps hexahedra and quadratic tetrahedra; sp_mesh_read_tets cuts them as sp_mesh_read did
s/\bsp_mesh_tet_count\b/sp_mesh_element_count/g
s/\bsp_mesh_tet_ids\b/sp_mesh_element_ids/g
s/\b\([A-Za-z_]*\(def\|mesh\)\(\.\|->\)\)tet_count\b/\1element_count/g
s/\b\([A-Za-z_]*\(def\|mesh\)\(\.\|->\)\)tets\b/\1element_nodes/g
s/\b\([A-Za-z_]*\(def\|mesh\)\(\.\|->\)\)tet_ids\b/\1element_ids/g
