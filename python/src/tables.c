// Written by tools/python_api.py from include/souple/*.h: change those and run it again. clang-format does not apply.
// clang-format off
#include "tables.h"

#include <souple/io.h>

#include "sizes.h"

static const sp_py_word words_sp_compliance_type[] = {
    {"auto", SP_COMPLIANCE_AUTO},
    {"diagonal", SP_COMPLIANCE_DIAGONAL},
    {"warped", SP_COMPLIANCE_WARPED},
    {"factor", SP_COMPLIANCE_FACTOR},
    {"exact", SP_COMPLIANCE_EXACT},
    {"block-tridiagonal", SP_COMPLIANCE_BLOCK_TRIDIAGONAL},
};
const sp_py_words sp_py_words_sp_compliance_type = {"sp_compliance_type", words_sp_compliance_type, 6, false};

static const sp_py_word words_sp_contact_broad[] = {
    {"auto", SP_CONTACT_BROAD_AUTO},
    {"bvh", SP_CONTACT_BVH},
    {"hash", SP_CONTACT_HASH},
    {"brute", SP_CONTACT_BRUTE},
};
const sp_py_words sp_py_words_sp_contact_broad = {"sp_contact_broad", words_sp_contact_broad, 4, false};

static const sp_py_word words_sp_contact_cone[] = {
    {"exact", SP_CONTACT_EXACT},
    {"facets", SP_CONTACT_FACETS},
};
const sp_py_words sp_py_words_sp_contact_cone = {"sp_contact_cone", words_sp_contact_cone, 2, false};

static const sp_py_word words_sp_contact_feature[] = {
    {"shape", SP_CONTACT_SHAPE},
    {"vertex", SP_CONTACT_VERTEX},
    {"edge", SP_CONTACT_EDGE},
    {"face", SP_CONTACT_FACE},
    {"patch", SP_CONTACT_PATCH},
};
const sp_py_words sp_py_words_sp_contact_feature = {"sp_contact_feature", words_sp_contact_feature, 5, false};

static const sp_py_word words_sp_contact_formulation[] = {
    {"penalty", SP_CONTACT_PENALTY},
    {"proximity", SP_CONTACT_PROXIMITY},
    {"volume", SP_CONTACT_VOLUME},
    {"volume-penalty", SP_CONTACT_VOLUME_PENALTY},
};
const sp_py_words sp_py_words_sp_contact_formulation = {"sp_contact_formulation", words_sp_contact_formulation, 4, false};

static const sp_py_word words_sp_contact_law[] = {
    {"coulomb", SP_CONTACT_COULOMB},
    {"viscous", SP_CONTACT_VISCOUS},
};
const sp_py_words sp_py_words_sp_contact_law = {"sp_contact_law", words_sp_contact_law, 2, false};

static const sp_py_word words_sp_contact_local[] = {
    {"projection", SP_CONTACT_PROJECTION},
    {"newton", SP_CONTACT_NEWTON},
};
const sp_py_words sp_py_words_sp_contact_local = {"sp_contact_local", words_sp_contact_local, 2, false};

static const sp_py_word words_sp_contact_method[] = {
    {"auto", SP_CONTACT_METHOD_AUTO},
    {"gauss-seidel", SP_CONTACT_GAUSS_SEIDEL},
    {"interior-point", SP_CONTACT_INTERIOR_POINT},
    {"direct", SP_CONTACT_DIRECT},
};
const sp_py_words sp_py_words_sp_contact_method = {"sp_contact_method", words_sp_contact_method, 4, false};

static const sp_py_word words_sp_contact_strategy[] = {
    {"auto", SP_CONTACT_STRATEGY_AUTO},
    {"sequential", SP_CONTACT_SEQUENTIAL},
    {"block", SP_CONTACT_BLOCK},
    {"graph", SP_CONTACT_GRAPH},
    {"row", SP_CONTACT_ROW},
    {"col", SP_CONTACT_COL},
};
const sp_py_words sp_py_words_sp_contact_strategy = {"sp_contact_strategy", words_sp_contact_strategy, 6, false};

static const sp_py_word words_sp_edit_type[] = {
    {"pin", SP_EDIT_PIN},
    {"release", SP_EDIT_RELEASE},
    {"drag", SP_EDIT_DRAG},
    {"drop", SP_EDIT_DROP},
    {"pose", SP_EDIT_POSE},
    {"param", SP_EDIT_PARAM},
    {"swap-preconditioner", SP_EDIT_SWAP_PRECONDITIONER},
    {"swap-compliance", SP_EDIT_SWAP_COMPLIANCE},
    {"contact-budget", SP_EDIT_CONTACT_BUDGET},
    {"attach", SP_EDIT_ATTACH},
    {"detach", SP_EDIT_DETACH},
    {"add", SP_EDIT_ADD},
    {"remove", SP_EDIT_REMOVE},
    {"link", SP_EDIT_LINK},
    {"remove-element", SP_EDIT_REMOVE_ELEMENT},
};
const sp_py_words sp_py_words_sp_edit_type = {"sp_edit_type", words_sp_edit_type, 15, false};

static const sp_py_word words_sp_element_type[] = {
    {"tet4", SP_ELEMENT_TET4},
    {"line2", SP_ELEMENT_LINE2},
    {"tet10", SP_ELEMENT_TET10},
    {"hex8", SP_ELEMENT_HEX8},
    {"tri3", SP_ELEMENT_TRI3},
};
const sp_py_words sp_py_words_sp_element_type = {"sp_element_type", words_sp_element_type, 5, false};

static const sp_py_word words_sp_encoding[] = {
    {"auto", SP_ENCODING_AUTO},
    {"ascii", SP_ENCODING_ASCII},
    {"binary", SP_ENCODING_BINARY},
    {"base64", SP_ENCODING_BASE64},
    {"appended", SP_ENCODING_APPENDED},
};
const sp_py_words sp_py_words_sp_encoding = {"sp_encoding", words_sp_encoding, 5, false};

static const sp_py_word words_sp_factor_kind[] = {
    {"llt", SP_LLT},
    {"ldlt", SP_LDLT},
};
const sp_py_words sp_py_words_sp_factor_kind = {"sp_factor_kind", words_sp_factor_kind, 2, false};

static const sp_py_word words_sp_factor_precision[] = {
    {"auto", SP_FACTOR_AUTO},
    {"double", SP_FACTOR_DOUBLE},
    {"float", SP_FACTOR_FLOAT},
};
const sp_py_words sp_py_words_sp_factor_precision = {"sp_factor_precision", words_sp_factor_precision, 3, false};

static const sp_py_word words_sp_field_on[] = {
    {"nodes", SP_ON_NODES},
    {"elements", SP_ON_ELEMENTS},
    {"body", SP_ON_BODY},
};
const sp_py_words sp_py_words_sp_field_on = {"sp_field_on", words_sp_field_on, 3, false};

static const sp_py_word words_sp_field_values[] = {
    {"continuous", SP_VALUES_CONTINUOUS},
    {"whole", SP_VALUES_WHOLE},
    {"label", SP_VALUES_LABEL},
};
const sp_py_words sp_py_words_sp_field_values = {"sp_field_values", words_sp_field_values, 3, false};

static const sp_py_word words_sp_grow_mode[] = {
    {"tip", SP_GROW_TIP},
    {"scale", SP_GROW_SCALE},
};
const sp_py_words sp_py_words_sp_grow_mode = {"sp_grow_mode", words_sp_grow_mode, 2, false};

static const sp_py_word words_sp_import_fate[] = {
    {"became", SP_IMPORT_BECAME},
    {"not-needed", SP_IMPORT_NOT_NEEDED},
    {"changed", SP_IMPORT_CHANGED},
    {"left-out", SP_IMPORT_LEFT_OUT},
};
const sp_py_words sp_py_words_sp_import_fate = {"sp_import_fate", words_sp_import_fate, 4, false};

static const sp_py_word words_sp_integration[] = {
    {"auto", SP_INTEGRATION_AUTO},
    {"b-bar", SP_INTEGRATION_B_BAR},
    {"full", SP_INTEGRATION_FULL},
    {"vertices", SP_INTEGRATION_VERTICES},
};
const sp_py_words sp_py_words_sp_integration = {"sp_integration", words_sp_integration, 4, false};

static const sp_py_word words_sp_integrator_type[] = {
    {"implicit-euler", SP_IMPLICIT_EULER},
    {"newton", SP_NEWTON},
    {"explicit", SP_EXPLICIT},
    {"static", SP_STATIC},
};
const sp_py_words sp_py_words_sp_integrator_type = {"sp_integrator_type", words_sp_integrator_type, 4, false};

static const sp_py_word words_sp_link_guide[] = {
    {"line", SP_GUIDE_LINE},
    {"plane", SP_GUIDE_PLANE},
    {"centreline", SP_GUIDE_CENTRELINE},
};
const sp_py_words sp_py_words_sp_link_guide = {"sp_link_guide", words_sp_link_guide, 3, false};

static const sp_py_word words_sp_link_state[] = {
    {"attached", SP_LINK_ATTACHED},
    {"detached", SP_LINK_DETACHED},
    {"broken", SP_LINK_BROKEN},
};
const sp_py_words sp_py_words_sp_link_state = {"sp_link_state", words_sp_link_state, 3, false};

static const sp_py_word words_sp_link_type[] = {
    {"weld", SP_LINK_WELD},
    {"spring", SP_LINK_SPRING},
    {"slide", SP_LINK_SLIDE},
    {"hinge", SP_LINK_HINGE},
};
const sp_py_words sp_py_words_sp_link_type = {"sp_link_type", words_sp_link_type, 4, false};

static const sp_py_word words_sp_load_type[] = {
    {"force", SP_LOAD_FORCE},
    {"each", SP_LOAD_EACH},
    {"traction", SP_LOAD_TRACTION},
    {"pressure", SP_LOAD_PRESSURE},
    {"acceleration", SP_LOAD_ACCELERATION},
    {"torque", SP_LOAD_TORQUE},
};
const sp_py_words sp_py_words_sp_load_type = {"sp_load_type", words_sp_load_type, 6, false};

static const sp_py_word words_sp_log_level[] = {
    {"debug", SP_LOG_DEBUG},
    {"info", SP_LOG_INFO},
    {"warning", SP_LOG_WARNING},
    {"error", SP_LOG_ERROR},
};
const sp_py_words sp_py_words_sp_log_level = {"sp_log_level", words_sp_log_level, 4, false};

static const sp_py_word words_sp_mass_matrix[] = {
    {"lumped", SP_MASS_LUMPED},
    {"consistent", SP_MASS_CONSISTENT},
};
const sp_py_words sp_py_words_sp_mass_matrix = {"sp_mass_matrix", words_sp_mass_matrix, 2, false};

static const sp_py_word words_sp_material_model[] = {
    {"corotational", SP_COROTATIONAL},
    {"linear", SP_LINEAR},
    {"stvk", SP_STVK},
    {"neo-hookean", SP_NEO_HOOKEAN},
    {"mooney-rivlin", SP_MOONEY_RIVLIN},
    {"arruda-boyce", SP_ARRUDA_BOYCE},
    {"veronda-westmann", SP_VERONDA_WESTMANN},
    {"ogden", SP_OGDEN},
    {"holzapfel", SP_HOLZAPFEL},
    {"costa", SP_COSTA},
    {"mass-spring", SP_MASS_SPRING},
    {"tensor-mass", SP_TENSOR_MASS},
};
const sp_py_words sp_py_words_sp_material_model = {"sp_material_model", words_sp_material_model, 12, false};

static const sp_py_word words_sp_neo_hookean_form[] = {
    {"stable", SP_FORM_STABLE},
    {"log", SP_FORM_LOG},
    {"isochoric", SP_FORM_ISOCHORIC},
};
const sp_py_words sp_py_words_sp_neo_hookean_form = {"sp_neo_hookean_form", words_sp_neo_hookean_form, 3, false};

static const sp_py_word words_sp_on_failure[] = {
    {"stop", SP_FAILURE_STOP},
    {"freeze", SP_FAILURE_FREEZE},
};
const sp_py_words sp_py_words_sp_on_failure = {"sp_on_failure", words_sp_on_failure, 2, false};

static const sp_py_word words_sp_on_limit[] = {
    {"accept", SP_LIMIT_ACCEPT},
    {"fail", SP_LIMIT_FAIL},
};
const sp_py_words sp_py_words_sp_on_limit = {"sp_on_limit", words_sp_on_limit, 2, false};

static const sp_py_word words_sp_operator_type[] = {
    {"auto", SP_OPERATOR_AUTO},
    {"matrix-free", SP_OPERATOR_FREE},
    {"assembled", SP_OPERATOR_ASSEMBLED},
};
const sp_py_words sp_py_words_sp_operator_type = {"sp_operator_type", words_sp_operator_type, 3, false};

static const sp_py_word words_sp_ordering[] = {
    {"auto", SP_ORDER_AUTO},
    {"natural", SP_ORDER_NATURAL},
    {"amd", SP_ORDER_AMD},
    {"metis", SP_ORDER_METIS},
    {"geometric", SP_ORDER_GEOMETRIC},
};
const sp_py_words sp_py_words_sp_ordering = {"sp_ordering", words_sp_ordering, 5, false};

static const sp_py_word words_sp_param_price[] = {
    {"nothing", SP_PRICE_NOTHING},
    {"values", SP_PRICE_VALUES},
    {"mass", SP_PRICE_MASS},
    {"new-body", SP_PRICE_NEW_BODY},
};
const sp_py_words sp_py_words_sp_param_price = {"sp_param_price", words_sp_param_price, 4, false};

static const sp_py_word words_sp_plot_kind[] = {
    {"lines", SP_PLOT_LINES},
    {"stacked", SP_PLOT_STACKED},
    {"bars", SP_PLOT_BARS},
};
const sp_py_words sp_py_words_sp_plot_kind = {"sp_plot_kind", words_sp_plot_kind, 3, false};

static const sp_py_word words_sp_preconditioner[] = {
    {"block-jacobi", SP_BLOCK_JACOBI},
    {"jacobi", SP_JACOBI},
    {"ssor", SP_SSOR},
    {"ic", SP_IC},
    {"cholesky", SP_COMPLETE_CHOLESKY},
    {"inverse-factor", SP_INVERSE_FACTOR},
    {"multigrid", SP_MULTIGRID},
};
const sp_py_words sp_py_words_sp_preconditioner = {"sp_preconditioner", words_sp_preconditioner, 7, false};

static const sp_py_word words_sp_refresh_policy[] = {
    {"auto", SP_REFRESH_AUTO},
    {"async", SP_REFRESH_ASYNC},
    {"step", SP_REFRESH_STEP},
    {"never", SP_REFRESH_NEVER},
    {"every", SP_REFRESH_EVERY},
};
const sp_py_words sp_py_words_sp_refresh_policy = {"sp_refresh_policy", words_sp_refresh_policy, 5, false};

static const sp_py_word words_sp_rod_model[] = {
    {"clothoid", SP_ROD_CLOTHOID},
    {"helix", SP_ROD_HELIX},
    {"der", SP_ROD_DER},
    {"beam", SP_ROD_BEAM},
};
const sp_py_words sp_py_words_sp_rod_model = {"sp_rod_model", words_sp_rod_model, 4, false};

static const sp_py_word words_sp_rotation[] = {
    {"polar", SP_ROTATION_POLAR},
    {"qr", SP_ROTATION_QR},
    {"svd", SP_ROTATION_SVD},
};
const sp_py_words sp_py_words_sp_rotation = {"sp_rotation", words_sp_rotation, 3, false};

static const sp_py_word words_sp_select_kind[] = {
    {"nodes", SP_SELECT_NODES},
    {"elements", SP_SELECT_ELEMENTS},
    {"faces", SP_SELECT_FACES},
};
const sp_py_words sp_py_words_sp_select_kind = {"sp_select_kind", words_sp_select_kind, 3, false};

static const sp_py_word words_sp_severity[] = {
    {"warning", SP_SEVERITY_WARNING},
    {"error", SP_SEVERITY_ERROR},
};
const sp_py_words sp_py_words_sp_severity = {"sp_severity", words_sp_severity, 2, false};

static const sp_py_word words_sp_shape[] = {
    {"rest", SP_SHAPE_REST},
    {"deformed", SP_SHAPE_DEFORMED},
};
const sp_py_words sp_py_words_sp_shape = {"sp_shape", words_sp_shape, 2, false};

static const sp_py_word words_sp_shape_type[] = {
    {"plane", SP_PLANE},
    {"sphere", SP_SPHERE},
    {"box", SP_BOX},
    {"cylinder", SP_CYLINDER},
    {"capsule", SP_CAPSULE},
    {"torus", SP_TORUS},
    {"ellipsoid", SP_ELLIPSOID},
};
const sp_py_words sp_py_words_sp_shape_type = {"sp_shape_type", words_sp_shape_type, 7, false};

static const sp_py_word words_sp_solver_type[] = {
    {"auto", SP_SOLVER_AUTO},
    {"cg", SP_SOLVER_CG},
    {"pcg", SP_SOLVER_PCG},
    {"cholesky", SP_SOLVER_CHOLESKY},
    {"updated-cholesky", SP_SOLVER_UPDATED_CHOLESKY},
    {"dense", SP_SOLVER_DENSE},
    {"block-tridiagonal", SP_SOLVER_BLOCK_TRIDIAGONAL},
};
const sp_py_words sp_py_words_sp_solver_type = {"sp_solver_type", words_sp_solver_type, 7, false};

static const sp_py_word words_sp_stabilisation[] = {
    {"auto", SP_STABILISATION_AUTO},
    {"post", SP_STABILISATION_POST},
    {"velocity", SP_STABILISATION_VELOCITY},
    {"position", SP_STABILISATION_POSITION},
};
const sp_py_words sp_py_words_sp_stabilisation = {"sp_stabilisation", words_sp_stabilisation, 4, false};

static const sp_py_word words_sp_surface_side[] = {
    {"outside", SP_SURFACE_OUTSIDE},
    {"inside", SP_SURFACE_INSIDE},
    {"both", SP_SURFACE_BOTH},
};
const sp_py_words sp_py_words_sp_surface_side = {"sp_surface_side", words_sp_surface_side, 3, false};

static const sp_py_word words_sp_tangent[] = {
    {"frozen", SP_TANGENT_FROZEN},
    {"exact", SP_TANGENT_EXACT},
};
const sp_py_words sp_py_words_sp_tangent = {"sp_tangent", words_sp_tangent, 2, false};

static const sp_py_word words_sp_tensor_law[] = {
    {"stvk", SP_TENSOR_STVK},
    {"hooke", SP_TENSOR_HOOKE},
};
const sp_py_words sp_py_words_sp_tensor_law = {"sp_tensor_law", words_sp_tensor_law, 2, false};

static const sp_py_word words_sp_volumetric[] = {
    {"log", SP_VOLUMETRIC_LOG},
    {"quadratic", SP_VOLUMETRIC_QUADRATIC},
    {"mixed", SP_VOLUMETRIC_MIXED},
};
const sp_py_words sp_py_words_sp_volumetric = {"sp_volumetric", words_sp_volumetric, 3, false};

static const sp_py_word words_axes[] = {
    {"x", SP_AXIS_X},
    {"y", SP_AXIS_Y},
    {"z", SP_AXIS_Z},
};
const sp_py_words sp_py_words_axes = {"axes", words_axes, 3, true};

static const sp_py_word words_roles[] = {
    {"visual", SP_ROLE_VISUAL},
    {"collision", SP_ROLE_COLLISION},
    {"mechanical", SP_ROLE_MECHANICAL},
    {"interfaces", SP_ROLE_INTERFACES},
};
const sp_py_words sp_py_words_roles = {"roles", words_roles, 4, true};

static const sp_py_word words_ends[] = {
    {"low-open", SP_RANGE_LOW_OPEN},
    {"high-open", SP_RANGE_HIGH_OPEN},
    {"low-guard", SP_RANGE_LOW_GUARD},
    {"high-guard", SP_RANGE_HIGH_GUARD},
    {"integer", SP_RANGE_INTEGER},
};
const sp_py_words sp_py_words_ends = {"ends", words_ends, 5, true};

static const sp_py_field fields_sp_pose[] = {
    {.name = "translate", .kind = SP_PY_NUMBER, .at = offsetof(sp_pose, translate), .extent = sizeof ((sp_pose *)0)->translate / sizeof ((sp_pose *)0)->translate[0], .number = SP_PY_DOUBLE,
     .doc = "[m]"},
    {.name = "quat", .kind = SP_PY_NUMBER, .at = offsetof(sp_pose, quat), .extent = sizeof ((sp_pose *)0)->quat / sizeof ((sp_pose *)0)->quat[0], .number = SP_PY_DOUBLE,
     .doc = "w x y z, unit length"},
};
static void initial_sp_pose(void *out) {
    *(sp_pose *)out = sp_pose_identity();
}
const sp_py_struct sp_py_struct_sp_pose = {
    .name = "sp_pose", .title = "souple.Pose", .size = sizeof(sp_pose), .fields = fields_sp_pose, .count = 2,
    .initial = initial_sp_pose, .record = true,
    .doc = "A rigid transformation: x = translate + R(quat) X."};

static const sp_py_field fields_sp_selection[] = {
    {.name = "box", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, box), .extent = sizeof ((sp_selection *)0)->box / sizeof ((sp_selection *)0)->box[0], .given = 1 + (int)offsetof(sp_selection, has_box), .number = SP_PY_DOUBLE,
     .doc = "x0 y0 z0 x1 y1 z1, inclusive"},
    {.name = "sphere", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, sphere), .extent = sizeof ((sp_selection *)0)->sphere / sizeof ((sp_selection *)0)->sphere[0], .given = 1 + (int)offsetof(sp_selection, has_sphere), .number = SP_PY_DOUBLE,
     .doc = "x y z r, inclusive"},
    {.name = "plane", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, plane), .extent = sizeof ((sp_selection *)0)->plane / sizeof ((sp_selection *)0)->plane[0], .given = 1 + (int)offsetof(sp_selection, has_plane), .number = SP_PY_DOUBLE,
     .doc = "point, normal: the side the normal points to"},
    {.name = "within", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, within), .number = SP_PY_DOUBLE,
     .doc = "with plane, if > 0: the layer of that half thickness around it [m]"},
    {.name = "near", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, near), .extent = sizeof ((sp_selection *)0)->near / sizeof ((sp_selection *)0)->near[0], .given = 1 + (int)offsetof(sp_selection, has_near), .number = SP_PY_DOUBLE,
     .doc = "the nearest node; of equal distances the lower number"},
    {.name = "group", .kind = SP_PY_STRING, .at = offsetof(sp_selection, group),
     .doc = "name of a mesh group; optional"},
    {.name = "ids", .kind = SP_PY_ARRAY, .at = offsetof(sp_selection, ids), .width = 1, .count = (int)offsetof(sp_selection, id_count), .number = SP_PY_INT64,
     .doc = "user numbers; optional"},
    {.name = "on_surface", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, on_surface), .number = SP_PY_BOOL,
     .doc = "only nodes of the boundary, elements with a boundary face"},
    {.name = "invert", .kind = SP_PY_NUMBER, .at = offsetof(sp_selection, invert), .number = SP_PY_BOOL,
     .doc = "the complement"},
};
static void initial_sp_selection(void *out) {
    *(sp_selection *)out = sp_selection_default();
}
const sp_py_struct sp_py_struct_sp_selection = {
    .name = "sp_selection", .title = "souple.Selection", .size = sizeof(sp_selection), .fields = fields_sp_selection, .count = 9,
    .initial = initial_sp_selection,
    .doc = "A selection: the attributes that are set intersect. , which selects everything."};

static const sp_py_field fields_sp_mesh_stats[] = {
    {.name = "node_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, node_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "element_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, element_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "tetrahedra", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, tetrahedra), .number = SP_PY_BOOL,
     .doc = "a volume mesh, not a surface"},
    {.name = "type_counts", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, type_counts), .extent = sizeof ((sp_mesh_stats *)0)->type_counts / sizeof ((sp_mesh_stats *)0)->type_counts[0], .number = SP_PY_INT,
     .doc = "elements of each one of \"tet4\", \"line2\", \"tet10\", \"hex8\", \"tri3\", of volume meshes"},
    {.name = "low", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, low), .extent = sizeof ((sp_mesh_stats *)0)->low / sizeof ((sp_mesh_stats *)0)->low[0], .number = SP_PY_DOUBLE,
     .doc = "of the finite positions [m]"},
    {.name = "high", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, high), .extent = sizeof ((sp_mesh_stats *)0)->high / sizeof ((sp_mesh_stats *)0)->high[0], .number = SP_PY_DOUBLE,
     .doc = "of the finite positions [m]"},
    {.name = "volume", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, volume), .number = SP_PY_DOUBLE,
     .doc = "of elements, inverted ones counted positive; of closed surfaces the volume enclosed; open ones: NaN [m3]"},
    {.name = "area", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, area), .number = SP_PY_DOUBLE,
     .doc = "of the surface [m2]"},
    {.name = "tolerance", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, tolerance), .number = SP_PY_DOUBLE,
     .doc = "distance below which nodes coincide [m]"},
    {.name = "component_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, component_count), .number = SP_PY_INT,
     .doc = "parts that share no node"},
    {.name = "face_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, face_count), .number = SP_PY_INT,
     .doc = "of the surface"},
    {.name = "edge_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, edge_count), .number = SP_PY_INT,
     .doc = "of the surface"},
    {.name = "vertex_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, vertex_count), .number = SP_PY_INT,
     .doc = "of the surface"},
    {.name = "shell_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, shell_count), .number = SP_PY_INT,
     .doc = "parts of the surface that share no edge; closed ones among them"},
    {.name = "closed_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, closed_count), .number = SP_PY_INT,
     .doc = "parts of the surface that share no edge; closed ones among them"},
    {.name = "angle_min", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, angle_min), .number = SP_PY_DOUBLE,
     .doc = "dihedral angles of the corners of tetrahedra, angles of triangles [deg]"},
    {.name = "angle_max", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, angle_max), .number = SP_PY_DOUBLE,
     .doc = "dihedral angles of the corners of tetrahedra, angles of triangles [deg]"},
    {.name = "angles", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, angles), .extent = sizeof ((sp_mesh_stats *)0)->angles / sizeof ((sp_mesh_stats *)0)->angles[0], .number = SP_PY_INT64,
     .doc = "per 10 degrees"},
    {.name = "ratio_min", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, ratio_min), .number = SP_PY_DOUBLE,
     .doc = "inscribed to circumscribed radius, 1 for a regular element, 0 for a flat one"},
    {.name = "ratio_mean", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, ratio_mean), .number = SP_PY_DOUBLE,
     .doc = "inscribed to circumscribed radius, 1 for a regular element, 0 for a flat one"},
    {.name = "ratios", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, ratios), .extent = sizeof ((sp_mesh_stats *)0)->ratios / sizeof ((sp_mesh_stats *)0)->ratios[0], .number = SP_PY_INT64,
     .doc = "per 0.1"},
    {.name = "worst", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, worst), .number = SP_PY_INT64,
     .doc = "user number of the element with ratio_min, or -1"},
    {.name = "aspect_max", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, aspect_max), .number = SP_PY_DOUBLE,
     .doc = "longest edge to inscribed radius, 1 for a regular element"},
    {.name = "edge_min", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, edge_min), .number = SP_PY_DOUBLE,
     .doc = "over the edges of all elements, straight from corner to corner [m]"},
    {.name = "edge_mean", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, edge_mean), .number = SP_PY_DOUBLE,
     .doc = "over the edges of all elements, straight from corner to corner [m]"},
    {.name = "edge_max", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, edge_max), .number = SP_PY_DOUBLE,
     .doc = "over the edges of all elements, straight from corner to corner [m]"},
    {.name = "jacobian_min", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, jacobian_min), .number = SP_PY_DOUBLE,
     .doc = "smallest to largest Jacobian determinant at corners and integration points of"},
    {.name = "jacobian_mean", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, jacobian_mean), .number = SP_PY_DOUBLE,
     .doc = "smallest to largest Jacobian determinant at corners and integration points of hexahedra and quadratic tetrahedra: 1 for "
    "undistorted ones; NaN: none"},
    {.name = "jacobian_worst", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_stats, jacobian_worst), .number = SP_PY_INT64,
     .doc = "user number of the element with jacobian_min, or -1"},
};
const sp_py_struct sp_py_struct_sp_mesh_stats = {
    .name = "sp_mesh_stats", .title = "souple.MeshStats", .size = sizeof(sp_mesh_stats), .fields = fields_sp_mesh_stats, .count = 29,
    .initial = NULL, .record = true,
    .doc = "Statistics of a mesh or surface. Elements with missing nodes are not counted."};

static const sp_py_field fields_sp_examine_options[] = {
    {.name = "tolerance", .kind = SP_PY_NUMBER, .at = offsetof(sp_examine_options, tolerance), .number = SP_PY_DOUBLE,
     .doc = "distance below which nodes coincide [m]; default -1: 1e-9 of the bounding box diagonal"},
    {.name = "limit", .kind = SP_PY_NUMBER, .at = offsetof(sp_examine_options, limit), .number = SP_PY_INT,
     .doc = "defects listed per kind, >= 0, default 20; counts are always complete"},
    {.name = "intersections", .kind = SP_PY_NUMBER, .at = offsetof(sp_examine_options, intersections), .number = SP_PY_BOOL,
     .doc = "search for self-intersections. Default true"},
};
static void initial_sp_examine_options(void *out) {
    *(sp_examine_options *)out = sp_examine_options_default();
}
const sp_py_struct sp_py_struct_sp_examine_options = {
    .name = "sp_examine_options", .title = "souple.ExamineOptions", .size = sizeof(sp_examine_options), .fields = fields_sp_examine_options, .count = 3,
    .initial = initial_sp_examine_options,
    .doc = "Options of an examination."};

static const sp_py_field fields_sp_mesh_repairs[] = {
    {.name = "welded", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, welded), .number = SP_PY_INT,
     .doc = "nodes merged with another one"},
    {.name = "dropped_nodes", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, dropped_nodes), .number = SP_PY_INT,
     .doc = "nodes without elements, including non-finite ones"},
    {.name = "dropped_broken", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, dropped_broken), .number = SP_PY_INT,
     .doc = "elements with a missing or non-finite node"},
    {.name = "dropped_flat", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, dropped_flat), .number = SP_PY_INT,
     .doc = "elements without volume or area"},
    {.name = "dropped_duplicates", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, dropped_duplicates), .number = SP_PY_INT,
     .doc = "duplicate elements"},
    {.name = "turned", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, turned), .number = SP_PY_INT,
     .doc = "tetrahedra with corrected orientation; triangles flipped to agree with their neighbours and to face outwards"},
    {.name = "unorientable", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_repairs, unorientable), .number = SP_PY_INT,
     .doc = "edges whose triangles cannot be oriented consistently (a Moebius strip has one)"},
};
const sp_py_struct sp_py_struct_sp_mesh_repairs = {
    .name = "sp_mesh_repairs", .title = "souple.MeshRepairs", .size = sizeof(sp_mesh_repairs), .fields = fields_sp_mesh_repairs, .count = 7,
    .initial = NULL, .record = true,
    .doc = "Report of a repair."};

static const sp_py_field fields_sp_fill_def[] = {
    {.name = "size", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_def, size), .number = SP_PY_DOUBLE,
     .doc = "edge of a lattice cell at the boundary [m]; edges of elements are about 0.4 to 1.3 of it. 0: by `elements`"},
    {.name = "elements", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_def, elements), .number = SP_PY_INT,
     .doc = "approximate number of tetrahedra instead of a size, 1..2^26: within 10 % for 500 or more"},
    {.name = "grade", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_def, grade), .number = SP_PY_DOUBLE,
     .doc = "largest ratio of cells inside to cells at the boundary: 1, 2, 4, ... 32. Default 1: equal"},
    {.name = "detail", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_def, detail), .number = SP_PY_DOUBLE,
     .doc = "smallest ratio of cells at thin or curved parts of the surface: 1, 1/2, 1/4, ... 1/32. Default 1: equal. Below 1 no "
    "angle is guaranteed; FillInfo has the angles reached"},
    {.name = "smooth", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_def, smooth), .number = SP_PY_DOUBLE,
     .doc = "label volumes: width of the smoothing [voxels], 0.5..4. Default 1"},
};
static void initial_sp_fill_def(void *out) {
    *(sp_fill_def *)out = sp_fill_def_default();
}
const sp_py_struct sp_py_struct_sp_fill_def = {
    .name = "sp_fill_def", .title = "souple.FillDef", .size = sizeof(sp_fill_def), .fields = fields_sp_fill_def, .count = 5,
    .initial = initial_sp_fill_def,
    .doc = "Mesh generation by isosurface stuffing (Labelle and Shewchuk 2007)."};

static const sp_py_field fields_sp_fill_info[] = {
    {.name = "size", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_info, size), .number = SP_PY_DOUBLE,
     .doc = "of the lattice [m]"},
    {.name = "runs", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_info, runs), .number = SP_PY_INT,
     .doc = "lattices tried until the number of elements was reached"},
    {.name = "dihedral", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_info, dihedral), .extent = sizeof ((sp_fill_info *)0)->dihedral / sizeof ((sp_fill_info *)0)->dihedral[0], .number = SP_PY_DOUBLE,
     .doc = "smallest and largest dihedral angle [deg]"},
    {.name = "guarantee", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_info, guarantee), .extent = sizeof ((sp_fill_info *)0)->guarantee / sizeof ((sp_fill_info *)0)->guarantee[0], .number = SP_PY_DOUBLE,
     .doc = "guaranteed bounds of these angles [deg]; 0 and 180: no guarantee"},
    {.name = "islands", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_info, islands), .number = SP_PY_INT,
     .doc = "parts connected by faces"},
    {.name = "winding", .kind = SP_PY_NUMBER, .at = offsetof(sp_fill_info, winding), .extent = sizeof ((sp_fill_info *)0)->winding / sizeof ((sp_fill_info *)0)->winding[0], .number = SP_PY_DOUBLE,
     .doc = "surfaces: fraction of samples whose winding number is not near an integer; largest |winding number|"},
};
const sp_py_struct sp_py_struct_sp_fill_info = {
    .name = "sp_fill_info", .title = "souple.FillInfo", .size = sizeof(sp_fill_info), .fields = fields_sp_fill_info, .count = 6,
    .initial = NULL, .record = true,
    .doc = "Report of a mesh generation."};

static const sp_py_field fields_sp_integrator_def[] = {
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_integrator_def, type), .words = &sp_py_words_sp_integrator_type,
     .doc = "default \"implicit-euler\""},
    {.name = "iterations", .kind = SP_PY_NUMBER, .at = offsetof(sp_integrator_def, iterations), .number = SP_PY_INT,
     .doc = "maximum Newton iterations, >= 1, default SP_ITERATIONS_AUTO; implicit-euler of rods: 1 for exactly one linearisation"},
    {.name = "tolerance", .kind = SP_PY_NUMBER, .at = offsetof(sp_integrator_def, tolerance), .number = SP_PY_DOUBLE,
     .doc = "of Newton, on the residual force relative to the first (static: to the force on fixed nodes, if larger), > 0, default "
    "1e-8"},
    {.name = "line_search", .kind = SP_PY_NUMBER, .at = offsetof(sp_integrator_def, line_search), .number = SP_PY_BOOL,
     .doc = "shorten Newton steps that do not lower the energy or the residual, default true"},
    {.name = "load_steps", .kind = SP_PY_NUMBER, .at = offsetof(sp_integrator_def, load_steps), .number = SP_PY_INT,
     .doc = "static: loads grow in this many stages, >= 1, default 1"},
    {.name = "substeps", .kind = SP_PY_NUMBER, .at = offsetof(sp_integrator_def, substeps), .number = SP_PY_INT,
     .doc = "equal parts of a step, >= 1; default 0: one; implicit-euler of rods then divides the step of each strand depending on "
    "its motion. Not for static"},
};
static void initial_sp_integrator_def(void *out) {
    *(sp_integrator_def *)out = sp_integrator_def_default();
}
const sp_py_struct sp_py_struct_sp_integrator_def = {
    .name = "sp_integrator_def", .title = "souple.IntegratorDef", .size = sizeof(sp_integrator_def), .fields = fields_sp_integrator_def, .count = 6,
    .initial = initial_sp_integrator_def, .bare = "type",
    .doc = "The time integrator of a body."};

static const sp_py_field fields_sp_automatic_options[] = {
    {.name = "step", .kind = SP_PY_NUMBER, .at = offsetof(sp_automatic_options, step), .number = SP_PY_DOUBLE,
     .doc = "expected length of steps [s], > 0, default 0.01"},
    {.name = "aim_ms", .kind = SP_PY_NUMBER, .at = offsetof(sp_automatic_options, aim_ms), .number = SP_PY_DOUBLE,
     .doc = "time that a step may take [ms], > 0; default nan (auto): the length of the step (real time)"},
};
const sp_py_struct sp_py_struct_sp_automatic_options = {
    .name = "sp_automatic_options", .title = "souple.AutomaticOptions", .size = sizeof(sp_automatic_options), .fields = fields_sp_automatic_options, .count = 2,
    .initial = NULL, .record = true,
    .doc = "Criteria of \"auto\"."};

static const sp_py_field fields_sp_cg_options[] = {
    {.name = "op", .kind = SP_PY_WORD, .at = offsetof(sp_cg_options, op), .words = &sp_py_words_sp_operator_type,
     .doc = "product with the matrix, default \"auto\". With \"matrix-free\", \"auto\" chooses cg"},
};
const sp_py_struct sp_py_struct_sp_cg_options = {
    .name = "sp_cg_options", .title = "souple.CgOptions", .size = sizeof(sp_cg_options), .fields = fields_sp_cg_options, .count = 1,
    .initial = NULL, .record = true, .bare = "op",
    .doc = "Options of \"cg\"."};

static const sp_py_field fields_sp_pcg_options[] = {
    {.name = "preconditioner", .kind = SP_PY_WORD, .at = offsetof(sp_pcg_options, preconditioner), .words = &sp_py_words_sp_preconditioner,
     .doc = "default \"block-jacobi\""},
    {.name = "refresh", .kind = SP_PY_WORD, .at = offsetof(sp_pcg_options, refresh), .words = &sp_py_words_sp_refresh_policy,
     .doc = "when it is rebuilt, default \"auto\""},
    {.name = "refresh_every", .kind = SP_PY_NUMBER, .at = offsetof(sp_pcg_options, refresh_every), .number = SP_PY_INT,
     .doc = "\"every\": steps, >= 1, default 1"},
    {.name = "warp", .kind = SP_PY_NUMBER, .at = offsetof(sp_pcg_options, warp), .number = SP_PY_BOOL,
     .doc = "rotate an old preconditioner with the nodes, default true"},
    {.name = "lag", .kind = SP_PY_NUMBER, .at = offsetof(sp_pcg_options, lag), .number = SP_PY_INT,
     .doc = "asynchronous refresh in a deterministic world: steps from the matrix to the use of its preconditioner, >= 0, default 2"},
    {.name = "drop", .kind = SP_PY_NUMBER, .at = offsetof(sp_pcg_options, drop), .number = SP_PY_DOUBLE,
     .doc = "\"ic\": relative size of dropped entries, >= 0, default 1e-3"},
    {.name = "omega", .kind = SP_PY_NUMBER, .at = offsetof(sp_pcg_options, omega), .number = SP_PY_DOUBLE,
     .doc = "\"ssor\": relaxation factor, in (0, 2), default 1"},
};
const sp_py_struct sp_py_struct_sp_pcg_options = {
    .name = "sp_pcg_options", .title = "souple.PcgOptions", .size = sizeof(sp_pcg_options), .fields = fields_sp_pcg_options, .count = 7,
    .initial = NULL, .record = true, .bare = "preconditioner",
    .doc = "Options of \"pcg\"."};

static const sp_py_field fields_sp_cholesky_options[] = {
    {.name = "ordering", .kind = SP_PY_WORD, .at = offsetof(sp_cholesky_options, ordering), .words = &sp_py_words_sp_ordering,
     .doc = "default \"auto\""},
    {.name = "factor", .kind = SP_PY_WORD, .at = offsetof(sp_cholesky_options, factor), .words = &sp_py_words_sp_factor_kind,
     .doc = "default \"llt\""},
    {.name = "precision", .kind = SP_PY_WORD, .at = offsetof(sp_cholesky_options, precision), .words = &sp_py_words_sp_factor_precision,
     .doc = "default \"auto\""},
};
const sp_py_struct sp_py_struct_sp_cholesky_options = {
    .name = "sp_cholesky_options", .title = "souple.CholeskyOptions", .size = sizeof(sp_cholesky_options), .fields = fields_sp_cholesky_options, .count = 3,
    .initial = NULL, .record = true,
    .doc = "Options of Cholesky factors: \"cholesky\", \"updated-cholesky\", \"dense\" and preconditioners with a factor."};

static const sp_py_field fields_sp_updated_options[] = {
    {.name = "threshold", .kind = SP_PY_NUMBER, .at = offsetof(sp_updated_options, threshold), .number = SP_PY_DOUBLE,
     .doc = "error of an element above which it is refreshed [N s], >= 0; 0: all, each step. Default nan (auto)"},
    {.name = "budget_ms", .kind = SP_PY_NUMBER, .at = offsetof(sp_updated_options, budget_ms), .number = SP_PY_DOUBLE,
     .doc = "not deterministic: time to spend on refreshing in a step [ms], > 0; default nan (auto)"},
    {.name = "budget_columns", .kind = SP_PY_NUMBER, .at = offsetof(sp_updated_options, budget_columns), .number = SP_PY_DOUBLE,
     .doc = "maximum fraction of the block columns factored again in a step, in (0, 1]; default nan (auto)"},
};
const sp_py_struct sp_py_struct_sp_updated_options = {
    .name = "sp_updated_options", .title = "souple.UpdatedOptions", .size = sizeof(sp_updated_options), .fields = fields_sp_updated_options, .count = 3,
    .initial = NULL, .record = true,
    .doc = "Options of \"updated-cholesky\" (incremental Cholesky)."};

static const sp_py_field fields_sp_solver_def[] = {
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_solver_def, type), .words = &sp_py_words_sp_solver_type,
     .doc = "default \"auto\""},
    {.name = "tolerance", .kind = SP_PY_NUMBER, .at = offsetof(sp_solver_def, tolerance), .number = SP_PY_DOUBLE,
     .doc = "|b - Ax| / |b|; 0: exactly `iterations`, for any residual. In [0, 1), default 1e-6"},
    {.name = "iterations", .kind = SP_PY_NUMBER, .at = offsetof(sp_solver_def, iterations), .number = SP_PY_INT,
     .doc = "maximum (or exact number), >= 1, default 1000"},
    {.name = "automatic", .kind = SP_PY_STRUCT, .at = offsetof(sp_solver_def, automatic), .of = &sp_py_struct_sp_automatic_options,
     .doc = "of \"auto\""},
    {.name = "cg", .kind = SP_PY_STRUCT, .at = offsetof(sp_solver_def, cg), .of = &sp_py_struct_sp_cg_options,
     .doc = ""},
    {.name = "pcg", .kind = SP_PY_STRUCT, .at = offsetof(sp_solver_def, pcg), .of = &sp_py_struct_sp_pcg_options,
     .doc = ""},
    {.name = "cholesky", .kind = SP_PY_STRUCT, .at = offsetof(sp_solver_def, cholesky), .of = &sp_py_struct_sp_cholesky_options,
     .doc = ""},
    {.name = "updated", .kind = SP_PY_STRUCT, .at = offsetof(sp_solver_def, updated), .of = &sp_py_struct_sp_updated_options,
     .doc = ""},
};
static void initial_sp_solver_def(void *out) {
    *(sp_solver_def *)out = sp_solver_def_default();
}
const sp_py_struct sp_py_struct_sp_solver_def = {
    .name = "sp_solver_def", .title = "souple.SolverDef", .size = sizeof(sp_solver_def), .fields = fields_sp_solver_def, .count = 8,
    .initial = initial_sp_solver_def, .record = true, .bare = "type",
    .doc = "The linear solver of a body: its type, its stopping criterion, and a group of options for each type. Groups of other "
    "types than the one in use are ignored."};

static const sp_py_field fields_sp_solve_info[] = {
    {.name = "solver", .kind = SP_PY_STRING, .at = offsetof(sp_solve_info, solver),
     .doc = "\"cg (assembled)\", \"pcg (cholesky, async)\", ..."},
    {.name = "linear_iterations", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, linear_iterations), .number = SP_PY_INT,
     .doc = "of all linear solves of the step"},
    {.name = "linear_solves", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, linear_solves), .number = SP_PY_INT,
     .doc = "of the step"},
    {.name = "newton_iterations", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, newton_iterations), .number = SP_PY_INT,
     .doc = "linearisations: 1 for implicit-euler, plus the maximum over the strands; 0 for explicit"},
    {.name = "substeps", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, substeps), .number = SP_PY_INT,
     .doc = "parts of the step, of equal or different length; rods: maximum over the strands"},
    {.name = "residual", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, residual), .number = SP_PY_DOUBLE,
     .doc = "largest |b - Ax|/|b| of the step: computed from x if tolerance > 0, otherwise by recurrence"},
    {.name = "force_residual", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, force_residual), .number = SP_PY_DOUBLE,
     .doc = "newton and static: |residual force| at the end relative to the first"},
    {.name = "critical_step", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, critical_step), .number = SP_PY_DOUBLE,
     .doc = "explicit: the longest stable step [s]; otherwise 0"},
    {.name = "refreshes", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, refreshes), .number = SP_PY_INT,
     .doc = "factors or preconditioners built or swapped in during the step"},
    {.name = "failed_refreshes", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, failed_refreshes), .number = SP_PY_INT,
     .doc = "refreshes that failed (matrix not positive definite): the previous one stays in use"},
    {.name = "factor_age", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, factor_age), .number = SP_PY_INT,
     .doc = "age in steps of the matrix from which the preconditioner in use was built; -1: none"},
    {.name = "columns", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, columns), .number = SP_PY_INT,
     .doc = "block columns factored in the step"},
    {.name = "elements_refreshed", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, elements_refreshed), .number = SP_PY_INT,
     .doc = "updated-cholesky: elements whose matrix was updated"},
    {.name = "elements_waiting", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, elements_waiting), .number = SP_PY_INT,
     .doc = "updated-cholesky: elements above the threshold that the budget defers to the next step"},
    {.name = "factor_flops", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, factor_flops), .number = SP_PY_DOUBLE,
     .doc = "floating point operations of factorisations in the step, without the background thread"},
    {.name = "shift", .kind = SP_PY_NUMBER, .at = offsetof(sp_solve_info, shift), .number = SP_PY_DOUBLE,
     .doc = "diagonal shift that was necessary for a factorisation; 0: none"},
    {.name = "status", .kind = SP_PY_STATUS, .at = offsetof(sp_solve_info, status),
     .doc = "worst of the solves: Status.OK, Status.NOT_CONVERGED, Status.NOT_SPD, NotFinite"},
};
const sp_py_struct sp_py_struct_sp_solve_info = {
    .name = "sp_solve_info", .title = "souple.SolveInfo", .size = sizeof(sp_solve_info), .fields = fields_sp_solve_info, .count = 17,
    .initial = NULL, .record = true,
    .doc = "Statistics of the solves of one body in its last step."};

static const sp_py_field fields_sp_material[] = {
    {.name = "density", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, density), .number = SP_PY_DOUBLE,
     .doc = "[kg/m3] > 0, default 1000"},
    {.name = "young", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, young), .number = SP_PY_DOUBLE,
     .doc = "[Pa] >= 0, default 1e6"},
    {.name = "poisson", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, poisson), .number = SP_PY_DOUBLE,
     .doc = "in (-1, 0.5), default 0.3"},
    {.name = "bulk", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, bulk), .number = SP_PY_DOUBLE,
     .doc = "of laws with isochoric invariants: bulk modulus [Pa]; 0: from Young's modulus and Poisson's ratio"},
    {.name = "coefficients", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, coefficients), .extent = sizeof ((sp_material *)0)->coefficients / sizeof ((sp_material *)0)->coefficients[0], .width = 1, .count = (int)offsetof(sp_material, coefficient_count), .number = SP_PY_DOUBLE,
     .doc = "in the order of docs/materials.md"},
    {.name = "relaxation", .kind = SP_PY_ARRAY, .at = offsetof(sp_material, relaxation), .extent = sizeof ((sp_material *)0)->relaxation / sizeof ((sp_material *)0)->relaxation[0], .width = 1, .count = (int)offsetof(sp_material, relaxation_count), .number = SP_PY_DOUBLE,
     .doc = "pairs: share g > 0 of the instantaneous stiffness, time [s] > 0"},
    {.name = "fibre_young", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, fibre_young), .number = SP_PY_DOUBLE,
     .doc = "[Pa] >= 0: modulus that fibres along `fibre` add to an isotropic law, in tension and compression"},
    {.name = "fibre", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, fibre), .extent = sizeof ((sp_material *)0)->fibre / sizeof ((sp_material *)0)->fibre[0], .width = -1, .number = SP_PY_DOUBLE,
     .doc = "rest direction of the fibres in the axes of the mesh, of any length; then that of a second family (of costa: the "
    "sheet), 0 0 0: none"},
    {.name = "incompressibility", .kind = SP_PY_NUMBER, .at = offsetof(sp_material, incompressibility), .number = SP_PY_DOUBLE,
     .doc = "modulus k [Pa] >= 0 of the penalty k/2 (J - 1)^2 on the change of volume, default 0; of linear and corotational k/2 (tr "
    "e)^2. Not of laws with isochoric invariants, which have `bulk`"},
};
static void initial_sp_material(void *out) {
    *(sp_material *)out = sp_solid_def_default().material;
}
const sp_py_struct sp_py_struct_sp_material = {
    .name = "sp_material", .title = "souple.Material", .size = sizeof(sp_material), .fields = fields_sp_material, .count = 9,
    .initial = initial_sp_material,
    .doc = "Material constants of a solid or of a region of it."};

static const sp_py_field fields_sp_solid_law[] = {
    {.name = "model", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, model), .words = &sp_py_words_sp_material_model,
     .doc = ""},
    {.name = "rotation", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, rotation), .words = &sp_py_words_sp_rotation,
     .doc = ""},
    {.name = "shape", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, shape), .words = &sp_py_words_sp_shape,
     .doc = ""},
    {.name = "tangent", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, tangent), .words = &sp_py_words_sp_tangent,
     .doc = ""},
    {.name = "form", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, form), .words = &sp_py_words_sp_neo_hookean_form,
     .doc = ""},
    {.name = "volumetric", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, volumetric), .words = &sp_py_words_sp_volumetric,
     .doc = ""},
    {.name = "integration", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, integration), .words = &sp_py_words_sp_integration,
     .doc = ""},
    {.name = "tensor_law", .kind = SP_PY_WORD, .at = offsetof(sp_solid_law, tensor_law), .words = &sp_py_words_sp_tensor_law,
     .doc = ""},
};
static void initial_sp_solid_law(void *out) {
    *(sp_solid_law *)out = (sp_solid_law){.rotation = SP_ROTATION_SVD, .volumetric = SP_VOLUMETRIC_LOG};
}
const sp_py_struct sp_py_struct_sp_solid_law = {
    .name = "sp_solid_law", .title = "souple.SolidLaw", .size = sizeof(sp_solid_law), .fields = fields_sp_solid_law, .count = 8,
    .initial = initial_sp_solid_law,
    .doc = "The law of a region. Options that a model does not have are ignored."};

static const sp_py_field fields_sp_moduli[] = {
    {.name = "shear", .kind = SP_PY_NUMBER, .at = offsetof(sp_moduli, shear), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "bulk", .kind = SP_PY_NUMBER, .at = offsetof(sp_moduli, bulk), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "young", .kind = SP_PY_NUMBER, .at = offsetof(sp_moduli, young), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "poisson", .kind = SP_PY_NUMBER, .at = offsetof(sp_moduli, poisson), .number = SP_PY_DOUBLE,
     .doc = ""},
};
const sp_py_struct sp_py_struct_sp_moduli = {
    .name = "sp_moduli", .title = "souple.Moduli", .size = sizeof(sp_moduli), .fields = fields_sp_moduli, .count = 4,
    .initial = NULL, .record = true,
    .doc = "Moduli at small strains: shear and bulk modulus, Young's modulus [Pa] and Poisson's ratio."};

static const sp_py_field fields_sp_fix[] = {
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_fix, nodes), .width = 1, .count = (int)offsetof(sp_fix, count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "axes", .kind = SP_PY_BITS, .at = offsetof(sp_fix, axes), .words = &sp_py_words_axes,
     .doc = "\"x\", \"y\", \"z\""},
    {.name = "stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_fix, stiffness), .number = SP_PY_DOUBLE,
     .doc = "[N/m] per node; 0: exactly"},
};
static void initial_sp_fix(void *out) {
    *(sp_fix *)out = (sp_fix){.axes = SP_AXES_ALL};
}
const sp_py_struct sp_py_struct_sp_fix = {
    .name = "sp_fix", .title = "souple.Fix", .size = sizeof(sp_fix), .fields = fields_sp_fix, .count = 3,
    .initial = initial_sp_fix, .bare = "nodes",
    .doc = "Boundary condition: nodes held at their initial position, exactly, or by springs if stiffness > 0."};

static const sp_py_field fields_sp_move[] = {
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_move, nodes), .width = 1, .count = (int)offsetof(sp_move, count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "axes", .kind = SP_PY_BITS, .at = offsetof(sp_move, axes), .words = &sp_py_words_axes,
     .doc = ""},
    {.name = "about", .kind = SP_PY_NUMBER, .at = offsetof(sp_move, about), .extent = sizeof ((sp_move *)0)->about / sizeof ((sp_move *)0)->about[0], .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "pose", .kind = SP_PY_POSE_SIGNAL, .at = offsetof(sp_move, pose),
     .doc = ""},
};
static void initial_sp_move(void *out) {
    *(sp_move *)out = (sp_move){.axes = SP_AXES_ALL, .pose = sp_pose_signal_constant(sp_pose_identity())};
}
const sp_py_struct sp_py_struct_sp_move = {
    .name = "sp_move", .title = "souple.Move", .size = sizeof(sp_move), .fields = fields_sp_move, .count = 4,
    .initial = initial_sp_move,
    .doc = "Prescribed displacement: nodes that follow a pose about a point, x(t) = about + translate(t) + R(t) (x_start - about)."};

static const sp_py_field fields_sp_anchor[] = {
    {.name = "body", .kind = SP_PY_BODY, .at = offsetof(sp_anchor, body),
     .doc = ""},
    {.name = "elem", .kind = SP_PY_NUMBER, .at = offsetof(sp_anchor, elem), .number = SP_PY_UINT,
     .doc = "number of the element; rod: numbered through all strands; rigid: 0"},
    {.name = "group", .kind = SP_PY_NUMBER, .at = offsetof(sp_anchor, group), .number = SP_PY_UINT,
     .doc = "group of elements of one type; 0: there is only one so far"},
    {.name = "at", .kind = SP_PY_NUMBER, .at = offsetof(sp_anchor, at), .extent = sizeof ((sp_anchor *)0)->at / sizeof ((sp_anchor *)0)->at[0], .number = SP_PY_DOUBLE,
     .doc = "natural coordinates. Tetrahedron: weights of nodes 1, 2, 3 (node 0: 1 - sum); triangle: of nodes 1, 2, and 0; rod: "
    "fraction of the element's length in [0, 1], 0, 0; rigid: 0"},
    {.name = "offset", .kind = SP_PY_NUMBER, .at = offsetof(sp_anchor, offset), .extent = sizeof ((sp_anchor *)0)->offset / sizeof ((sp_anchor *)0)->offset[0], .number = SP_PY_DOUBLE,
     .doc = "[m]. Rigid: the point in its own frame; rod: from the centreline in the frame there, x is 0"},
};
const sp_py_struct sp_py_struct_sp_anchor = {
    .name = "sp_anchor", .title = "souple.Anchor", .size = sizeof(sp_anchor), .fields = fields_sp_anchor, .count = 5,
    .initial = NULL,
    .doc = "A material point of a body: an element and natural coordinates in it. Make it with sp_world_anchor_*, or, for a "
    "definition, from the number of an element. An anchor on a removed body is detected."};

static const sp_py_field fields_sp_load[] = {
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_load, type), .words = &sp_py_words_sp_load_type,
     .doc = ""},
    {.name = "items", .kind = SP_PY_ARRAY, .at = offsetof(sp_load, items), .width = 1, .count = (int)offsetof(sp_load, count), .number = SP_PY_INT, .alias = "nodes faces",
     .doc = "nodes, or for traction and pressure indices into Mesh.faces; None: the material point `at`"},
    {.name = "at", .kind = SP_PY_ANCHOR, .at = offsetof(sp_load, at),
     .doc = "force, torque; its `body` is ignored: the point is on the body that is defined"},
    {.name = "value", .kind = SP_PY_SIGNAL, .at = offsetof(sp_load, value), .extent = sizeof ((sp_load *)0)->value / sizeof ((sp_load *)0)->value[0], .width = -1,
     .doc = "world axes"},
};
const sp_py_struct sp_py_struct_sp_load = {
    .name = "sp_load", .title = "souple.Load", .size = sizeof(sp_load), .fields = fields_sp_load, .count = 4,
    .initial = NULL,
    .doc = "A load on a body of any kind. Rods and free rigid bodies take forces and torques at a material point, and accelerations "
    "of everything."};

static const sp_py_field fields_sp_spring_def[] = {
    {.name = "at", .kind = SP_PY_ANCHOR, .at = offsetof(sp_spring_def, at),
     .doc = "its `body` is ignored: the point is on the body that is defined"},
    {.name = "to", .kind = SP_PY_SIGNAL, .at = offsetof(sp_spring_def, to), .extent = sizeof ((sp_spring_def *)0)->to / sizeof ((sp_spring_def *)0)->to[0],
     .doc = "[m]"},
    {.name = "stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_spring_def, stiffness), .number = SP_PY_DOUBLE,
     .doc = "[N/m] > 0"},
    {.name = "damping", .kind = SP_PY_NUMBER, .at = offsetof(sp_spring_def, damping), .number = SP_PY_DOUBLE,
     .doc = "[N s/m] >= 0"},
};
const sp_py_struct sp_py_struct_sp_spring_def = {
    .name = "sp_spring_def", .title = "souple.SpringDef", .size = sizeof(sp_spring_def), .fields = fields_sp_spring_def, .count = 4,
    .initial = NULL,
    .doc = "A spring from a material point to a position in space."};

static const sp_py_field fields_sp_mass_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_mass_def, name),
     .doc = "its parameter is \"<body>.<name>.value\"; optional: \"mass[<index>]\""},
    {.name = "at", .kind = SP_PY_ANCHORS, .at = offsetof(sp_mass_def, at), .width = 1, .count = (int)offsetof(sp_mass_def, count),
     .doc = "material points, inside their elements and with zero offset; their `body` is ignored"},
    {.name = "value", .kind = SP_PY_SIGNAL, .at = offsetof(sp_mass_def, value),
     .doc = "[kg], total, divided equally among the points; > 0, a function of time may also be 0"},
    {.name = "inertia", .kind = SP_PY_NUMBER, .at = offsetof(sp_mass_def, inertia), .number = SP_PY_DOUBLE,
     .doc = "moment of inertia about every axis [kg m2] >= 0, total. Rods only; of a discrete rod about the tangent of the edge, "
    "since its nodes do not rotate"},
};
const sp_py_struct sp_py_struct_sp_mass_def = {
    .name = "sp_mass_def", .title = "souple.MassDef", .size = sizeof(sp_mass_def), .fields = fields_sp_mass_def, .count = 4,
    .initial = NULL,
    .doc = "A point mass: a weight at material points of a solid or a rod. It adds to the mass matrix, so that gravity, "
    "acceleration loads and damping by mass act on it as on the mass of the body. It keeps that place in the material and "
    "has no volume: neither `drag` nor contacts see its size. A point inside an element is lumped to the nodes of the "
    "element by its natural coordinates, as the mass of solids, discrete rods and beams is; clothoids and helices take it "
    "where it is. If the value changes, mass with the velocity of the point is added or removed, and the change of energy "
    "counts as `edits` in Work. Default: zero."};

static const sp_py_field fields_sp_eigenstrain[] = {
    {.name = "swell", .kind = SP_PY_SIGNAL, .at = offsetof(sp_eigenstrain, swell),
     .doc = "linear strain in every direction, in [-0.9, 10]; default 0"},
    {.name = "active", .kind = SP_PY_SIGNAL, .at = offsetof(sp_eigenstrain, active),
     .doc = "contraction along the fibres at constant volume, in [0, 0.9]; default 0"},
};
const sp_py_struct sp_py_struct_sp_eigenstrain = {
    .name = "sp_eigenstrain", .title = "souple.Eigenstrain", .size = sizeof(sp_eigenstrain), .fields = fields_sp_eigenstrain, .count = 2,
    .initial = NULL,
    .doc = "A stress-free deformation Fa of the material (docs/swelling.md): the elastic part of a deformation F is F Fa^-1. A "
    "function of time that leaves its range keeps its last value."};

static const sp_py_field fields_sp_eigenstrains[] = {
    {.name = "body", .kind = SP_PY_STRUCT, .at = offsetof(sp_eigenstrains, body), .of = &sp_py_struct_sp_eigenstrain,
     .doc = "of the elements without a region"},
    {.name = "regions", .kind = SP_PY_STRUCTS, .at = offsetof(sp_eigenstrains, regions), .width = 1, .size = eigenstrain_regions, .initial = initial_eigenstrain, .of = &sp_py_struct_sp_eigenstrain, .alias = "region",
     .doc = "region_count, a constant NaN: that of the body; optional: likewise for all"},
    {.name = "element_swell", .kind = SP_PY_ARRAY, .at = offsetof(sp_eigenstrains, element_swell), .width = 1, .size = eigenstrain_elements, .number = SP_PY_DOUBLE,
     .doc = "per element, NaN: from the region; optional"},
    {.name = "element_active", .kind = SP_PY_ARRAY, .at = offsetof(sp_eigenstrains, element_active), .width = 1, .size = eigenstrain_elements, .number = SP_PY_DOUBLE,
     .doc = "likewise"},
};
const sp_py_struct sp_py_struct_sp_eigenstrains = {
    .name = "sp_eigenstrains", .title = "souple.Eigenstrains", .size = sizeof(sp_eigenstrains), .fields = fields_sp_eigenstrains, .count = 4,
    .initial = NULL,
    .doc = "The eigenstrains of a solid; default: none."};

static const sp_py_field fields_sp_solid_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_solid_def, name),
     .doc = "unique in the world; optional: \"solid<slot>\""},
    {.name = "mesh", .kind = SP_PY_MESH, .at = offsetof(sp_solid_def, mesh),
     .doc = "rest shape"},
    {.name = "thickness", .kind = SP_PY_NUMBER, .at = offsetof(sp_solid_def, thickness), .number = SP_PY_DOUBLE,
     .doc = "of a mesh of triangles, a membrane [m] > 0; 0, the default: a mesh of volume elements"},
    {.name = "initial", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, initial), .width = 3, .size = solid_nodes, .number = SP_PY_DOUBLE,
     .doc = "initial positions (nodes x 3); optional: the rest shape"},
    {.name = "initial_velocity", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, initial_velocity), .width = 3, .size = solid_nodes, .number = SP_PY_DOUBLE,
     .doc = "(nodes x 3); optional: at rest"},
    {.name = "model", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, model), .words = &sp_py_words_sp_material_model,
     .doc = "default corotational"},
    {.name = "rotation", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, rotation), .words = &sp_py_words_sp_rotation,
     .doc = "default svd, which restores inverted elements"},
    {.name = "shape", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, shape), .words = &sp_py_words_sp_shape,
     .doc = "default rest"},
    {.name = "tangent", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, tangent), .words = &sp_py_words_sp_tangent,
     .doc = "default frozen; exact of the corotational law needs polar or svd and shape rest"},
    {.name = "form", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, form), .words = &sp_py_words_sp_neo_hookean_form,
     .doc = "default stable"},
    {.name = "volumetric", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, volumetric), .words = &sp_py_words_sp_volumetric,
     .doc = "default log"},
    {.name = "integration", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, integration), .words = &sp_py_words_sp_integration,
     .doc = "default auto"},
    {.name = "tensor_law", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, tensor_law), .words = &sp_py_words_sp_tensor_law,
     .doc = "of \"tensor-mass\", default stvk"},
    {.name = "mass_matrix", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, mass_matrix), .words = &sp_py_words_sp_mass_matrix,
     .doc = "default lumped; consistent: not with explicit and not with solver updated-cholesky"},
    {.name = "material", .kind = SP_PY_STRUCT, .at = offsetof(sp_solid_def, material), .of = &sp_py_struct_sp_material,
     .doc = "of the elements without a region"},
    {.name = "regions", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, regions), .width = 1, .count = (int)offsetof(sp_solid_def, region_count), .initial = initial_region, .of = &sp_py_struct_sp_material, .alias = "region",
     .doc = "optional; a value that is NaN: from `material`"},
    {.name = "region_laws", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, region_laws), .width = 1, .count = (int)offsetof(sp_solid_def, region_count), .of = &sp_py_struct_sp_solid_law, .alias = "region_law",
     .doc = "region_count; optional: that of the body"},
    {.name = "element_region", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, element_region), .width = 1, .size = solid_elements, .number = SP_PY_INT,
     .doc = "per element: 0 `material`, k regions[k-1]; optional: all 0"},
    {.name = "element_density", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, element_density), .width = 1, .size = solid_elements, .number = SP_PY_DOUBLE,
     .doc = "per element, NaN: from the region; optional"},
    {.name = "element_young", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, element_young), .width = 1, .size = solid_elements, .number = SP_PY_DOUBLE,
     .doc = "likewise"},
    {.name = "element_poisson", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, element_poisson), .width = 1, .size = solid_elements, .number = SP_PY_DOUBLE,
     .doc = "likewise"},
    {.name = "element_fibre", .kind = SP_PY_ARRAY, .at = offsetof(sp_solid_def, element_fibre), .width = 6, .size = solid_elements, .number = SP_PY_DOUBLE,
     .doc = "per element 6 numbers as in sp_material, NaN: from the region, 0 0 0: none; optional"},
    {.name = "eigenstrains", .kind = SP_PY_STRUCT, .at = offsetof(sp_solid_def, eigenstrains), .of = &sp_py_struct_sp_eigenstrains,
     .doc = "swelling and contraction"},
    {.name = "young_of_time", .kind = SP_PY_SIGNAL, .at = offsetof(sp_solid_def, young_of_time),
     .doc = "if eval is set: `material.young` at each step"},
    {.name = "rayleigh_mass", .kind = SP_PY_NUMBER, .at = offsetof(sp_solid_def, rayleigh_mass), .number = SP_PY_DOUBLE,
     .doc = "[1/s] >= 0"},
    {.name = "rayleigh_stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_solid_def, rayleigh_stiffness), .number = SP_PY_DOUBLE,
     .doc = "[s] >= 0"},
    {.name = "drag", .kind = SP_PY_NUMBER, .at = offsetof(sp_solid_def, drag), .number = SP_PY_DOUBLE,
     .doc = "viscous damping by the surrounding medium [N s/m4] >= 0, per rest volume"},
    {.name = "fixes", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, fixes), .width = 1, .count = (int)offsetof(sp_solid_def, fix_count), .of = &sp_py_struct_sp_fix, .alias = "fix",
     .doc = ""},
    {.name = "moves", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, moves), .width = 1, .count = (int)offsetof(sp_solid_def, move_count), .of = &sp_py_struct_sp_move, .alias = "move",
     .doc = ""},
    {.name = "loads", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, loads), .width = 1, .count = (int)offsetof(sp_solid_def, load_count), .of = &sp_py_struct_sp_load, .alias = "load",
     .doc = ""},
    {.name = "springs", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, springs), .width = 1, .count = (int)offsetof(sp_solid_def, spring_count), .of = &sp_py_struct_sp_spring_def, .alias = "spring",
     .doc = ""},
    {.name = "masses", .kind = SP_PY_STRUCTS, .at = offsetof(sp_solid_def, masses), .width = 1, .count = (int)offsetof(sp_solid_def, mass_count), .of = &sp_py_struct_sp_mass_def, .alias = "mass",
     .doc = "point masses"},
    {.name = "integrator", .kind = SP_PY_STRUCT, .at = offsetof(sp_solid_def, integrator), .of = &sp_py_struct_sp_integrator_def,
     .doc = ""},
    {.name = "solver", .kind = SP_PY_STRUCT, .at = offsetof(sp_solid_def, solver), .of = &sp_py_struct_sp_solver_def,
     .doc = ""},
    {.name = "compliance", .kind = SP_PY_WORD, .at = offsetof(sp_solid_def, compliance), .words = &sp_py_words_sp_compliance_type,
     .doc = "of contact by constraints"},
};
static void initial_sp_solid_def(void *out) {
    *(sp_solid_def *)out = sp_solid_def_default();
}
const sp_py_struct sp_py_struct_sp_solid_def = {
    .name = "sp_solid_def", .title = "souple.SolidDef", .size = sizeof(sp_solid_def), .fields = fields_sp_solid_def, .count = 35,
    .initial = initial_sp_solid_def, .flat = "material",
    .doc = "A deformable solid. Everything is copied, except what signals point to."};

static const sp_py_field fields_sp_rigid_shape[] = {
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_rigid_shape, type), .words = &sp_py_words_sp_shape_type,
     .doc = ""},
    {.name = "size", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_shape, size), .extent = sizeof ((sp_rigid_shape *)0)->size / sizeof ((sp_rigid_shape *)0)->size[0], .width = -1, .number = SP_PY_DOUBLE,
     .doc = "plane: its normal (the half-space below is solid; through its origin); sphere: radius; box: edge lengths, a corner at "
    "the origin; cylinder: radius, length, from the origin along +z; capsule: radius, distance of the centres of its caps, "
    "the first one at the origin, the other along +z; torus: radii of ring and tube, about z; ellipsoid: semi-axes"},
    {.name = "pose", .kind = SP_PY_STRUCT, .at = offsetof(sp_rigid_shape, pose), .of = &sp_py_struct_sp_pose,
     .doc = ""},
};
static void initial_sp_rigid_shape(void *out) {
    *(sp_rigid_shape *)out = (sp_rigid_shape){.pose = sp_pose_identity()};
}
const sp_py_struct sp_py_struct_sp_rigid_shape = {
    .name = "sp_rigid_shape", .title = "souple.RigidShape", .size = sizeof(sp_rigid_shape), .fields = fields_sp_rigid_shape, .count = 3,
    .initial = initial_sp_rigid_shape,
    .doc = "A rigid shape, with the pose of its frame in the frame of the body."};

static const sp_py_field fields_sp_rigid_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_rigid_def, name),
     .doc = ""},
    {.name = "shapes", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rigid_def, shapes), .width = 1, .count = (int)offsetof(sp_rigid_def, shape_count), .of = &sp_py_struct_sp_rigid_shape, .alias = "shape",
     .doc = ""},
    {.name = "meshes", .kind = SP_PY_SURFACES, .at = offsetof(sp_rigid_def, meshes), .count = (int)offsetof(sp_rigid_def, mesh_count), .alias = "mesh",
     .doc = "triangle surfaces in the frame of the body; closed and outward if the body is free"},
    {.name = "kinematic", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, kinematic), .number = SP_PY_BOOL,
     .doc = "follows `pose`"},
    {.name = "free", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, free), .number = SP_PY_BOOL,
     .doc = "six degrees of freedom, moved by forces. Neither kinematic nor free: stays at pose(0)"},
    {.name = "pose", .kind = SP_PY_POSE_SIGNAL, .at = offsetof(sp_rigid_def, pose),
     .doc = "of its frame [m]; free: its value at time 0"},
    {.name = "mass", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, mass), .number = SP_PY_DOUBLE,
     .doc = "[kg] >= 0; 0: volume times density"},
    {.name = "density", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, density), .number = SP_PY_DOUBLE,
     .doc = "[kg/m3] > 0, default 1000"},
    {.name = "inertia", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, inertia), .extent = sizeof ((sp_rigid_def *)0)->inertia / sizeof ((sp_rigid_def *)0)->inertia[0], .number = SP_PY_DOUBLE,
     .doc = "xx yy zz xy yz zx about the centre of mass, in the axes of the frame [kg m2]; all 0: from the shapes, which share the "
    "mass in proportion to their volumes"},
    {.name = "velocity", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, velocity), .extent = sizeof ((sp_rigid_def *)0)->velocity / sizeof ((sp_rigid_def *)0)->velocity[0], .number = SP_PY_DOUBLE,
     .doc = "initial, of the centre of mass [m/s]"},
    {.name = "spin", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_def, spin), .extent = sizeof ((sp_rigid_def *)0)->spin / sizeof ((sp_rigid_def *)0)->spin[0], .number = SP_PY_DOUBLE,
     .doc = "initial angular velocity [rad/s]"},
    {.name = "loads", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rigid_def, loads), .width = 1, .count = (int)offsetof(sp_rigid_def, load_count), .of = &sp_py_struct_sp_load, .alias = "load",
     .doc = "forces and torques at a material point, accelerations"},
    {.name = "springs", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rigid_def, springs), .width = 1, .count = (int)offsetof(sp_rigid_def, spring_count), .of = &sp_py_struct_sp_spring_def, .alias = "spring",
     .doc = ""},
    {.name = "integrator", .kind = SP_PY_STRUCT, .at = offsetof(sp_rigid_def, integrator), .of = &sp_py_struct_sp_integrator_def,
     .doc = ""},
};
static void initial_sp_rigid_def(void *out) {
    *(sp_rigid_def *)out = sp_rigid_def_default();
}
const sp_py_struct sp_py_struct_sp_rigid_def = {
    .name = "sp_rigid_def", .title = "souple.RigidDef", .size = sizeof(sp_rigid_def), .fields = fields_sp_rigid_def, .count = 14,
    .initial = initial_sp_rigid_def,
    .doc = "A rigid body: fixed, with prescribed motion, or free. Everything is copied, except what signals point to. What is below "
    "`pose` is for free bodies; fixed and kinematic ones ignore mass, density and inertia and must not have the rest."};

static const sp_py_field fields_sp_rigid_mass[] = {
    {.name = "mass", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_mass, mass), .number = SP_PY_DOUBLE,
     .doc = "[kg]"},
    {.name = "volume", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_mass, volume), .number = SP_PY_DOUBLE,
     .doc = "[m3], sum over the shapes: where they overlap, it counts twice"},
    {.name = "centre", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_mass, centre), .extent = sizeof ((sp_rigid_mass *)0)->centre / sizeof ((sp_rigid_mass *)0)->centre[0], .number = SP_PY_DOUBLE,
     .doc = "of mass, in the frame of the body [m]"},
    {.name = "inertia", .kind = SP_PY_NUMBER, .at = offsetof(sp_rigid_mass, inertia), .extent = sizeof ((sp_rigid_mass *)0)->inertia / sizeof ((sp_rigid_mass *)0)->inertia[0], .number = SP_PY_DOUBLE,
     .doc = "about the centre of mass, in the axes of the frame, row-major [kg m2]"},
};
const sp_py_struct sp_py_struct_sp_rigid_mass = {
    .name = "sp_rigid_mass", .title = "souple.RigidMass", .size = sizeof(sp_rigid_mass), .fields = fields_sp_rigid_mass, .count = 4,
    .initial = NULL, .record = true,
    .doc = "Mass of a rigid body."};

static const sp_py_field fields_sp_rod_section[] = {
    {.name = "axes", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_section, axes), .extent = sizeof ((sp_rod_section *)0)->axes / sizeof ((sp_rod_section *)0)->axes[0], .width = -2, .number = SP_PY_DOUBLE, .alias = "radius",
     .doc = "semi-axes along n1 and n2 [m] > 0"},
    {.name = "bore", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_section, bore), .number = SP_PY_DOUBLE,
     .doc = "radius of a round hole along the axis [m] >= 0, less than both semi-axes"},
    {.name = "density", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_section, density), .number = SP_PY_DOUBLE,
     .doc = "[kg/m3] > 0, default 1000"},
    {.name = "young", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_section, young), .number = SP_PY_DOUBLE,
     .doc = "[Pa] > 0, default 1e6"},
    {.name = "poisson", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_section, poisson), .number = SP_PY_DOUBLE,
     .doc = "in (-1, 0.5), default 0.3"},
};
static void initial_sp_rod_section(void *out) {
    *(sp_rod_section *)out = sp_rod_section_default();
}
const sp_py_struct sp_py_struct_sp_rod_section = {
    .name = "sp_rod_section", .title = "souple.RodSection", .size = sizeof(sp_rod_section), .fields = fields_sp_rod_section, .count = 5,
    .initial = initial_sp_rod_section,
    .doc = "An elliptic cross section and its material."};

static const sp_py_field fields_sp_rod_strand[] = {
    {.name = "length", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_strand, length), .number = SP_PY_DOUBLE,
     .doc = "[m] > 0"},
    {.name = "elements", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_strand, elements), .number = SP_PY_INT,
     .doc = ">= 1"},
    {.name = "root", .kind = SP_PY_STRUCT, .at = offsetof(sp_rod_strand, root), .of = &sp_py_struct_sp_pose,
     .doc = "its first frame: x along the tangent, y along n1, z along n2"},
    {.name = "curvature", .kind = SP_PY_ARRAY, .at = offsetof(sp_rod_strand, curvature), .width = 3, .size = strand_nodes, .number = SP_PY_DOUBLE,
     .doc = "natural, at the nodes: (elements + 1) x 3, twist, k1, k2 [rad/m]; optional: straight"},
    {.name = "start", .kind = SP_PY_ARRAY, .at = offsetof(sp_rod_strand, start), .width = 3, .size = strand_nodes, .number = SP_PY_DOUBLE,
     .doc = "likewise, the initial curvature; optional: the natural one"},
    {.name = "section", .kind = SP_PY_ARRAY, .at = offsetof(sp_rod_strand, section), .width = 1, .size = strand_elements, .number = SP_PY_INT,
     .doc = "per element, index into `sections`; optional: all 0"},
};
static void initial_sp_rod_strand(void *out) {
    *(sp_rod_strand *)out = (sp_rod_strand){.root = sp_pose_identity()};
}
const sp_py_struct sp_py_struct_sp_rod_strand = {
    .name = "sp_rod_strand", .title = "souple.RodStrand", .size = sizeof(sp_rod_strand), .fields = fields_sp_rod_strand, .count = 6,
    .initial = initial_sp_rod_strand,
    .doc = "One strand of a rod. Its nodes are the ends of its elements, which have equal lengths."};

static const sp_py_field fields_sp_rod_grow[] = {
    {.name = "mode", .kind = SP_PY_WORD, .at = offsetof(sp_rod_grow, mode), .words = &sp_py_words_sp_grow_mode,
     .doc = ""},
    {.name = "rate", .kind = SP_PY_SIGNAL, .at = offsetof(sp_rod_grow, rate),
     .doc = "[m/s] of every strand, >= 0"},
    {.name = "until", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_grow, until), .number = SP_PY_DOUBLE,
     .doc = "final length [m], >= the length of every strand"},
    {.name = "split", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_grow, split), .number = SP_PY_DOUBLE,
     .doc = "[m]; 0: 1.5 times the initial length of an element"},
    {.name = "curvature", .kind = SP_PY_SIGNAL, .at = offsetof(sp_rod_grow, curvature), .extent = sizeof ((sp_rod_grow *)0)->curvature / sizeof ((sp_rod_grow *)0)->curvature[0],
     .doc = "natural curvature of the new material [rad/m]"},
};
const sp_py_struct sp_py_struct_sp_rod_grow = {
    .name = "sp_rod_grow", .title = "souple.RodGrow", .size = sizeof(sp_rod_grow), .fields = fields_sp_rod_grow, .count = 5,
    .initial = NULL,
    .doc = "How the strands of a rod grow at their tips."};

static const sp_py_field fields_sp_rod_feed[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_rod_feed, name),
     .doc = "its parameters are \"<body>.<name>.speed\" and \"<body>.<name>.spin\"; optional: \"feed\""},
    {.name = "at", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_feed, at), .extent = sizeof ((sp_rod_feed *)0)->at / sizeof ((sp_rod_feed *)0)->at[0], .number = SP_PY_DOUBLE,
     .doc = "the entry point [m]"},
    {.name = "direction", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_feed, direction), .extent = sizeof ((sp_rod_feed *)0)->direction / sizeof ((sp_rod_feed *)0)->direction[0], .number = SP_PY_DOUBLE,
     .doc = "of entry; not zero, of any length"},
    {.name = "speed", .kind = SP_PY_SIGNAL, .at = offsetof(sp_rod_feed, speed),
     .doc = "[m/s] along the direction; default 0"},
    {.name = "spin", .kind = SP_PY_SIGNAL, .at = offsetof(sp_rod_feed, spin),
     .doc = "[rad/s] about the direction; default 0"},
};
static void initial_sp_rod_feed(void *out) {
    *(sp_rod_feed *)out = (sp_rod_feed){.direction = {1, 0, 0}};
}
const sp_py_struct sp_py_struct_sp_rod_feed = {
    .name = "sp_rod_feed", .title = "souple.RodFeed", .size = sizeof(sp_rod_feed), .fields = fields_sp_rod_feed, .count = 5,
    .initial = initial_sp_rod_feed,
    .doc = "A rod that is pushed and turned through an entry point. What has not entered lies straight on the axis, which the root "
    "must lie on, with its tangent along `direction`. Rods of one strand, of the models der and beam. At least one element "
    "stays behind the entry point, and the tip does not go back behind it (if the rod starts there: not behind its start): "
    "the feed stops there, and an event says so. docs/rods.md describes the method."};

static const sp_py_field fields_sp_rod_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_rod_def, name),
     .doc = "unique in the world; optional: \"rod<slot>\""},
    {.name = "model", .kind = SP_PY_WORD, .at = offsetof(sp_rod_def, model), .words = &sp_py_words_sp_rod_model,
     .doc = "default clothoid"},
    {.name = "strands", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, strands), .width = 1, .count = (int)offsetof(sp_rod_def, strand_count), .of = &sp_py_struct_sp_rod_strand, .alias = "strand",
     .doc = ""},
    {.name = "sections", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, sections), .width = 1, .count = (int)offsetof(sp_rod_def, section_count), .of = &sp_py_struct_sp_rod_section, .alias = "section",
     .doc = ""},
    {.name = "free_root", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, free_root), .number = SP_PY_BOOL,
     .doc = "roots are free; default: each is held with its frame"},
    {.name = "velocity", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, velocity), .extent = sizeof ((sp_rod_def *)0)->velocity / sizeof ((sp_rod_def *)0)->velocity[0], .number = SP_PY_DOUBLE,
     .doc = "with free roots: initial velocity [m/s]"},
    {.name = "spin", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, spin), .extent = sizeof ((sp_rod_def *)0)->spin / sizeof ((sp_rod_def *)0)->spin[0], .number = SP_PY_DOUBLE,
     .doc = "with free roots: initial angular velocity about the centre of mass of all strands [rad/s]"},
    {.name = "edge_clamp", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, edge_clamp), .number = SP_PY_BOOL,
     .doc = "der: a root is held by its first edge; default: by a frame and half a cell (second order)"},
    {.name = "natural", .kind = SP_PY_SIGNAL, .at = offsetof(sp_rod_def, natural), .extent = sizeof ((sp_rod_def *)0)->natural / sizeof ((sp_rod_def *)0)->natural[0], .given = 1 + (int)offsetof(sp_rod_def, natural_in_time),
     .doc = "with `natural_in_time`: the natural curvature everywhere, instead of that of the strands"},
    {.name = "grow", .kind = SP_PY_ONE, .at = offsetof(sp_rod_def, grow), .of = &sp_py_struct_sp_rod_grow,
     .doc = "optional: no growth"},
    {.name = "feed", .kind = SP_PY_ONE, .at = offsetof(sp_rod_def, feed), .of = &sp_py_struct_sp_rod_feed,
     .doc = "optional: the rod is not fed"},
    {.name = "rayleigh_mass", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, rayleigh_mass), .number = SP_PY_DOUBLE,
     .doc = "[1/s] >= 0"},
    {.name = "rayleigh_stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, rayleigh_stiffness), .number = SP_PY_DOUBLE,
     .doc = "[s] >= 0"},
    {.name = "drag", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, drag), .number = SP_PY_DOUBLE,
     .doc = "viscous damping by the surrounding medium [N s/m2] >= 0, per length"},
    {.name = "fixes", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, fixes), .width = 1, .count = (int)offsetof(sp_rod_def, fix_count), .of = &sp_py_struct_sp_fix, .alias = "fix",
     .doc = "A node held on all axes also holds its frame, if the model has one there. Clothoids and helices hold nodes other than "
    "their roots by springs. Their default stiffness allows 1e-4 of the length of a strand under its own weight."},
    {.name = "moves", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, moves), .width = 1, .count = (int)offsetof(sp_rod_def, move_count), .of = &sp_py_struct_sp_move, .alias = "move",
     .doc = "roots of clothoids and helices; any node of the others"},
    {.name = "loads", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, loads), .width = 1, .count = (int)offsetof(sp_rod_def, load_count), .of = &sp_py_struct_sp_load, .alias = "load",
     .doc = ""},
    {.name = "springs", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, springs), .width = 1, .count = (int)offsetof(sp_rod_def, spring_count), .of = &sp_py_struct_sp_spring_def, .alias = "spring",
     .doc = ""},
    {.name = "masses", .kind = SP_PY_STRUCTS, .at = offsetof(sp_rod_def, masses), .width = 1, .count = (int)offsetof(sp_rod_def, mass_count), .of = &sp_py_struct_sp_mass_def, .alias = "mass",
     .doc = "point masses"},
    {.name = "samples", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, samples), .number = SP_PY_INT,
     .doc = "collision points of an element, 0..64; default 10"},
    {.name = "sides", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, sides), .number = SP_PY_INT,
     .doc = "Vertices of a cross section of its surface, 3..64; default 0: 12, or 8 above 10 strands, above 100 strands 6, or 3 if "
    "they are at least 30 times as long as thick."},
    {.name = "rings", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_def, rings), .number = SP_PY_INT,
     .doc = "cross sections of its surface per element, 1..64; default 0: 8, or as many as its curvature needs"},
    {.name = "integrator", .kind = SP_PY_STRUCT, .at = offsetof(sp_rod_def, integrator), .of = &sp_py_struct_sp_integrator_def,
     .doc = ""},
    {.name = "solver", .kind = SP_PY_STRUCT, .at = offsetof(sp_rod_def, solver), .of = &sp_py_struct_sp_solver_def,
     .doc = "auto (block-tridiagonal), block-tridiagonal or cg"},
    {.name = "compliance", .kind = SP_PY_WORD, .at = offsetof(sp_rod_def, compliance), .words = &sp_py_words_sp_compliance_type,
     .doc = "of contact by constraints: auto, diagonal, exact or block-tridiagonal"},
};
static void initial_sp_rod_def(void *out) {
    *(sp_rod_def *)out = sp_rod_def_default();
}
const sp_py_struct sp_py_struct_sp_rod_def = {
    .name = "sp_rod_def", .title = "souple.RodDef", .size = sizeof(sp_rod_def), .fields = fields_sp_rod_def, .count = 25,
    .initial = initial_sp_rod_def,
    .doc = "A body of one or thousands of strands. Nodes and elements are numbered strand by strand. Everything is copied, except "
    "what signals point to."};

static const sp_py_field fields_sp_surface_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_surface_def, name),
     .doc = "unique on its body; optional: \"surface<index>\", or the next free number"},
    {.name = "mesh", .kind = SP_PY_SURFACE, .at = offsetof(sp_surface_def, mesh),
     .doc = "in the frame of the rest shape (rigid: of the body)"},
    {.name = "roles", .kind = SP_PY_BITS, .at = offsetof(sp_surface_def, roles), .words = &sp_py_words_roles,
     .doc = "\"visual\", \"collision\" or both; default both"},
    {.name = "faces", .kind = SP_PY_ARRAY, .at = offsetof(sp_surface_def, faces), .width = 1, .count = (int)offsetof(sp_surface_def, face_count), .number = SP_PY_INT,
     .doc = "instead of `mesh`: these boundary faces of the body (indices into Mesh.faces); optional"},
    {.name = "subdivide", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_def, subdivide), .number = SP_PY_INT,
     .doc = "subdivide each triangle of the boundary into 4^n for display, 0..4; default 0"},
    {.name = "region", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_def, region), .number = SP_PY_INT,
     .doc = "instead of all above but `name`: the interfaces of this region of a solid with regions of lower numbers, faces inside "
    "the solid that point out of the region. Its role is \"interfaces\". May be empty. From 1; 0 (default): none"},
};
static void initial_sp_surface_def(void *out) {
    *(sp_surface_def *)out = sp_surface_def_default();
}
const sp_py_struct sp_py_struct_sp_surface_def = {
    .name = "sp_surface_def", .title = "souple.SurfaceDef", .size = sizeof(sp_surface_def), .fields = fields_sp_surface_def, .count = 6,
    .initial = initial_sp_surface_def,
    .doc = "A surface embedded in a body: each vertex is a material point, inside an element or attached to the nearest one, and "
    "follows the affine motion of that element. Forces on vertices act on the body by the exact transpose of this mapping. "
    "The vertices of collision surfaces are the collision points of a solid and share the contact stiffness of the nodes "
    "that carry them; without a collision surface the nodes are the collision points. The boundary has the roles that no "
    "embedded surface has. Surfaces are removed with their body."};

static const sp_py_field fields_sp_rod_cross_section[] = {
    {.name = "vertex", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_cross_section, vertex), .number = SP_PY_INT,
     .doc = ""},
    {.name = "element", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_cross_section, element), .number = SP_PY_INT,
     .doc = "numbered through all strands"},
    {.name = "at", .kind = SP_PY_NUMBER, .at = offsetof(sp_rod_cross_section, at), .number = SP_PY_DOUBLE,
     .doc = "fraction of its length, in [0, 1]"},
};
const sp_py_struct sp_py_struct_sp_rod_cross_section = {
    .name = "sp_rod_cross_section", .title = "souple.RodCrossSection", .size = sizeof(sp_rod_cross_section), .fields = fields_sp_rod_cross_section, .count = 3,
    .initial = NULL, .record = true,
    .doc = "A cross section of the surface of a rod: the vertices from `vertex` to the first one of the next cross section."};

static const sp_py_field fields_sp_surface_info[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_surface_info, name),
     .doc = ""},
    {.name = "roles", .kind = SP_PY_BITS, .at = offsetof(sp_surface_info, roles), .words = &sp_py_words_roles,
     .doc = ""},
    {.name = "vertex_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_info, vertex_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "face_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_info, face_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "outside", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_info, outside), .number = SP_PY_INT,
     .doc = "vertices outside all elements, attached to the nearest one"},
    {.name = "farthest", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_info, farthest), .number = SP_PY_DOUBLE,
     .doc = "largest distance of those [m]"},
    {.name = "faces", .kind = SP_PY_ARRAY, .at = offsetof(sp_surface_info, faces), .width = 3, .count = (int)offsetof(sp_surface_info, face_count), .number = SP_PY_UINT,
     .doc = "face_count x 3, outward"},
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_surface_info, nodes), .width = 1, .count = (int)offsetof(sp_surface_info, vertex_count), .number = SP_PY_INT,
     .doc = "boundary: user node of each vertex; None: none"},
    {.name = "ring_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_info, ring_count), .number = SP_PY_INT,
     .doc = "number of `rings`"},
    {.name = "rings", .kind = SP_PY_STRUCTS, .at = offsetof(sp_surface_info, rings), .width = 1, .count = (int)offsetof(sp_surface_info, ring_count), .of = &sp_py_struct_sp_rod_cross_section, .alias = "ring",
     .doc = "boundary: cross sections of a rod, in order; None: none"},
    {.name = "revision", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_info, revision), .number = SP_PY_UINT,
     .doc = "changes when the vertices or faces change: elements were removed or appended"},
};
const sp_py_struct sp_py_struct_sp_surface_info = {
    .name = "sp_surface_info", .title = "souple.SurfaceInfo", .size = sizeof(sp_surface_info), .fields = fields_sp_surface_info, .count = 11,
    .initial = NULL, .record = true,
    .doc = "Description of a surface. Pointers are valid as long as the body exists."};

static const sp_py_field fields_sp_surface_contact_def[] = {
    {.name = "side", .kind = SP_PY_WORD, .at = offsetof(sp_surface_contact_def, side), .words = &sp_py_words_sp_surface_side,
     .doc = "default outside"},
    {.name = "field", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_contact_def, field), .number = SP_PY_DOUBLE,
     .doc = "rigid bodies: others touch a signed distance field with cells of this size instead of the triangles [m] > 0, at most "
    "half of the surface; 0, the default: triangles. Not with \"both\""},
    {.name = "self", .kind = SP_PY_NUMBER, .at = offsetof(sp_surface_contact_def, self), .number = SP_PY_BOOL,
     .doc = "soft bodies: the surface touches itself, also if ContactDef.self is false; default false"},
};
static void initial_sp_surface_contact_def(void *out) {
    *(sp_surface_contact_def *)out = sp_surface_contact_def_default();
}
const sp_py_struct sp_py_struct_sp_surface_contact_def = {
    .name = "sp_surface_contact_def", .title = "souple.SurfaceContactDef", .size = sizeof(sp_surface_contact_def), .fields = fields_sp_surface_contact_def, .count = 3,
    .initial = initial_sp_surface_contact_def,
    .doc = "How a collision surface is touched (proximity)."};

static const sp_py_field fields_sp_distance_field_info[] = {
    {.name = "cell", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, cell), .number = SP_PY_DOUBLE,
     .doc = "[m]"},
    {.name = "cells", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, cells), .extent = sizeof ((sp_distance_field_info *)0)->cells / sizeof ((sp_distance_field_info *)0)->cells[0], .number = SP_PY_INT,
     .doc = "along the axes, over the size of the surface"},
    {.name = "blocks", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, blocks), .number = SP_PY_DOUBLE,
     .doc = "of 8 x 8 x 8 nodes"},
    {.name = "blocks_near", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, blocks_near), .number = SP_PY_INT,
     .doc = "those that have values"},
    {.name = "bytes", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, bytes), .number = SP_PY_SIZE,
     .doc = "grid, triangles and their tree"},
    {.name = "open_edges", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, open_edges), .number = SP_PY_INT,
     .doc = "edges that belong to one triangle; 0: the surface is closed"},
    {.name = "deviation", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, deviation), .number = SP_PY_DOUBLE,
     .doc = "largest value at vertices and middles of triangles, where it should be 0 [m]"},
    {.name = "build_ms", .kind = SP_PY_NUMBER, .at = offsetof(sp_distance_field_info, build_ms), .number = SP_PY_DOUBLE,
     .doc = "time of its creation"},
};
const sp_py_struct sp_py_struct_sp_distance_field_info = {
    .name = "sp_distance_field_info", .title = "souple.DistanceFieldInfo", .size = sizeof(sp_distance_field_info), .fields = fields_sp_distance_field_info, .count = 8,
    .initial = NULL, .record = true,
    .doc = "Size and accuracy of a distance field."};

static const sp_py_field fields_sp_contact_solver_def[] = {
    {.name = "method", .kind = SP_PY_WORD, .at = offsetof(sp_contact_solver_def, method), .words = &sp_py_words_sp_contact_method,
     .doc = "default auto"},
    {.name = "local", .kind = SP_PY_WORD, .at = offsetof(sp_contact_solver_def, local), .words = &sp_py_words_sp_contact_local,
     .doc = "default projection"},
    {.name = "cone", .kind = SP_PY_WORD, .at = offsetof(sp_contact_solver_def, cone), .words = &sp_py_words_sp_contact_cone,
     .doc = "default exact"},
    {.name = "facets", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_solver_def, facets), .number = SP_PY_INT,
     .doc = "of the cone, 4..32, default 4"},
    {.name = "strategy", .kind = SP_PY_WORD, .at = offsetof(sp_contact_solver_def, strategy), .words = &sp_py_words_sp_contact_strategy,
     .doc = "default auto"},
    {.name = "sweeps", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_solver_def, sweeps), .number = SP_PY_INT,
     .doc = "limit of Gauss-Seidel >= 1, default 500"},
    {.name = "tolerance", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_solver_def, tolerance), .number = SP_PY_DOUBLE,
     .doc = "of the residual, relative to the largest violation > 0, default 1e-6"},
    {.name = "warm_start", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_solver_def, warm_start), .number = SP_PY_BOOL,
     .doc = "start from the impulses of the last step, default true"},
    {.name = "budget_ms", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_solver_def, budget_ms), .number = SP_PY_DOUBLE,
     .doc = "time of a step's solves [ms] >= 0; 0: no limit, the default. It acts where the world is not deterministic; edits taken "
    "say where it ended a solve, and a replay ends it there too"},
};
const sp_py_struct sp_py_struct_sp_contact_solver_def = {
    .name = "sp_contact_solver_def", .title = "souple.ContactSolverDef", .size = sizeof(sp_contact_solver_def), .fields = fields_sp_contact_solver_def, .count = 9,
    .initial = NULL, .record = true,
    .doc = "Options of the solver of contact by constraints; part of ContactDef."};

static const sp_py_field fields_sp_contact_def[] = {
    {.name = "formulation", .kind = SP_PY_WORD, .at = offsetof(sp_contact_def, formulation), .words = &sp_py_words_sp_contact_formulation,
     .doc = ""},
    {.name = "stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, stiffness), .number = SP_PY_DOUBLE,
     .doc = "penalty: [N/m] per node, normal and tangential; 0: auto, 30 m/h2 with the mass of each node (or the mean mass if "
    "larger), and for solids at least Young's modulus times the element size (static: that; explicit: m/h2 of the substep). "
    "Contacts of all pairs: per contact, normal; 0: auto, 30 times the stiffness with which the bodies answer there within a "
    "step. volume-penalty: [N/m5]; 0: auto, once that"},
    {.name = "damping", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, damping), .number = SP_PY_DOUBLE,
     .doc = "penalty: [N s/m] per node or contact >= 0"},
    {.name = "friction", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, friction), .number = SP_PY_DOUBLE,
     .doc = "coefficient >= 0"},
    {.name = "alarm", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, alarm), .number = SP_PY_DOUBLE,
     .doc = "proximity: contacts are made below this distance (beyond the gap) [m] >= 0; 0, the default: of each pair, an eighth of "
    "the smaller edge or radius of those of the two that can move"},
    {.name = "gap", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, gap), .number = SP_PY_DOUBLE,
     .doc = "proximity: distance that contacts keep [m] >= 0"},
    {.name = "stabilisation", .kind = SP_PY_WORD, .at = offsetof(sp_contact_def, stabilisation), .words = &sp_py_words_sp_stabilisation,
     .doc = "proximity: default auto"},
    {.name = "passes", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, passes), .number = SP_PY_INT,
     .doc = "proximity: how often a step searches and solves again until its end does not overlap >= 0, default 3"},
    {.name = "reserve", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, reserve), .number = SP_PY_INT,
     .doc = "proximity: contacts for which memory is kept ready >= 0; 0: auto, memory grows with the contacts"},
    {.name = "broad", .kind = SP_PY_WORD, .at = offsetof(sp_contact_def, broad), .words = &sp_py_words_sp_contact_broad,
     .doc = "proximity: default auto, which is bvh"},
    {.name = "self", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, self), .number = SP_PY_BOOL,
     .doc = "proximity: soft bodies touch themselves; default false"},
    {.name = "continuous", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, continuous), .number = SP_PY_BOOL,
     .doc = "proximity: what touches only between the start and the end of the free motion of a step is found too; default false"},
    {.name = "enabled", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, enabled), .number = SP_PY_DOUBLE,
     .doc = "proximity: 1, the default: contacts act; 0: they do not, until the parameter contact.enabled is 1"},
    {.name = "pixel", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, pixel), .number = SP_PY_DOUBLE,
     .doc = "volume: distance of the rays of the layered depth images [m] > 0; no default"},
    {.name = "cell", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, cell), .number = SP_PY_INT,
     .doc = "volume: edge of a constraint in pixels, 0..4096; 0, the default: one constraint for each pair"},
    {.name = "layers", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, layers), .number = SP_PY_INT,
     .doc = "volume: surfaces that a ray may cross for which memory is ready, 0..4096; 0, the default: 98. Where a ray crosses more, "
    "memory grows, and the first time an event says so. It changes no result"},
    {.name = "slack", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, slack), .number = SP_PY_DOUBLE,
     .doc = "volume: overlap that stays at rest, in pixels >= 0, default 0.5; 0: contacts without a load come and go"},
    {.name = "law", .kind = SP_PY_WORD, .at = offsetof(sp_contact_def, law), .words = &sp_py_words_sp_contact_law,
     .doc = "volume: default coulomb"},
    {.name = "viscosity", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_def, viscosity), .number = SP_PY_DOUBLE,
     .doc = "viscous: force per area, area and relative velocity [N s/m5] >= 0"},
    {.name = "solver", .kind = SP_PY_STRUCT, .at = offsetof(sp_contact_def, solver), .of = &sp_py_struct_sp_contact_solver_def,
     .doc = "proximity"},
};
static void initial_sp_contact_def(void *out) {
    *(sp_contact_def *)out = sp_contact_def_default();
}
const sp_py_struct sp_py_struct_sp_contact_def = {
    .name = "sp_contact_def", .title = "souple.ContactDef", .size = sizeof(sp_contact_def), .fields = fields_sp_contact_def, .count = 20,
    .initial = initial_sp_contact_def, .record = true,
    .doc = "Contact between bodies. Penalty: a spring along the normal, and along the surface one that sticks up to friction times "
    "the normal force."};

static const sp_py_field fields_sp_contact_part[] = {
    {.name = "body", .kind = SP_PY_BODY, .at = offsetof(sp_contact_part, body),
     .doc = ""},
    {.name = "surface", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_part, surface), .number = SP_PY_INT,
     .doc = "number of a surface of the body; -1: all of them"},
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_contact_part, nodes), .width = 1, .count = (int)offsetof(sp_contact_part, node_count), .number = SP_PY_INT,
     .doc = "nodes in user numbering: faces, edges and vertices with all their nodes in this set. A vertex of an embedded surface "
    "counts as the node of its element that carries most of it. None: everything"},
};
static void initial_sp_contact_part(void *out) {
    *(sp_contact_part *)out = (sp_contact_part){.surface = -1};
}
const sp_py_struct sp_py_struct_sp_contact_part = {
    .name = "sp_contact_part", .title = "souple.ContactPart", .size = sizeof(sp_contact_part), .fields = fields_sp_contact_part, .count = 3,
    .initial = initial_sp_contact_part, .record = true, .bare = "body",
    .doc = "A body, or a part of its surface."};

static const sp_py_field fields_sp_contact_pair_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_contact_pair_def, name),
     .doc = "its parameter is \"contact.<name>.friction\"; optional: \"pair[<index>]\""},
    {.name = "a", .kind = SP_PY_STRUCTS, .at = offsetof(sp_contact_pair_def, a), .width = 1, .count = (int)offsetof(sp_contact_pair_def, a_count), .of = &sp_py_struct_sp_contact_part,
     .doc = ""},
    {.name = "b", .kind = SP_PY_STRUCTS, .at = offsetof(sp_contact_pair_def, b), .width = 1, .count = (int)offsetof(sp_contact_pair_def, b_count), .of = &sp_py_struct_sp_contact_part,
     .doc = ""},
    {.name = "enabled", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, enabled), .number = SP_PY_BOOL,
     .doc = "default true; false: they ignore each other"},
    {.name = "friction", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, friction), .number = SP_PY_DOUBLE,
     .doc = "coefficient >= 0; NaN, the default: that of a wider pair, of the parts, or of ContactDef"},
    {.name = "alarm", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, alarm), .number = SP_PY_DOUBLE,
     .doc = "[m] > 0; NaN, the default: of a wider pair or of ContactDef"},
    {.name = "gap", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, gap), .number = SP_PY_DOUBLE,
     .doc = "[m] >= 0; NaN, the default: likewise"},
    {.name = "continuous", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, continuous), .number = SP_PY_INT,
     .doc = "1: yes, 0: no; -1, the default: likewise. It acts on whole bodies: yes, if it is so in a part"},
    {.name = "formulation", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, formulation), .number = SP_PY_INT,
     .doc = "one of \"penalty\", \"proximity\", \"volume\", \"volume-penalty\"; -1, the default: likewise. Volumes are of whole "
    "bodies and surfaces"},
    {.name = "pixel", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_pair_def, pixel), .number = SP_PY_DOUBLE,
     .doc = "volume: [m] > 0; NaN, the default: likewise"},
};
static void initial_sp_contact_pair_def(void *out) {
    *(sp_contact_pair_def *)out = sp_contact_pair_def_default();
}
const sp_py_struct sp_py_struct_sp_contact_pair_def = {
    .name = "sp_contact_pair_def", .title = "souple.ContactPairDef", .size = sizeof(sp_contact_pair_def), .fields = fields_sp_contact_pair_def, .count = 10,
    .initial = initial_sp_contact_pair_def,
    .doc = "Other values for the contacts between two sets of bodies or parts of bodies (proximity). Where several pairs hold, the "
    "narrower one wins, value by value. A pair that is not enabled makes no contacts."};

static const sp_py_field fields_sp_contact_point[] = {
    {.name = "bodies", .kind = SP_PY_BODY, .at = offsetof(sp_contact_point, bodies), .extent = sizeof ((sp_contact_point *)0)->bodies / sizeof ((sp_contact_point *)0)->bodies[0],
     .doc = ""},
    {.name = "point", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, point), .extent = sizeof ((sp_contact_point *)0)->point / sizeof ((sp_contact_point *)0)->point[0], .number = SP_PY_DOUBLE,
     .doc = "midway between the two surfaces, at the start of the step [m]; volume: centroid of the overlap"},
    {.name = "normal", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, normal), .extent = sizeof ((sp_contact_point *)0)->normal / sizeof ((sp_contact_point *)0)->normal[0], .number = SP_PY_DOUBLE,
     .doc = "unit, from the second to the first body"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, force), .extent = sizeof ((sp_contact_point *)0)->force / sizeof ((sp_contact_point *)0)->force[0], .number = SP_PY_DOUBLE,
     .doc = "on the first body [N]; on the second it is the opposite"},
    {.name = "gap", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, gap), .number = SP_PY_DOUBLE,
     .doc = "distance minus the gap to keep, at the start of the step [m]; < 0: overlap"},
    {.name = "slip", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, slip), .extent = sizeof ((sp_contact_point *)0)->slip / sizeof ((sp_contact_point *)0)->slip[0], .number = SP_PY_DOUBLE,
     .doc = "displacement of the first body along the second in the step [m], tangential; 0: it sticks"},
    {.name = "pressure", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, pressure), .number = SP_PY_DOUBLE,
     .doc = "Normal force per area [Pa]. The normal force is distributed to the vertices of the touching feature by their weights, "
    "and each share is divided by the tributary area of its vertex: a third of the faces around it that are less than 60 "
    "degrees from the normal, projected along it. The value is the mean of the vertices, with the contributions of all "
    "contacts that share them. It is taken on the side that touches with a vertex, else on the first one with faces. 0: both "
    "sides are analytic shapes, which have no area."},
    {.name = "area", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_point, area), .number = SP_PY_DOUBLE,
     .doc = "normal force / pressure [m2]: the part of the surface that the contact carries"},
    {.name = "features", .kind = SP_PY_WORD, .at = offsetof(sp_contact_point, features), .extent = sizeof ((sp_contact_point *)0)->features / sizeof ((sp_contact_point *)0)->features[0], .words = &sp_py_words_sp_contact_feature,
     .doc = "what touches on each body"},
    {.name = "anchors", .kind = SP_PY_ANCHOR, .at = offsetof(sp_contact_point, anchors), .extent = sizeof ((sp_contact_point *)0)->anchors / sizeof ((sp_contact_point *)0)->anchors[0],
     .doc = "the material points that touch. Where a feature of an embedded surface is in several elements: its vertex with the "
    "largest weight"},
};
const sp_py_struct sp_py_struct_sp_contact_point = {
    .name = "sp_contact_point", .title = "souple.ContactPoint", .size = sizeof(sp_contact_point), .fields = fields_sp_contact_point, .count = 10,
    .initial = NULL, .record = true,
    .doc = "A contact of the last step (proximity). Force, slip, area and pressure are those of the whole step."};

static const sp_py_field fields_sp_contact_sum[] = {
    {.name = "count", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_sum, count), .number = SP_PY_INT,
     .doc = "number of contacts, including those that carry nothing"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_sum, force), .extent = sizeof ((sp_contact_sum *)0)->force / sizeof ((sp_contact_sum *)0)->force[0], .number = SP_PY_DOUBLE,
     .doc = "sum of the forces on the body [N]; world: 0"},
    {.name = "normal", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_sum, normal), .number = SP_PY_DOUBLE,
     .doc = "sum of the normal forces [N]"},
    {.name = "largest", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_sum, largest), .number = SP_PY_DOUBLE,
     .doc = "largest force of one contact [N]"},
    {.name = "pressure", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_sum, pressure), .number = SP_PY_DOUBLE,
     .doc = "largest pressure of one contact [Pa]"},
    {.name = "gap", .kind = SP_PY_NUMBER, .at = offsetof(sp_contact_sum, gap), .number = SP_PY_DOUBLE,
     .doc = "smallest gap at the start of the step [m]; infinite: no contacts"},
};
const sp_py_struct sp_py_struct_sp_contact_sum = {
    .name = "sp_contact_sum", .title = "souple.ContactSum", .size = sizeof(sp_contact_sum), .fields = fields_sp_contact_sum, .count = 6,
    .initial = NULL, .record = true,
    .doc = "All contacts of a body, or of the world, in the last step."};

static const sp_py_field fields_sp_open_surface[] = {
    {.name = "body", .kind = SP_PY_BODY, .at = offsetof(sp_open_surface, body),
     .doc = ""},
    {.name = "surface", .kind = SP_PY_NUMBER, .at = offsetof(sp_open_surface, surface), .number = SP_PY_INT,
     .doc = "0: the boundary; others: embedded surfaces"},
    {.name = "edges", .kind = SP_PY_NUMBER, .at = offsetof(sp_open_surface, edges), .number = SP_PY_INT,
     .doc = "edges whose triangles do not close it; 0: no surface is open"},
};
const sp_py_struct sp_py_struct_sp_open_surface = {
    .name = "sp_open_surface", .title = "souple.OpenSurface", .size = sizeof(sp_open_surface), .fields = fields_sp_open_surface, .count = 3,
    .initial = NULL, .record = true,
    .doc = "A surface that contact by volumes cannot use."};

static const sp_py_field fields_sp_link_part[] = {
    {.name = "body", .kind = SP_PY_BODY, .at = offsetof(sp_link_part, body),
     .doc = ""},
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_link_part, nodes), .width = 1, .count = (int)offsetof(sp_link_part, node_count), .number = SP_PY_INT,
     .doc = "in user numbering; None: the whole body"},
    {.name = "points", .kind = SP_PY_ANCHORS, .at = offsetof(sp_link_part, points), .width = 1, .count = (int)offsetof(sp_link_part, point_count), .alias = "point",
     .doc = "material points of the body instead of nodes, tied one by one to the other body; where both sides of a spring have as "
    "many, point by point: each pair is pulled together. Nullable"},
};
const sp_py_struct sp_py_struct_sp_link_part = {
    .name = "sp_link_part", .title = "souple.LinkPart", .size = sizeof(sp_link_part), .fields = fields_sp_link_part, .count = 3,
    .initial = NULL, .bare = "body",
    .doc = "One side of a link: a body, some of its nodes, or material points of it."};

static const sp_py_field fields_sp_link_def[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_link_def, name),
     .doc = "unique in the world, also among bodies; optional: \"link<slot>\""},
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_link_def, type), .words = &sp_py_words_sp_link_type,
     .doc = "default weld"},
    {.name = "a", .kind = SP_PY_STRUCT, .at = offsetof(sp_link_def, a), .of = &sp_py_struct_sp_link_part,
     .doc = "first side; forces are those on it"},
    {.name = "b", .kind = SP_PY_STRUCT, .at = offsetof(sp_link_def, b), .of = &sp_py_struct_sp_link_part,
     .doc = "second side"},
    {.name = "within", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, within), .number = SP_PY_DOUBLE,
     .doc = "points of one side are tied that are at most so far from the other [m] > 0; 0, the default: auto, a quarter of the mean "
    "edge of the faces (rods: of the elements) of the finer side"},
    {.name = "point", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, point), .extent = sizeof ((sp_link_def *)0)->point / sizeof ((sp_link_def *)0)->point[0], .given = 1 + (int)offsetof(sp_link_def, has_point), .number = SP_PY_DOUBLE,
     .doc = "hinge: on the axis; weld, spring and slide of whole rigid bodies: where they are joined [m], world axes, at the state "
    "in which the link is attached"},
    {.name = "axis", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, axis), .extent = sizeof ((sp_link_def *)0)->axis / sizeof ((sp_link_def *)0)->axis[0], .number = SP_PY_DOUBLE,
     .doc = "hinge, line: direction; plane: normal; of any length > 0"},
    {.name = "guide", .kind = SP_PY_WORD, .at = offsetof(sp_link_def, guide), .words = &sp_py_words_sp_link_guide,
     .doc = "slide: default line"},
    {.name = "stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, stiffness), .number = SP_PY_DOUBLE,
     .doc = "spring: [N/m] > 0, of all points together"},
    {.name = "damping", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, damping), .number = SP_PY_DOUBLE,
     .doc = "spring: [N s/m] >= 0, of all points together"},
    {.name = "friction", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, friction), .number = SP_PY_DOUBLE,
     .doc = "slide: Coulomb's coefficient >= 0"},
    {.name = "break_force", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, break_force), .number = SP_PY_DOUBLE,
     .doc = "the link breaks at the end of a step in which its force exceeds this [N] > 0; default infinity"},
    {.name = "attached", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_def, attached), .number = SP_PY_BOOL,
     .doc = "default true; false: an edit attaches it"},
};
static void initial_sp_link_def(void *out) {
    *(sp_link_def *)out = sp_link_def_default();
}
const sp_py_struct sp_py_struct_sp_link_def = {
    .name = "sp_link_def", .title = "souple.LinkDef", .size = sizeof(sp_link_def), .fields = fields_sp_link_def, .count = 13,
    .initial = initial_sp_link_def,
    .doc = "A link between two bodies, or two parts of one body. Its rows are solved together with those of contacts. Everything is "
    "copied. Points are found at the state in which the link is attached."};

static const sp_py_field fields_sp_link_info[] = {
    {.name = "id", .kind = SP_PY_LINK, .at = offsetof(sp_link_info, id),
     .doc = ""},
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_link_info, name),
     .doc = "valid as long as the link exists"},
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_link_info, type), .words = &sp_py_words_sp_link_type,
     .doc = ""},
    {.name = "state", .kind = SP_PY_WORD, .at = offsetof(sp_link_info, state), .words = &sp_py_words_sp_link_state,
     .doc = ""},
    {.name = "bodies", .kind = SP_PY_BODY, .at = offsetof(sp_link_info, bodies), .extent = sizeof ((sp_link_info *)0)->bodies / sizeof ((sp_link_info *)0)->bodies[0],
     .doc = "of `a` and `b`"},
    {.name = "point_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_info, point_count), .number = SP_PY_INT,
     .doc = "tied points, see Link.points; 0: not attached"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_info, force), .extent = sizeof ((sp_link_info *)0)->force / sizeof ((sp_link_info *)0)->force[0], .number = SP_PY_DOUBLE,
     .doc = "sum of the forces on `a` [N], the mean over the last step; on `b` it is the opposite"},
    {.name = "stretch", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_info, stretch), .number = SP_PY_DOUBLE,
     .doc = "largest distance between what is tied together, at the current state [m]; 0: not attached"},
    {.name = "within", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_info, within), .number = SP_PY_DOUBLE,
     .doc = "distance of the last search, with `auto` resolved [m]"},
    {.name = "break_force", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_info, break_force), .number = SP_PY_DOUBLE,
     .doc = "[N]"},
};
const sp_py_struct sp_py_struct_sp_link_info = {
    .name = "sp_link_info", .title = "souple.LinkInfo", .size = sizeof(sp_link_info), .fields = fields_sp_link_info, .count = 10,
    .initial = NULL, .record = true,
    .doc = "A link and what it did in the last step. Nothing is allocated for it."};

static const sp_py_field fields_sp_link_point[] = {
    {.name = "a", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_point, a), .extent = sizeof ((sp_link_point *)0)->a / sizeof ((sp_link_point *)0)->a[0], .number = SP_PY_DOUBLE,
     .doc = "its positions on both sides at the current state [m]"},
    {.name = "b", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_point, b), .extent = sizeof ((sp_link_point *)0)->b / sizeof ((sp_link_point *)0)->b[0], .number = SP_PY_DOUBLE,
     .doc = "its positions on both sides at the current state [m]"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_link_point, force), .extent = sizeof ((sp_link_point *)0)->force / sizeof ((sp_link_point *)0)->force[0], .number = SP_PY_DOUBLE,
     .doc = "on `a` [N], the mean over the last step"},
    {.name = "anchors", .kind = SP_PY_ANCHOR, .at = offsetof(sp_link_point, anchors), .extent = sizeof ((sp_link_point *)0)->anchors / sizeof ((sp_link_point *)0)->anchors[0],
     .doc = "the material points; of a mean of several the one with the largest weight"},
};
const sp_py_struct sp_py_struct_sp_link_point = {
    .name = "sp_link_point", .title = "souple.LinkPoint", .size = sizeof(sp_link_point), .fields = fields_sp_link_point, .count = 4,
    .initial = NULL, .record = true,
    .doc = "A tied point of a link."};

static const sp_py_field fields_sp_world_def[] = {
    {.name = "gravity", .kind = SP_PY_SIGNAL, .at = offsetof(sp_world_def, gravity), .extent = sizeof ((sp_world_def *)0)->gravity / sizeof ((sp_world_def *)0)->gravity[0],
     .doc = "[m/s2], default 0 -9.81 0"},
    {.name = "backend", .kind = SP_PY_STRING, .at = offsetof(sp_world_def, backend),
     .doc = "\"auto\", \"ref\", \"cpu\"; default \"auto\""},
    {.name = "on_limit", .kind = SP_PY_WORD, .at = offsetof(sp_world_def, on_limit), .words = &sp_py_words_sp_on_limit,
     .doc = "an iteration limit is a reservation (default) or a failure"},
    {.name = "on_failure", .kind = SP_PY_WORD, .at = offsetof(sp_world_def, on_failure), .words = &sp_py_words_sp_on_failure,
     .doc = "a failing body fails the step (default) or is frozen"},
    {.name = "snapshot_slots", .kind = SP_PY_NUMBER, .at = offsetof(sp_world_def, snapshot_slots), .number = SP_PY_INT,
     .doc = "1 + snapshots that readers may hold at the same time, 2..16, default 4"},
    {.name = "snapshots", .kind = SP_PY_NUMBER, .at = offsetof(sp_world_def, snapshots), .number = SP_PY_BOOL,
     .doc = "publish after each step, default true"},
    {.name = "deterministic", .kind = SP_PY_NUMBER, .at = offsetof(sp_world_def, deterministic), .number = SP_PY_BOOL,
     .doc = "a preconditioner built in the background is used a fixed number of steps later (`lag` of the solver), and the step "
    "waits for it if necessary: a replay is bitwise equal. false: it is used as soon as it is ready, without waiting. "
    "Default true"},
};
static void initial_sp_world_def(void *out) {
    *(sp_world_def *)out = sp_world_def_default();
}
const sp_py_struct sp_py_struct_sp_world_def = {
    .name = "sp_world_def", .title = "souple.WorldDef", .size = sizeof(sp_world_def), .fields = fields_sp_world_def, .count = 7,
    .initial = initial_sp_world_def, .record = true,
    .doc = "Definition of a world."};

static const sp_py_field fields_sp_edit[] = {
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_edit, type), .words = &sp_py_words_sp_edit_type,
     .doc = ""},
    {.name = "source", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, source), .number = SP_PY_UINT,
     .doc = "origin of the edit: 0 the program, other numbers are chosen by the host"},
    {.name = "sequence", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, sequence), .number = SP_PY_UINT64,
     .doc = "0: numbered on arrival"},
    {.name = "body", .kind = SP_PY_BODY, .at = offsetof(sp_edit, body),
     .doc = "pin, release, pose, swap; a drag names its body by its anchor"},
    {.name = "node", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, node), .number = SP_PY_INT,
     .doc = "pin, release: node in user numbering; removal of an element: the element"},
    {.name = "axes", .kind = SP_PY_BITS, .at = offsetof(sp_edit, axes), .words = &sp_py_words_axes,
     .doc = ""},
    {.name = "slot", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, slot), .number = SP_PY_INT,
     .doc = "drag, drop: number of the drag within the source"},
    {.name = "anchor", .kind = SP_PY_ANCHOR, .at = offsetof(sp_edit, anchor),
     .doc = "drag, link"},
    {.name = "target", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, target), .extent = sizeof ((sp_edit *)0)->target / sizeof ((sp_edit *)0)->target[0], .number = SP_PY_DOUBLE,
     .doc = "drag [m]"},
    {.name = "stiffness", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, stiffness), .number = SP_PY_DOUBLE,
     .doc = "drag [N/m] > 0; link [N/m] >= 0"},
    {.name = "damping", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, damping), .number = SP_PY_DOUBLE,
     .doc = "drag, link [N s/m] >= 0"},
    {.name = "pose", .kind = SP_PY_STRUCT, .at = offsetof(sp_edit, pose), .of = &sp_py_struct_sp_pose,
     .doc = ""},
    {.name = "path", .kind = SP_PY_TEXT, .at = offsetof(sp_edit, path), .extent = sizeof ((sp_edit *)0)->path,
     .doc = "\"beam.young\", \"gravity.y\", \"contact.friction\"; attach, detach, link: the name of a link; add: of a body"},
    {.name = "value", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, value), .number = SP_PY_DOUBLE,
     .doc = "parameter; link that is a weld: the distance [m] >= 0 of the two bodies that it may bridge, 0: auto"},
    {.name = "other", .kind = SP_PY_ANCHOR, .at = offsetof(sp_edit, other),
     .doc = "link: the point of the second body"},
    {.name = "shape", .kind = SP_PY_WORD, .at = offsetof(sp_edit, shape), .words = &sp_py_words_sp_shape_type,
     .doc = "add; no plane"},
    {.name = "size", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, size), .extent = sizeof ((sp_edit *)0)->size / sizeof ((sp_edit *)0)->size[0], .width = -1, .number = SP_PY_DOUBLE,
     .doc = "add: as in sp_rigid_shape"},
    {.name = "kinematic", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, kinematic), .number = SP_PY_BOOL,
     .doc = "add: follows poses"},
    {.name = "free", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, free), .number = SP_PY_BOOL,
     .doc = "add: moved by forces; neither: fixed"},
    {.name = "density", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, density), .number = SP_PY_DOUBLE,
     .doc = "add: of a free body [kg/m3] > 0, default 1000"},
    {.name = "velocity", .kind = SP_PY_NUMBER, .at = offsetof(sp_edit, velocity), .extent = sizeof ((sp_edit *)0)->velocity / sizeof ((sp_edit *)0)->velocity[0], .number = SP_PY_DOUBLE,
     .doc = "add: of a free body [m/s]"},
};
static void initial_sp_edit(void *out) {
    *(sp_edit *)out = sp_edit_default(SP_EDIT_PIN);
}
const sp_py_struct sp_py_struct_sp_edit = {
    .name = "sp_edit", .title = "souple.EditTaken", .size = sizeof(sp_edit), .fields = fields_sp_edit, .count = 21,
    .initial = initial_sp_edit, .record = true,
    .doc = "A change by the user or the host program, applied at the start of the next step in the order (source, sequence)."};

static const sp_py_field fields_sp_addition[] = {
    {.name = "node_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_addition, node_count), .number = SP_PY_INT,
     .doc = ">= 0; each new node is a node of a new element"},
    {.name = "rest", .kind = SP_PY_ARRAY, .at = offsetof(sp_addition, rest), .width = 3, .count = (int)offsetof(sp_addition, node_count), .number = SP_PY_DOUBLE,
     .doc = "node_count x 3: positions in the rest shape [m]; None: from `at`"},
    {.name = "position", .kind = SP_PY_ARRAY, .at = offsetof(sp_addition, position), .width = 3, .count = (int)offsetof(sp_addition, node_count), .number = SP_PY_DOUBLE,
     .doc = "node_count x 3 [m]; None: from `at`, else `rest`"},
    {.name = "velocity", .kind = SP_PY_ARRAY, .at = offsetof(sp_addition, velocity), .width = 3, .count = (int)offsetof(sp_addition, node_count), .number = SP_PY_DOUBLE,
     .doc = "node_count x 3 [m/s]; None: from `at`, else 0"},
    {.name = "at", .kind = SP_PY_ANCHORS, .at = offsetof(sp_addition, at), .width = 1, .count = (int)offsetof(sp_addition, node_count),
     .doc = "node_count: material points of the body, which move on as nodes; None: none"},
    {.name = "element_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_addition, element_count), .number = SP_PY_INT,
     .doc = ">= 0"},
    {.name = "like", .kind = SP_PY_ARRAY, .at = offsetof(sp_addition, like), .width = 1, .count = (int)offsetof(sp_addition, element_count), .number = SP_PY_INT,
     .doc = "element_count: an element of the body, or one listed before. The new one has its type, law, region and fibres, and its "
    "own numbers of a material where it has some; of a viscous one its history"},
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_addition, nodes), .width = 1, .count = (int)offsetof(sp_addition, node_entries), .number = SP_PY_INT,
     .doc = "nodes of the new elements, one element after the other, in the order of their type"},
    {.name = "node_entries", .kind = SP_PY_NUMBER, .at = offsetof(sp_addition, node_entries), .number = SP_PY_INT,
     .doc = "numbers in `nodes`"},
    {.name = "removed_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_addition, removed_count), .number = SP_PY_INT,
     .doc = ">= 0"},
    {.name = "removed", .kind = SP_PY_ARRAY, .at = offsetof(sp_addition, removed), .width = 1, .count = (int)offsetof(sp_addition, removed_count), .number = SP_PY_INT,
     .doc = "removed_count: elements of the body that are removed, as \"remove-element\" does"},
};
static void initial_sp_addition(void *out) {
    *(sp_addition *)out = sp_addition_default();
}
const sp_py_struct sp_py_struct_sp_addition = {
    .name = "sp_addition", .title = "souple.Addition", .size = sizeof(sp_addition), .fields = fields_sp_addition, .count = 11,
    .initial = initial_sp_addition,
    .doc = "Nodes and elements that a solid gets while it exists, and elements that it loses at the same time. Numbers are those of "
    "users: new nodes and elements follow those that the body has (BodyInfo), and no number of the others changes."};

static const sp_py_field fields_sp_param_spec[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_param_spec, name),
     .doc = "\"young\", \"solver.tolerance\""},
    {.name = "unit", .kind = SP_PY_STRING, .at = offsetof(sp_param_spec, unit),
     .doc = "\"Pa\"; \"\" or \"1\": a pure number"},
    {.name = "label", .kind = SP_PY_STRING, .at = offsetof(sp_param_spec, label),
     .doc = "short text for a slider"},
    {.name = "meaning", .kind = SP_PY_STRING, .at = offsetof(sp_param_spec, meaning),
     .doc = "short text for a manual"},
    {.name = "low", .kind = SP_PY_NUMBER, .at = offsetof(sp_param_spec, low), .number = SP_PY_DOUBLE,
     .doc = "range of a definition"},
    {.name = "high", .kind = SP_PY_NUMBER, .at = offsetof(sp_param_spec, high), .number = SP_PY_DOUBLE,
     .doc = "range of a definition"},
    {.name = "ends", .kind = SP_PY_BITS, .at = offsetof(sp_param_spec, ends), .words = &sp_py_words_ends,
     .doc = "words"},
    {.name = "edit_low", .kind = SP_PY_NUMBER, .at = offsetof(sp_param_spec, edit_low), .number = SP_PY_DOUBLE,
     .doc = "closed range of an edit: `low` and `high`, or slightly inside if an end is open"},
    {.name = "edit_high", .kind = SP_PY_NUMBER, .at = offsetof(sp_param_spec, edit_high), .number = SP_PY_DOUBLE,
     .doc = "closed range of an edit: `low` and `high`, or slightly inside if an end is open"},
    {.name = "initial", .kind = SP_PY_NUMBER, .at = offsetof(sp_param_spec, initial), .number = SP_PY_DOUBLE,
     .doc = "default of the definition; NaN: none, the value is required"},
    {.name = "price", .kind = SP_PY_WORD, .at = offsetof(sp_param_spec, price), .words = &sp_py_words_sp_param_price,
     .doc = "of a change"},
};
const sp_py_struct sp_py_struct_sp_param_spec = {
    .name = "sp_param_spec", .title = "souple.ParamSpec", .size = sizeof(sp_param_spec), .fields = fields_sp_param_spec, .count = 11,
    .initial = NULL, .record = true,
    .doc = "An entry of the list of parameters. Definitions, edits, scene files, `souple check` and sliders all read this one list."};

static const sp_py_field fields_sp_param_info[] = {
    {.name = "path", .kind = SP_PY_STRING, .at = offsetof(sp_param_info, path),
     .doc = "\"beam.young\", \"beam.region[0].young\", \"gravity.y\"; valid until the next call on this world"},
    {.name = "value", .kind = SP_PY_NUMBER, .at = offsetof(sp_param_info, value), .number = SP_PY_DOUBLE,
     .doc = "current value"},
    {.name = "spec", .kind = SP_PY_STRUCT, .at = offsetof(sp_param_info, spec), .of = &sp_py_struct_sp_param_spec,
     .doc = "its entry in the list of parameters"},
};
const sp_py_struct sp_py_struct_sp_param_info = {
    .name = "sp_param_info", .title = "souple.ParamInfo", .size = sizeof(sp_param_info), .fields = fields_sp_param_info, .count = 3,
    .initial = NULL, .record = true,
    .doc = "A parameter of a world that edits may change: all of the list except those with \"new-body\", for each body and region."};

static const sp_py_field fields_sp_step_info[] = {
    {.name = "status", .kind = SP_PY_STATUS, .at = offsetof(sp_step_info, status),
     .doc = "worst reservation"},
    {.name = "reservations", .kind = SP_PY_RESERVATIONS, .at = offsetof(sp_step_info, reservations),
     .doc = "all reservations: bit s stands for status s"},
    {.name = "step", .kind = SP_PY_NUMBER, .at = offsetof(sp_step_info, step), .number = SP_PY_UINT64,
     .doc = "number of steps"},
    {.name = "time", .kind = SP_PY_NUMBER, .at = offsetof(sp_step_info, time), .number = SP_PY_DOUBLE,
     .doc = "[s]"},
    {.name = "hash", .kind = SP_PY_NUMBER, .at = offsetof(sp_step_info, hash), .number = SP_PY_UINT64,
     .doc = "of the state tier, in user numbering"},
    {.name = "stage_ms", .kind = SP_PY_NUMBER, .at = offsetof(sp_step_info, stage_ms), .extent = sizeof ((sp_step_info *)0)->stage_ms / sizeof ((sp_step_info *)0)->stage_ms[0], .number = SP_PY_DOUBLE,
     .doc = "wall time of each stage"},
    {.name = "step_ms", .kind = SP_PY_NUMBER, .at = offsetof(sp_step_info, step_ms), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "event_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_step_info, event_count), .number = SP_PY_INT,
     .doc = ""},
};
const sp_py_struct sp_py_struct_sp_step_info = {
    .name = "sp_step_info", .title = "souple.StepInfo", .size = sizeof(sp_step_info), .fields = fields_sp_step_info, .count = 8,
    .initial = NULL, .record = true,
    .doc = "Report of a step."};

static const sp_py_field fields_sp_event[] = {
    {.name = "step", .kind = SP_PY_NUMBER, .at = offsetof(sp_event, step), .number = SP_PY_UINT64,
     .doc = ""},
    {.name = "time", .kind = SP_PY_NUMBER, .at = offsetof(sp_event, time), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "status", .kind = SP_PY_STATUS, .at = offsetof(sp_event, status),
     .doc = ""},
    {.name = "text", .kind = SP_PY_TEXT, .at = offsetof(sp_event, text), .extent = sizeof ((sp_event *)0)->text,
     .doc = ""},
};
const sp_py_struct sp_py_struct_sp_event = {
    .name = "sp_event", .title = "souple.Event", .size = sizeof(sp_event), .fields = fields_sp_event, .count = 4,
    .initial = NULL, .record = true,
    .doc = "A message of a step to the user. Events of the last step are kept."};

static const sp_py_field fields_sp_work[] = {
    {.name = "loads", .kind = SP_PY_NUMBER, .at = offsetof(sp_work, loads), .number = SP_PY_DOUBLE,
     .doc = "forces, tractions, pressure, torques, acceleration loads"},
    {.name = "pins", .kind = SP_PY_NUMBER, .at = offsetof(sp_work, pins), .number = SP_PY_DOUBLE,
     .doc = "prescribed motion, and springs that hold nodes"},
    {.name = "drags", .kind = SP_PY_NUMBER, .at = offsetof(sp_work, drags), .number = SP_PY_DOUBLE,
     .doc = "drags and springs, including their damping"},
    {.name = "contact", .kind = SP_PY_NUMBER, .at = offsetof(sp_work, contact), .number = SP_PY_DOUBLE,
     .doc = "friction, damping of contacts, moving rigid bodies, links"},
    {.name = "edits", .kind = SP_PY_NUMBER, .at = offsetof(sp_work, edits), .number = SP_PY_DOUBLE,
     .doc = "changes at a fixed state: parameters (also time-dependent ones), gravity, growth, direct changes of state"},
};
const sp_py_struct sp_py_struct_sp_work = {
    .name = "sp_work", .title = "souple.Work", .size = sizeof(sp_work), .fields = fields_sp_work, .count = 5,
    .initial = NULL, .record = true,
    .doc = "Work done on a body since its first step [J], by cause."};

static const sp_py_field fields_sp_body_info[] = {
    {.name = "id", .kind = SP_PY_BODY, .at = offsetof(sp_body_info, id),
     .doc = ""},
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_body_info, name),
     .doc = ""},
    {.name = "kind", .kind = SP_PY_STRING, .at = offsetof(sp_body_info, kind),
     .doc = "\"solid\", \"rod\", \"rigid\""},
    {.name = "nodes", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, nodes), .number = SP_PY_INT,
     .doc = "in [0, 2^31); 0: the body has none, and moves as a whole"},
    {.name = "elements", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, elements), .number = SP_PY_INT,
     .doc = "in [0, 2^31)"},
    {.name = "removed", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, removed), .number = SP_PY_INT,
     .doc = "elements that edits have removed, of `elements`"},
    {.name = "appended", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, appended), .number = SP_PY_INT,
     .doc = "elements that Body.append has added, the last of `elements`"},
    {.name = "cells", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, cells), .number = SP_PY_INT,
     .doc = "of Body.elements: those that divide the elements of a solid (docs/elements.md), else the elements"},
    {.name = "state", .kind = SP_PY_STRING, .at = offsetof(sp_body_info, state), .extent = sizeof ((sp_body_info *)0)->state / sizeof ((sp_body_info *)0)->state[0],
     .doc = "names of the fields that Body.set_state takes as positions and velocities; None: no field"},
    {.name = "frozen", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, frozen), .number = SP_PY_BOOL,
     .doc = "held at its last valid state, see one of \"stop\", \"freeze\""},
    {.name = "prescribed", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, prescribed), .number = SP_PY_BOOL,
     .doc = "moves by prescription only: forces and drags have no effect"},
    {.name = "kinematic", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_info, kinematic), .number = SP_PY_BOOL,
     .doc = "prescribed, and \"pose\" moves it"},
    {.name = "solve", .kind = SP_PY_STRUCT, .at = offsetof(sp_body_info, solve), .of = &sp_py_struct_sp_solve_info,
     .doc = "of the last step"},
    {.name = "solver", .kind = SP_PY_STRUCT, .at = offsetof(sp_body_info, solver), .of = &sp_py_struct_sp_solver_def,
     .doc = "with `auto` resolved"},
    {.name = "solver_why", .kind = SP_PY_STRING, .at = offsetof(sp_body_info, solver_why),
     .doc = "the reason of the choice, a sentence; empty: no choice"},
    {.name = "material_note", .kind = SP_PY_STRING, .at = offsetof(sp_body_info, material_note),
     .doc = "of a network of springs: the elastic material that it replaces; empty: nothing to tell"},
    {.name = "compliance_why", .kind = SP_PY_STRING, .at = offsetof(sp_body_info, compliance_why),
     .doc = "what `auto` is for its contacts by constraints, and why; empty: no choice"},
};
const sp_py_struct sp_py_struct_sp_body_info = {
    .name = "sp_body_info", .title = "souple.BodyInfo", .size = sizeof(sp_body_info), .fields = fields_sp_body_info, .count = 17,
    .initial = NULL, .record = true,
    .doc = "Description of a body. Strings are valid as long as the body exists."};

static const sp_py_field fields_sp_body_measures[] = {
    {.name = "mass", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, mass), .number = SP_PY_DOUBLE,
     .doc = "[kg], with point masses"},
    {.name = "rest_volume", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, rest_volume), .number = SP_PY_DOUBLE,
     .doc = "[m3]"},
    {.name = "volume", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, volume), .number = SP_PY_DOUBLE,
     .doc = "current [m3], signed sum over the elements"},
    {.name = "kinetic", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, kinetic), .number = SP_PY_DOUBLE,
     .doc = "[J]"},
    {.name = "elastic", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, elastic), .number = SP_PY_DOUBLE,
     .doc = "[J]; NaN: the material has no energy"},
    {.name = "potential", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, potential), .number = SP_PY_DOUBLE,
     .doc = "of gravity [J], relative to the first step"},
    {.name = "contact", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, contact), .number = SP_PY_DOUBLE,
     .doc = "stored in penalty contacts [J]"},
    {.name = "work", .kind = SP_PY_STRUCT, .at = offsetof(sp_body_measures, work), .of = &sp_py_struct_sp_work,
     .doc = "since the first step"},
    {.name = "energy_max", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, energy_max), .number = SP_PY_DOUBLE,
     .doc = "largest sum of kinetic, elastic, contact energy and range of the potential so far [J]"},
    {.name = "appeared", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, appeared), .number = SP_PY_DOUBLE,
     .doc = "spurious energy: largest rise of energy minus work above its previous minimum [J]; NaN: no energy"},
    {.name = "inverted", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, inverted), .number = SP_PY_INT,
     .doc = "elements with det F <= 0"},
    {.name = "volume_lost", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, volume_lost), .number = SP_PY_DOUBLE,
     .doc = "1 - volume / rest_volume"},
    {.name = "penetration", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, penetration), .number = SP_PY_DOUBLE,
     .doc = "deepest collision point below a rigid surface [m]"},
    {.name = "element_size", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, element_size), .number = SP_PY_DOUBLE,
     .doc = "edge of a regular tetrahedron of the mean rest volume; rod: cube root of that volume; free rigid body: root of the "
    "trace of the inertia over the mass, 0.7 edges of a cube [m]"},
    {.name = "momentum", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, momentum), .extent = sizeof ((sp_body_measures *)0)->momentum / sizeof ((sp_body_measures *)0)->momentum[0], .number = SP_PY_DOUBLE,
     .doc = "[kg m/s]"},
    {.name = "angular", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, angular), .extent = sizeof ((sp_body_measures *)0)->angular / sizeof ((sp_body_measures *)0)->angular[0], .number = SP_PY_DOUBLE,
     .doc = "[kg m2/s] about the origin of the world"},
    {.name = "displacement_max", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, displacement_max), .number = SP_PY_DOUBLE,
     .doc = "[m] from the rest shape"},
    {.name = "bytes", .kind = SP_PY_NUMBER, .at = offsetof(sp_body_measures, bytes), .number = SP_PY_SIZE,
     .doc = "memory of topology, parameters, state and cache"},
};
const sp_py_struct sp_py_struct_sp_body_measures = {
    .name = "sp_body_measures", .title = "souple.BodyMeasures", .size = sizeof(sp_body_measures), .fields = fields_sp_body_measures, .count = 18,
    .initial = NULL, .record = true,
    .doc = "Measures of a body at the current state."};

static const sp_py_field fields_sp_field_info[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_field_info, name),
     .doc = "\"von-mises\""},
    {.name = "label", .kind = SP_PY_STRING, .at = offsetof(sp_field_info, label),
     .doc = "display name: \"von Mises stress\""},
    {.name = "unit", .kind = SP_PY_STRING, .at = offsetof(sp_field_info, unit),
     .doc = "of the numbers: \"Pa\"; \"1\": dimensionless"},
    {.name = "meaning", .kind = SP_PY_STRING, .at = offsetof(sp_field_info, meaning),
     .doc = "a sentence without its full stop"},
    {.name = "axes", .kind = SP_PY_STRING, .at = offsetof(sp_field_info, axes),
     .doc = "names of the components, separated by spaces: \"x y z\"; empty: a scalar"},
    {.name = "shown_unit", .kind = SP_PY_STRING, .at = offsetof(sp_field_info, shown_unit),
     .doc = "on legends: \"deg\"; empty: dimensionless"},
    {.name = "shown_scale", .kind = SP_PY_NUMBER, .at = offsetof(sp_field_info, shown_scale), .number = SP_PY_DOUBLE,
     .doc = "number on the legend = shown_scale x number"},
    {.name = "low", .kind = SP_PY_NUMBER, .at = offsetof(sp_field_info, low), .number = SP_PY_DOUBLE,
     .doc = "range of the numbers, inclusive; may be infinite"},
    {.name = "high", .kind = SP_PY_NUMBER, .at = offsetof(sp_field_info, high), .number = SP_PY_DOUBLE,
     .doc = "range of the numbers, inclusive; may be infinite"},
    {.name = "values", .kind = SP_PY_WORD, .at = offsetof(sp_field_info, values), .words = &sp_py_words_sp_field_values,
     .doc = "whether the numbers may be averaged"},
    {.name = "on", .kind = SP_PY_WORD, .at = offsetof(sp_field_info, on), .words = &sp_py_words_sp_field_on,
     .doc = "what the items are"},
    {.name = "color", .kind = SP_PY_NUMBER, .at = offsetof(sp_field_info, color), .number = SP_PY_INT,
     .doc = "number among the fields that can colour surfaces, from 1; 0: not one of them"},
    {.name = "components", .kind = SP_PY_NUMBER, .at = offsetof(sp_field_info, components), .number = SP_PY_INT,
     .doc = "numbers per item"},
    {.name = "count", .kind = SP_PY_NUMBER, .at = offsetof(sp_field_info, count), .number = SP_PY_INT,
     .doc = "items of this body; 0 in the list of all fields"},
};
const sp_py_struct sp_py_struct_sp_field_info = {
    .name = "sp_field_info", .title = "souple.FieldInfo", .size = sizeof(sp_field_info), .fields = fields_sp_field_info, .count = 14,
    .initial = NULL, .record = true,
    .doc = "A field: numbers on the nodes or elements of a body, or of the body as a whole. In user numbering."};

static const sp_py_field fields_sp_mass_info[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_mass_info, name),
     .doc = "valid as long as the body exists"},
    {.name = "value", .kind = SP_PY_NUMBER, .at = offsetof(sp_mass_info, value), .number = SP_PY_DOUBLE,
     .doc = "[kg], total"},
    {.name = "inertia", .kind = SP_PY_NUMBER, .at = offsetof(sp_mass_info, inertia), .number = SP_PY_DOUBLE,
     .doc = "[kg m2], total"},
    {.name = "radius", .kind = SP_PY_NUMBER, .at = offsetof(sp_mass_info, radius), .number = SP_PY_DOUBLE,
     .doc = "of a steel ball (7850 kg/m3) with the mass of one point [m]: pictures and the page draw it"},
    {.name = "count", .kind = SP_PY_NUMBER, .at = offsetof(sp_mass_info, count), .number = SP_PY_INT,
     .doc = "number of points"},
    {.name = "at", .kind = SP_PY_ANCHORS, .at = offsetof(sp_mass_info, at), .width = 1, .count = (int)offsetof(sp_mass_info, count),
     .doc = "the points; valid as long as the body exists"},
};
const sp_py_struct sp_py_struct_sp_mass_info = {
    .name = "sp_mass_info", .title = "souple.MassInfo", .size = sizeof(sp_mass_info), .fields = fields_sp_mass_info, .count = 6,
    .initial = NULL, .record = true,
    .doc = "A point mass of a body."};

static const sp_py_field fields_sp_element_view[] = {
    {.name = "type", .kind = SP_PY_WORD, .at = offsetof(sp_element_view, type), .words = &sp_py_words_sp_element_type,
     .doc = ""},
    {.name = "nodes_per_element", .kind = SP_PY_NUMBER, .at = offsetof(sp_element_view, nodes_per_element), .number = SP_PY_INT,
     .doc = ""},
    {.name = "nodes", .kind = SP_PY_ARRAY, .at = offsetof(sp_element_view, nodes), .width = 1, .count = (int)offsetof(sp_element_view, count), .number = SP_PY_INT,
     .doc = "count x nodes_per_element; None if the caller gave no array for them"},
};
const sp_py_struct sp_py_struct_sp_element_view = {
    .name = "sp_element_view", .title = "souple.ElementView", .size = sizeof(sp_element_view), .fields = fields_sp_element_view, .count = 3,
    .initial = NULL, .record = true,
    .doc = "The elements or cells of a body, in user numbering."};

static const sp_py_field fields_sp_snapshot_link[] = {
    {.name = "link", .kind = SP_PY_LINK, .at = offsetof(sp_snapshot_link, link),
     .doc = "several points may belong to one link"},
    {.name = "bodies", .kind = SP_PY_BODY, .at = offsetof(sp_snapshot_link, bodies), .extent = sizeof ((sp_snapshot_link *)0)->bodies / sizeof ((sp_snapshot_link *)0)->bodies[0],
     .doc = "of `a` and `b`"},
    {.name = "a", .kind = SP_PY_NUMBER, .at = offsetof(sp_snapshot_link, a), .extent = sizeof ((sp_snapshot_link *)0)->a / sizeof ((sp_snapshot_link *)0)->a[0], .number = SP_PY_DOUBLE,
     .doc = "its positions on both sides [m]"},
    {.name = "b", .kind = SP_PY_NUMBER, .at = offsetof(sp_snapshot_link, b), .extent = sizeof ((sp_snapshot_link *)0)->b / sizeof ((sp_snapshot_link *)0)->b[0], .number = SP_PY_DOUBLE,
     .doc = "its positions on both sides [m]"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_snapshot_link, force), .extent = sizeof ((sp_snapshot_link *)0)->force / sizeof ((sp_snapshot_link *)0)->force[0], .number = SP_PY_DOUBLE,
     .doc = "on `a` in the last step [N]"},
};
const sp_py_struct sp_py_struct_sp_snapshot_link = {
    .name = "sp_snapshot_link", .title = "souple.SnapshotLink", .size = sizeof(sp_snapshot_link), .fields = fields_sp_snapshot_link, .count = 5,
    .initial = NULL, .record = true,
    .doc = "A tied point of a link in a snapshot."};

static const sp_py_field fields_sp_batch_memory[] = {
    {.name = "bytes", .kind = SP_PY_NUMBER, .at = offsetof(sp_batch_memory, bytes), .number = SP_PY_SIZE,
     .doc = "of all worlds together"},
    {.name = "constant", .kind = SP_PY_NUMBER, .at = offsetof(sp_batch_memory, constant), .number = SP_PY_SIZE,
     .doc = "of `bytes`: constant arrays, of which equal ones are stored once"},
    {.name = "lent", .kind = SP_PY_NUMBER, .at = offsetof(sp_batch_memory, lent), .number = SP_PY_SIZE,
     .doc = "of `bytes`: scratch that several worlds use one after the other"},
};
const sp_py_struct sp_py_struct_sp_batch_memory = {
    .name = "sp_batch_memory", .title = "souple.BatchMemory", .size = sizeof(sp_batch_memory), .fields = fields_sp_batch_memory, .count = 3,
    .initial = NULL, .record = true,
    .doc = "Memory of a batch."};

static const sp_py_field fields_sp_scene_options[] = {
    {.name = "allow_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_options, allow_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "memory_limit", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_options, memory_limit), .number = SP_PY_SIZE,
     .doc = "bytes that meshes and instances may need, checked before allocation; 0: 8 GiB"},
};
static void initial_sp_scene_options(void *out) {
    *(sp_scene_options *)out = sp_scene_options_default();
}
const sp_py_struct sp_py_struct_sp_scene_options = {
    .name = "sp_scene_options", .title = "souple.SceneOptions", .size = sizeof(sp_scene_options), .fields = fields_sp_scene_options, .count = 2,
    .initial = initial_sp_scene_options,
    .doc = "Options of reading a scene."};

static const sp_py_field fields_sp_scene_message[] = {
    {.name = "severity", .kind = SP_PY_WORD, .at = offsetof(sp_scene_message, severity), .words = &sp_py_words_sp_severity,
     .doc = ""},
    {.name = "file", .kind = SP_PY_STRING, .at = offsetof(sp_scene_message, file),
     .doc = ""},
    {.name = "line", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_message, line), .number = SP_PY_INT,
     .doc = "0: not from a file (--set)"},
    {.name = "text", .kind = SP_PY_STRING, .at = offsetof(sp_scene_message, text),
     .doc = "without file and line"},
};
const sp_py_struct sp_py_struct_sp_scene_message = {
    .name = "sp_scene_message", .title = "souple.SceneMessage", .size = sizeof(sp_scene_message), .fields = fields_sp_scene_message, .count = 4,
    .initial = NULL, .record = true,
    .doc = "A message of the reader about a scene. Pointers are valid as long as the scene exists."};

static const sp_py_field fields_sp_scene_info[] = {
    {.name = "file", .kind = SP_PY_STRING, .at = offsetof(sp_scene_info, file),
     .doc = "as the caller named it"},
    {.name = "text", .kind = SP_PY_STRING, .at = offsetof(sp_scene_info, text),
     .doc = "content, `size` bytes followed by a zero byte"},
    {.name = "size", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_info, size), .number = SP_PY_SIZE,
     .doc = ""},
    {.name = "set_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_info, set_count), .number = SP_PY_INT,
     .doc = "for Scene.sets"},
    {.name = "seed", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_info, seed), .number = SP_PY_UINT64,
     .doc = "of all random numbers of the scene"},
};
const sp_py_struct sp_py_struct_sp_scene_info = {
    .name = "sp_scene_info", .title = "souple.SceneInfo", .size = sizeof(sp_scene_info), .fields = fields_sp_scene_info, .count = 5,
    .initial = NULL, .record = true,
    .doc = "The source of a scene. Strings are valid as long as the scene exists."};

static const sp_py_field fields_sp_scene_output[] = {
    {.name = "element", .kind = SP_PY_STRING, .at = offsetof(sp_scene_output, element),
     .doc = "the element that writes it: \"record\" or \"inverse\""},
    {.name = "file", .kind = SP_PY_STRING, .at = offsetof(sp_scene_output, file),
     .doc = "as in the scene"},
};
const sp_py_struct sp_py_struct_sp_scene_output = {
    .name = "sp_scene_output", .title = "souple.SceneOutput", .size = sizeof(sp_scene_output), .fields = fields_sp_scene_output, .count = 2,
    .initial = NULL, .record = true,
    .doc = "A file that a run of the scene writes to its output folder."};

static const sp_py_field fields_sp_scene_choice[] = {
    {.name = "name", .kind = SP_PY_TEXT, .at = offsetof(sp_scene_choice, name), .extent = sizeof ((sp_scene_choice *)0)->name,
     .doc = "as a scene writes it"},
    {.name = "built", .kind = SP_PY_NUMBER, .at = offsetof(sp_scene_choice, built), .number = SP_PY_BOOL,
     .doc = "false: part of the language, but not in this build"},
};
const sp_py_struct sp_py_struct_sp_scene_choice = {
    .name = "sp_scene_choice", .title = "souple.SceneChoice", .size = sizeof(sp_scene_choice), .fields = fields_sp_scene_choice, .count = 2,
    .initial = NULL, .record = true,
    .doc = "A permitted value of an attribute of the scene language."};

static const sp_py_field fields_sp_import_options[] = {
    {.name = "out", .kind = SP_PY_STRING, .at = offsetof(sp_import_options, out),
     .doc = "path of the scene to write; its folder is that of the files beside it. Optional: \"scene.xml\""},
    {.name = "time", .kind = SP_PY_NUMBER, .at = offsetof(sp_import_options, time), .number = SP_PY_DOUBLE,
     .doc = "at which the new scene stops, > 0, default 1 [s]; SOFA's scenes have no end"},
};
static void initial_sp_import_options(void *out) {
    *(sp_import_options *)out = sp_import_options_default();
}
const sp_py_struct sp_py_struct_sp_import_options = {
    .name = "sp_import_options", .title = "souple.ImportOptions", .size = sizeof(sp_import_options), .fields = fields_sp_import_options, .count = 2,
    .initial = initial_sp_import_options,
    .doc = "Options of a conversion."};

static const sp_py_field fields_sp_import_note[] = {
    {.name = "fate", .kind = SP_PY_WORD, .at = offsetof(sp_import_note, fate), .words = &sp_py_words_sp_import_fate,
     .doc = ""},
    {.name = "file", .kind = SP_PY_STRING, .at = offsetof(sp_import_note, file),
     .doc = ""},
    {.name = "line", .kind = SP_PY_NUMBER, .at = offsetof(sp_import_note, line), .number = SP_PY_INT,
     .doc = ""},
    {.name = "component", .kind = SP_PY_STRING, .at = offsetof(sp_import_note, component),
     .doc = "its type, as in the scene of SOFA"},
    {.name = "text", .kind = SP_PY_STRING, .at = offsetof(sp_import_note, text),
     .doc = ""},
};
const sp_py_struct sp_py_struct_sp_import_note = {
    .name = "sp_import_note", .title = "souple.ImportNote", .size = sizeof(sp_import_note), .fields = fields_sp_import_note, .count = 5,
    .initial = NULL, .record = true,
    .doc = "A note about a component. Strings are valid as long as the import."};

static const sp_py_field fields_sp_run_options[] = {
    {.name = "backend", .kind = SP_PY_STRING, .at = offsetof(sp_run_options, backend),
     .doc = "overrides that of the scene; optional"},
    {.name = "time", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_options, time), .number = SP_PY_DOUBLE,
     .doc = "stop time instead of the stop condition of the scene [s]; <= 0: not set"},
    {.name = "steps", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_options, steps), .number = SP_PY_INT64,
     .doc = "number of steps instead of the stop condition of the scene; <= 0: not set"},
    {.name = "out", .kind = SP_PY_STRING, .at = offsetof(sp_run_options, out),
     .doc = "folder for records; optional: none are written"},
    {.name = "endless", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_options, endless), .number = SP_PY_BOOL,
     .doc = "no stop condition is required"},
    {.name = "resume", .kind = SP_PY_STRING, .at = offsetof(sp_run_options, resume),
     .doc = "checkpoint file of Run.save from which to continue; optional. Records in `out` are continued"},
};
static void initial_sp_run_options(void *out) {
    *(sp_run_options *)out = sp_run_options_default();
}
const sp_py_struct sp_py_struct_sp_run_options = {
    .name = "sp_run_options", .title = "souple.RunOptions", .size = sizeof(sp_run_options), .fields = fields_sp_run_options, .count = 6,
    .initial = initial_sp_run_options,
    .doc = "Values that override those of the scene."};

static const sp_py_field fields_sp_run_look[] = {
    {.name = "color", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_look, color), .extent = sizeof ((sp_run_look *)0)->color / sizeof ((sp_run_look *)0)->color[0], .number = SP_PY_DOUBLE,
     .doc = "in [0, 1]; default 0.8 0.8 0.8"},
    {.name = "opacity", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_look, opacity), .number = SP_PY_DOUBLE,
     .doc = "in [0, 1]; default 1"},
    {.name = "roughness", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_look, roughness), .number = SP_PY_DOUBLE,
     .doc = "in [0, 1]; default 0.6"},
    {.name = "metallic", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_look, metallic), .number = SP_PY_DOUBLE,
     .doc = "in [0, 1]; default 0"},
    {.name = "edges", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_look, edges), .number = SP_PY_BOOL,
     .doc = "lines on the edges of faces; default false"},
};
const sp_py_struct sp_py_struct_sp_run_look = {
    .name = "sp_run_look", .title = "souple.RunLook", .size = sizeof(sp_run_look), .fields = fields_sp_run_look, .count = 5,
    .initial = NULL, .record = true,
    .doc = "Appearance of a surface of a body."};

static const sp_py_field fields_sp_run_probe[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_run_probe, name),
     .doc = ""},
    {.name = "body", .kind = SP_PY_STRING, .at = offsetof(sp_run_probe, body),
     .doc = "optional"},
    {.name = "quantity_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_probe, quantity_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "values", .kind = SP_PY_ARRAY, .at = offsetof(sp_run_probe, values), .width = 1, .count = (int)offsetof(sp_run_probe, sample_count), .number = SP_PY_DOUBLE,
     .doc = "sample_count x sum of components"},
    {.name = "width", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_probe, width), .number = SP_PY_INT,
     .doc = "sum of components"},
};
const sp_py_struct sp_py_struct_sp_run_probe = {
    .name = "sp_run_probe", .title = "souple.RunProbe", .size = sizeof(sp_run_probe), .fields = fields_sp_run_probe, .count = 5,
    .initial = NULL, .record = true,
    .doc = "The samples of a probe so far. The numbers stay as they are until the run is destroyed; samples of later steps need a "
    "new call."};

static const sp_py_field fields_sp_run_column[] = {
    {.name = "name", .kind = SP_PY_TEXT, .at = offsetof(sp_run_column, name), .extent = sizeof ((sp_run_column *)0)->name,
     .doc = "\"position.x\""},
    {.name = "unit", .kind = SP_PY_STRING, .at = offsetof(sp_run_column, unit),
     .doc = "\"m\"; \"\" for none"},
};
const sp_py_struct sp_py_struct_sp_run_column = {
    .name = "sp_run_column", .title = "souple.RunColumn", .size = sizeof(sp_run_column), .fields = fields_sp_run_column, .count = 2,
    .initial = NULL, .record = true,
    .doc = "A column of the samples of a probe."};

static const sp_py_field fields_sp_run_claim[] = {
    {.name = "probe", .kind = SP_PY_STRING, .at = offsetof(sp_run_claim, probe),
     .doc = ""},
    {.name = "component", .kind = SP_PY_STRING, .at = offsetof(sp_run_claim, component),
     .doc = ""},
    {.name = "seen", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_claim, seen), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "value", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_claim, value), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "tolerance", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_claim, tolerance), .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "relative", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_claim, relative), .number = SP_PY_BOOL,
     .doc = ""},
    {.name = "held", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_claim, held), .number = SP_PY_BOOL,
     .doc = ""},
    {.name = "source", .kind = SP_PY_STRING, .at = offsetof(sp_run_claim, source),
     .doc = ""},
};
const sp_py_struct sp_py_struct_sp_run_claim = {
    .name = "sp_run_claim", .title = "souple.RunClaim", .size = sizeof(sp_run_claim), .fields = fields_sp_run_claim, .count = 8,
    .initial = NULL, .record = true,
    .doc = "An `expect` element of the scene: the observed and the expected value."};

static const sp_py_field fields_sp_run_inverse[] = {
    {.name = "unknown", .kind = SP_PY_STRING, .at = offsetof(sp_run_inverse, unknown),
     .doc = "path of the computed quantity"},
    {.name = "residual", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_inverse, residual), .number = SP_PY_DOUBLE,
     .doc = "largest displacement of a node in the first step, relative to the length of the rod"},
};
const sp_py_struct sp_py_struct_sp_run_inverse = {
    .name = "sp_run_inverse", .title = "souple.RunInverse", .size = sizeof(sp_run_inverse), .fields = fields_sp_run_inverse, .count = 2,
    .initial = NULL, .record = true,
    .doc = "An inverse problem that was solved before the first step."};

static const sp_py_field fields_sp_mesh_write_options[] = {
    {.name = "format", .kind = SP_PY_STRING, .at = offsetof(sp_mesh_write_options, format),
     .doc = "\"msh\", \"msh2\", \"vtk\", \"vtu\", \"tetgen\", \"obj\", \"stl\", \"ply\"; optional: by the suffix"},
    {.name = "encoding", .kind = SP_PY_WORD, .at = offsetof(sp_mesh_write_options, encoding), .words = &sp_py_words_sp_encoding,
     .doc = "default auto; an error if the format does not support it"},
    {.name = "compress", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_write_options, compress), .number = SP_PY_BOOL,
     .doc = "vtu: zlib. Default false"},
};
static void initial_sp_mesh_write_options(void *out) {
    *(sp_mesh_write_options *)out = sp_mesh_write_options_default();
}
const sp_py_struct sp_py_struct_sp_mesh_write_options = {
    .name = "sp_mesh_write_options", .title = "souple.MeshWriteOptions", .size = sizeof(sp_mesh_write_options), .fields = fields_sp_mesh_write_options, .count = 3,
    .initial = initial_sp_mesh_write_options,
    .doc = "Options of writing a mesh."};

static const sp_py_field fields_sp_mesh_file_content[] = {
    {.name = "format", .kind = SP_PY_STRING, .at = offsetof(sp_mesh_file_content, format),
     .doc = "\"Gmsh 4.1\""},
    {.name = "tetrahedra", .kind = SP_PY_NUMBER, .at = offsetof(sp_mesh_file_content, tetrahedra), .number = SP_PY_BOOL,
     .doc = "true: `mesh` has the volume cells and every node of the file; false: `surface` has triangles"},
};
const sp_py_struct sp_py_struct_sp_mesh_file_content = {
    .name = "sp_mesh_file_content", .title = "souple.MeshFileContent", .size = sizeof(sp_mesh_file_content), .fields = fields_sp_mesh_file_content, .count = 2,
    .initial = NULL, .record = true,
    .doc = "Content of a mesh file. Pointers are valid as long as the file is open."};

static const sp_py_field fields_sp_recording_info[] = {
    {.name = "frame_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, frame_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "body_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, body_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "scene", .kind = SP_PY_STRING, .at = offsetof(sp_recording_info, scene),
     .doc = "text of the scene"},
    {.name = "scene_size", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, scene_size), .number = SP_PY_SIZE,
     .doc = ""},
    {.name = "scene_path", .kind = SP_PY_STRING, .at = offsetof(sp_recording_info, scene_path),
     .doc = "file name of the scene as given by the caller: `name` of Scene.parse"},
    {.name = "set_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, set_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "version", .kind = SP_PY_STRING, .at = offsetof(sp_recording_info, version),
     .doc = "of the library that wrote it"},
    {.name = "backend", .kind = SP_PY_STRING, .at = offsetof(sp_recording_info, backend),
     .doc = ""},
    {.name = "dt", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, dt), .number = SP_PY_DOUBLE,
     .doc = "[s]"},
    {.name = "seed", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, seed), .number = SP_PY_UINT64,
     .doc = ""},
    {.name = "in_double", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, in_double), .number = SP_PY_BOOL,
     .doc = "numbers are stored as double; otherwise as float"},
    {.name = "visual", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, visual), .number = SP_PY_BOOL,
     .doc = "contains visual surfaces instead of mechanical meshes: Recording.show cannot use it"},
    {.name = "complete", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_info, complete), .number = SP_PY_BOOL,
     .doc = "the run closed it"},
    {.name = "edits", .kind = SP_PY_STRING, .at = offsetof(sp_recording_info, edits),
     .doc = "log of the edits up to the last frame, in the format of EditLog; empty: none"},
};
const sp_py_struct sp_py_struct_sp_recording_info = {
    .name = "sp_recording_info", .title = "souple.RecordingInfo", .size = sizeof(sp_recording_info), .fields = fields_sp_recording_info, .count = 14,
    .initial = NULL, .record = true,
    .doc = "Description of a recording and of its run."};

static const sp_py_field fields_sp_recording_frame[] = {
    {.name = "time", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_frame, time), .number = SP_PY_DOUBLE,
     .doc = "[s]"},
    {.name = "step", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_frame, step), .number = SP_PY_UINT64,
     .doc = ""},
    {.name = "hash", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_frame, hash), .number = SP_PY_UINT64,
     .doc = "of the state; 0 if interpolated"},
    {.name = "interpolated", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_frame, interpolated), .number = SP_PY_BOOL,
     .doc = "its time is between two steps"},
};
const sp_py_struct sp_py_struct_sp_recording_frame = {
    .name = "sp_recording_frame", .title = "souple.RecordingFrame", .size = sizeof(sp_recording_frame), .fields = fields_sp_recording_frame, .count = 4,
    .initial = NULL, .record = true,
    .doc = "One instant of a recording."};

static const sp_py_field fields_sp_recording_body[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_recording_body, name),
     .doc = ""},
    {.name = "kind", .kind = SP_PY_STRING, .at = offsetof(sp_recording_body, kind),
     .doc = "\"solid\", \"rod\", \"rigid\""},
};
const sp_py_struct sp_py_struct_sp_recording_body = {
    .name = "sp_recording_body", .title = "souple.RecordingBody", .size = sizeof(sp_recording_body), .fields = fields_sp_recording_body, .count = 2,
    .initial = NULL, .record = true,
    .doc = "A body of a recording and its recorded fields."};

static const sp_py_field fields_sp_recording_topology[] = {
    {.name = "revision", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_topology, revision), .number = SP_PY_INT,
     .doc = "from 0; another one: the cells may differ"},
    {.name = "node_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_topology, node_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "corners", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_topology, corners), .number = SP_PY_INT,
     .doc = "4, 2 or 3"},
    {.name = "cells", .kind = SP_PY_ARRAY, .at = offsetof(sp_recording_topology, cells), .width = 1, .count = (int)offsetof(sp_recording_topology, cell_count), .number = SP_PY_INT,
     .doc = "cell_count x corners"},
};
const sp_py_struct sp_py_struct_sp_recording_topology = {
    .name = "sp_recording_topology", .title = "souple.RecordingTopology", .size = sizeof(sp_recording_topology), .fields = fields_sp_recording_topology, .count = 4,
    .initial = NULL, .record = true,
    .doc = "Cells of a body at a frame: tetrahedra, lines along a rod, or triangles of a body without elements."};

static const sp_py_field fields_sp_recording_contact[] = {
    {.name = "bodies", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_contact, bodies), .extent = sizeof ((sp_recording_contact *)0)->bodies / sizeof ((sp_recording_contact *)0)->bodies[0], .number = SP_PY_INT,
     .doc = "indices of bodies of the recording; -1: a body that is not recorded"},
    {.name = "point", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_contact, point), .extent = sizeof ((sp_recording_contact *)0)->point / sizeof ((sp_recording_contact *)0)->point[0], .number = SP_PY_DOUBLE,
     .doc = "[m]"},
    {.name = "normal", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_contact, normal), .extent = sizeof ((sp_recording_contact *)0)->normal / sizeof ((sp_recording_contact *)0)->normal[0], .number = SP_PY_DOUBLE,
     .doc = "unit, from the second to the first body"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_contact, force), .extent = sizeof ((sp_recording_contact *)0)->force / sizeof ((sp_recording_contact *)0)->force[0], .number = SP_PY_DOUBLE,
     .doc = "on the first body [N]"},
    {.name = "gap", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_contact, gap), .number = SP_PY_DOUBLE,
     .doc = "[m]"},
    {.name = "pressure", .kind = SP_PY_NUMBER, .at = offsetof(sp_recording_contact, pressure), .number = SP_PY_DOUBLE,
     .doc = "[Pa]"},
};
const sp_py_struct sp_py_struct_sp_recording_contact = {
    .name = "sp_recording_contact", .title = "souple.RecordingContact", .size = sizeof(sp_recording_contact), .fields = fields_sp_recording_contact, .count = 6,
    .initial = NULL, .record = true,
    .doc = "A contact of a recorded frame, as in ContactPoint."};

static const sp_py_field fields_sp_run_record[] = {
    {.name = "file", .kind = SP_PY_STRING, .at = offsetof(sp_run_record, file),
     .doc = "as in the scene"},
    {.name = "path", .kind = SP_PY_STRING, .at = offsetof(sp_run_record, path),
     .doc = "path of the file; None: nothing is written"},
    {.name = "kind", .kind = SP_PY_STRING, .at = offsetof(sp_run_record, kind),
     .doc = "\"xdmf\", \"vtu\", \"obj\", \"ply\", \"png\", \"csv\""},
    {.name = "frames", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_record, frames), .number = SP_PY_INT64,
     .doc = "frames written"},
    {.name = "dropped", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_record, dropped), .number = SP_PY_INT64,
     .doc = "frames omitted because the disk is slow, with on-slow=\"drop\""},
    {.name = "bytes", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_record, bytes), .number = SP_PY_UINT64,
     .doc = "written so far"},
};
const sp_py_struct sp_py_struct_sp_run_record = {
    .name = "sp_run_record", .title = "souple.RunRecord", .size = sizeof(sp_run_record), .fields = fields_sp_run_record, .count = 6,
    .initial = NULL, .record = true,
    .doc = "A file that the run writes."};

static const sp_py_field fields_sp_run_recorder_def[] = {
    {.name = "path", .kind = SP_PY_STRING, .at = offsetof(sp_run_recorder_def, path),
     .doc = "ends in .xdmf; the .h5 file is written next to it"},
    {.name = "period", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_recorder_def, period), .number = SP_PY_DOUBLE,
     .doc = "shortest simulated time between two frames [s], >= 0; default 0: every step"},
    {.name = "quantity_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_recorder_def, quantity_count), .number = SP_PY_INT,
     .doc = ""},
    {.name = "edits", .kind = SP_PY_STRING, .at = offsetof(sp_run_recorder_def, edits),
     .doc = "lines of an edit log of the steps before, without its first line; optional"},
    {.name = "in_double", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_recorder_def, in_double), .number = SP_PY_BOOL,
     .doc = "default false: float"},
    {.name = "compress", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_recorder_def, compress), .number = SP_PY_BOOL,
     .doc = "default false"},
    {.name = "wait", .kind = SP_PY_NUMBER, .at = offsetof(sp_run_recorder_def, wait), .number = SP_PY_BOOL,
     .doc = "slow disk: wait for it; default false: frames are dropped and counted"},
};
static void initial_sp_run_recorder_def(void *out) {
    *(sp_run_recorder_def *)out = sp_run_recorder_def_default();
}
const sp_py_struct sp_py_struct_sp_run_recorder_def = {
    .name = "sp_run_recorder_def", .title = "souple.RunRecorderDef", .size = sizeof(sp_run_recorder_def), .fields = fields_sp_run_recorder_def, .count = 7,
    .initial = initial_sp_run_recorder_def,
    .doc = "What is recorded."};

static const sp_py_field fields_sp_picture_extent[] = {
    {.name = "low", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_extent, low), .extent = sizeof ((sp_picture_extent *)0)->low / sizeof ((sp_picture_extent *)0)->low[0], .number = SP_PY_DOUBLE,
     .doc = "[m]"},
    {.name = "high", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_extent, high), .extent = sizeof ((sp_picture_extent *)0)->high / sizeof ((sp_picture_extent *)0)->high[0], .number = SP_PY_DOUBLE,
     .doc = "[m]"},
    {.name = "least", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_extent, least), .number = SP_PY_DOUBLE,
     .doc = "in the unit of the field"},
    {.name = "greatest", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_extent, greatest), .number = SP_PY_DOUBLE,
     .doc = "in the unit of the field"},
    {.name = "force", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_extent, force), .number = SP_PY_DOUBLE,
     .doc = "largest force of one contact [N]"},
};
static void initial_sp_picture_extent(void *out) {
    *(sp_picture_extent *)out = sp_picture_extent_default();
}
const sp_py_struct sp_py_struct_sp_picture_extent = {
    .name = "sp_picture_extent", .title = "souple.PictureExtent", .size = sizeof(sp_picture_extent), .fields = fields_sp_picture_extent, .count = 5,
    .initial = initial_sp_picture_extent, .record = true,
    .doc = "The common extent of a series of pictures, so that neither the camera nor the colours jump: a box around everything "
    "visible, and the range of the displayed field. , which is empty."};

static const sp_py_field fields_sp_picture_opacity[] = {
    {.name = "body", .kind = SP_PY_STRING, .at = offsetof(sp_picture_opacity, body),
     .doc = "by name; None: every body"},
    {.name = "opacity", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_opacity, opacity), .number = SP_PY_DOUBLE,
     .doc = "in [0, 1]; 0: not drawn"},
};
const sp_py_struct sp_py_struct_sp_picture_opacity = {
    .name = "sp_picture_opacity", .title = "souple.PictureOpacity", .size = sizeof(sp_picture_opacity), .fields = fields_sp_picture_opacity, .count = 2,
    .initial = NULL, .record = true,
    .doc = "Opacity of a body, instead of that of its look."};

static const sp_py_field fields_sp_picture_def[] = {
    {.name = "width", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, width), .number = SP_PY_INT,
     .doc = "pixels, 16..16384, default 1280 x 720"},
    {.name = "height", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, height), .number = SP_PY_INT,
     .doc = "pixels, 16..16384, default 1280 x 720"},
    {.name = "at", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, at), .extent = sizeof ((sp_picture_def *)0)->at / sizeof ((sp_picture_def *)0)->at[0], .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "to", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, to), .extent = sizeof ((sp_picture_def *)0)->to / sizeof ((sp_picture_def *)0)->to[0], .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "up", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, up), .extent = sizeof ((sp_picture_def *)0)->up / sizeof ((sp_picture_def *)0)->up[0], .number = SP_PY_DOUBLE,
     .doc = ""},
    {.name = "fitted", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, fitted), .number = SP_PY_BOOL,
     .doc = "camera from the bounds of all bodies (default); otherwise at, to, up"},
    {.name = "fov", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, fov), .number = SP_PY_DOUBLE,
     .doc = "vertical [deg], default 40"},
    {.name = "azimuth", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, azimuth), .number = SP_PY_DOUBLE,
     .doc = "fitted: angle of the camera about `up`, 0 in front [deg]; NaN (default): the broad side"},
    {.name = "elevation", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, elevation), .number = SP_PY_DOUBLE,
     .doc = "fitted: angle above the horizon, in [-90, 90] [deg]; NaN (default): slightly from above"},
    {.name = "orbit", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, orbit), .number = SP_PY_DOUBLE,
     .doc = "rotates the camera about `up` around its target [deg], default 0"},
    {.name = "background", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, background), .extent = sizeof ((sp_picture_def *)0)->background / sizeof ((sp_picture_def *)0)->background[0], .number = SP_PY_DOUBLE,
     .doc = "default 1 1 1"},
    {.name = "color_by", .kind = SP_PY_STRING, .at = offsetof(sp_picture_def, color_by),
     .doc = "optional: looks; or \"displacement\", \"velocity\", \"von-mises\", \"rotation\", \"refresh\", \"region\", "
    "\"contact-pressure\""},
    {.name = "range", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, range), .extent = sizeof ((sp_picture_def *)0)->range / sizeof ((sp_picture_def *)0)->range[0], .number = SP_PY_DOUBLE,
     .doc = "of the colours; NaN (default): that of the scene, or of the visible values"},
    {.name = "title", .kind = SP_PY_STRING, .at = offsetof(sp_picture_def, title),
     .doc = "optional"},
    {.name = "note", .kind = SP_PY_STRING, .at = offsetof(sp_picture_def, note),
     .doc = "a line below the title; optional: time and step"},
    {.name = "clip", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, clip), .number = SP_PY_BOOL,
     .doc = "a clipping plane: what clip_normal points to is not drawn, caps close the cut. Default false"},
    {.name = "clip_point", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, clip_point), .extent = sizeof ((sp_picture_def *)0)->clip_point / sizeof ((sp_picture_def *)0)->clip_point[0], .number = SP_PY_DOUBLE,
     .doc = "a point of the plane [m]; NaN (default): the centre of the bodies"},
    {.name = "clip_normal", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, clip_normal), .extent = sizeof ((sp_picture_def *)0)->clip_normal / sizeof ((sp_picture_def *)0)->clip_normal[0], .number = SP_PY_DOUBLE,
     .doc = "any length but 0, default 0 0 1"},
    {.name = "interfaces", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, interfaces), .number = SP_PY_BOOL,
     .doc = "draw the faces between regions of solids, whose surfaces are then transparent. Default false"},
    {.name = "contacts", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, contacts), .number = SP_PY_BOOL,
     .doc = "draw contacts by constraints: points, and arrows for their forces. Default false"},
    {.name = "links", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, links), .number = SP_PY_BOOL,
     .doc = "draw links: points, and lines between their two sides. Default false"},
    {.name = "plain", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, plain), .number = SP_PY_BOOL,
     .doc = "without title, note and colour bar; default false"},
    {.name = "extent", .kind = SP_PY_ONE, .at = offsetof(sp_picture_def, extent), .of = &sp_py_struct_sp_picture_extent,
     .doc = "of a series; optional: of this picture alone"},
    {.name = "opacities", .kind = SP_PY_ONE, .at = offsetof(sp_picture_def, opacities), .of = &sp_py_struct_sp_picture_opacity, .alias = "opacitie",
     .doc = ""},
    {.name = "opacity_count", .kind = SP_PY_NUMBER, .at = offsetof(sp_picture_def, opacity_count), .number = SP_PY_INT,
     .doc = ""},
};
static void initial_sp_picture_def(void *out) {
    *(sp_picture_def *)out = sp_picture_def_default();
}
const sp_py_struct sp_py_struct_sp_picture_def = {
    .name = "sp_picture_def", .title = "souple.PictureDef", .size = sizeof(sp_picture_def), .fields = fields_sp_picture_def, .count = 25,
    .initial = initial_sp_picture_def, .record = true,
    .doc = "Definition of a picture. or Run.camera. Strings and lists are borrowed for the call."};

static const sp_py_field fields_sp_gltf_options[] = {
    {.name = "normals", .kind = SP_PY_NUMBER, .at = offsetof(sp_gltf_options, normals), .number = SP_PY_BOOL,
     .doc = "those of smooth surfaces; without, viewers draw facets and the file is half as large. Default true"},
};
static void initial_sp_gltf_options(void *out) {
    *(sp_gltf_options *)out = sp_gltf_options_default();
}
const sp_py_struct sp_py_struct_sp_gltf_options = {
    .name = "sp_gltf_options", .title = "souple.GltfOptions", .size = sizeof(sp_gltf_options), .fields = fields_sp_gltf_options, .count = 1,
    .initial = initial_sp_gltf_options,
    .doc = "Options of a glTF file."};

static const sp_py_field fields_sp_section_faces[] = {
    {.name = "positions", .kind = SP_PY_ARRAY, .at = offsetof(sp_section_faces, positions), .width = 3, .count = (int)offsetof(sp_section_faces, vertex_count), .number = SP_PY_DOUBLE,
     .doc = "vertex_count x 3 [m]"},
    {.name = "faces", .kind = SP_PY_ARRAY, .at = offsetof(sp_section_faces, faces), .width = 3, .count = (int)offsetof(sp_section_faces, face_count), .number = SP_PY_UINT,
     .doc = "face_count x 3, counter-clockwise seen from where the normal points"},
};
const sp_py_struct sp_py_struct_sp_section_faces = {
    .name = "sp_section_faces", .title = "souple.SectionFaces", .size = sizeof(sp_section_faces), .fields = fields_sp_section_faces, .count = 2,
    .initial = NULL, .record = true,
    .doc = "A cross section: the triangles in which a plane cuts the tetrahedra. Triangles of one region share their vertices, "
    "unless the values of the field must not be averaged. The arrays are valid until the next call for the same section."};

static const sp_py_field fields_sp_plot_series[] = {
    {.name = "name", .kind = SP_PY_STRING, .at = offsetof(sp_plot_series, name),
     .doc = "in the legend"},
    {.name = "x", .kind = SP_PY_ARRAY, .at = offsetof(sp_plot_series, x), .width = 1, .count = (int)offsetof(sp_plot_series, count), .number = SP_PY_DOUBLE,
     .doc = "values that are not finite, or not positive on a log axis, are skipped"},
    {.name = "y", .kind = SP_PY_ARRAY, .at = offsetof(sp_plot_series, y), .width = 1, .count = (int)offsetof(sp_plot_series, count), .number = SP_PY_DOUBLE,
     .doc = "values that are not finite, or not positive on a log axis, are skipped"},
    {.name = "marks", .kind = SP_PY_NUMBER, .at = offsetof(sp_plot_series, marks), .number = SP_PY_BOOL,
     .doc = "a dot at every point; default false"},
    {.name = "dashed", .kind = SP_PY_NUMBER, .at = offsetof(sp_plot_series, dashed), .number = SP_PY_BOOL,
     .doc = "default false"},
};
const sp_py_struct sp_py_struct_sp_plot_series = {
    .name = "sp_plot_series", .title = "souple.PlotSeries", .size = sizeof(sp_plot_series), .fields = fields_sp_plot_series, .count = 5,
    .initial = NULL,
    .doc = "Points of one line, area or group of bars. Pointers are borrowed for the call."};

static const sp_py_field fields_sp_plot[] = {
    {.name = "title", .kind = SP_PY_STRING, .at = offsetof(sp_plot, title),
     .doc = "optional: none"},
    {.name = "x_label", .kind = SP_PY_STRING, .at = offsetof(sp_plot, x_label),
     .doc = "optional: none"},
    {.name = "y_label", .kind = SP_PY_STRING, .at = offsetof(sp_plot, y_label),
     .doc = "optional: none"},
    {.name = "log_x", .kind = SP_PY_NUMBER, .at = offsetof(sp_plot, log_x), .number = SP_PY_BOOL,
     .doc = "log10 axes; default false"},
    {.name = "log_y", .kind = SP_PY_NUMBER, .at = offsetof(sp_plot, log_y), .number = SP_PY_BOOL,
     .doc = "log10 axes; default false"},
    {.name = "series", .kind = SP_PY_STRUCTS, .at = offsetof(sp_plot, series), .width = 1, .count = (int)offsetof(sp_plot, series_count), .of = &sp_py_struct_sp_plot_series, .alias = "serie",
     .doc = "borrowed for the call"},
    {.name = "kind", .kind = SP_PY_WORD, .at = offsetof(sp_plot, kind), .words = &sp_py_words_sp_plot_kind,
     .doc = "default lines"},
    {.name = "free_y", .kind = SP_PY_NUMBER, .at = offsetof(sp_plot, free_y), .number = SP_PY_BOOL,
     .doc = "lines: the y axis may exclude zero; default false"},
};
const sp_py_struct sp_py_struct_sp_plot = {
    .name = "sp_plot", .title = "souple.Plot", .size = sizeof(sp_plot), .fields = fields_sp_plot, .count = 8,
    .initial = NULL,
    .doc = "One panel, 860 x 430 units. A zero-initialised one has linear axes and no series."};

static const sp_py_field fields_sp_fclib_matrix[] = {
    {.name = "rows", .kind = SP_PY_NUMBER, .at = offsetof(sp_fclib_matrix, rows), .number = SP_PY_INT,
     .doc = ""},
    {.name = "columns", .kind = SP_PY_NUMBER, .at = offsetof(sp_fclib_matrix, columns), .number = SP_PY_INT,
     .doc = ""},
};
const sp_py_struct sp_py_struct_sp_fclib_matrix = {
    .name = "sp_fclib_matrix", .title = "souple.FclibMatrix", .size = sizeof(sp_fclib_matrix), .fields = fields_sp_fclib_matrix, .count = 2,
    .initial = NULL, .record = true,
    .doc = "A sparse matrix by rows: row i has the entries [start[i], start[i + 1]); entries of the same place add up. start None: "
    "the problem has no such matrix."};

static const sp_py_field fields_sp_fclib_problem[] = {
    {.name = "global_", .kind = SP_PY_NUMBER, .at = offsetof(sp_fclib_problem, global), .number = SP_PY_BOOL,
     .doc = "else local"},
    {.name = "dimension", .kind = SP_PY_NUMBER, .at = offsetof(sp_fclib_problem, dimension), .number = SP_PY_INT,
     .doc = "2 or 3 rows per contact"},
    {.name = "contacts", .kind = SP_PY_NUMBER, .at = offsetof(sp_fclib_problem, contacts), .number = SP_PY_INT,
     .doc = "number of contacts"},
    {.name = "equalities", .kind = SP_PY_NUMBER, .at = offsetof(sp_fclib_problem, equalities), .number = SP_PY_INT,
     .doc = "number of equality constraints; 0: no V, R, s, G and b"},
    {.name = "W", .kind = SP_PY_STRUCT, .at = offsetof(sp_fclib_problem, W), .of = &sp_py_struct_sp_fclib_matrix,
     .doc = "local"},
    {.name = "V", .kind = SP_PY_STRUCT, .at = offsetof(sp_fclib_problem, V), .of = &sp_py_struct_sp_fclib_matrix,
     .doc = "local"},
    {.name = "R", .kind = SP_PY_STRUCT, .at = offsetof(sp_fclib_problem, R), .of = &sp_py_struct_sp_fclib_matrix,
     .doc = "local"},
    {.name = "M", .kind = SP_PY_STRUCT, .at = offsetof(sp_fclib_problem, M), .of = &sp_py_struct_sp_fclib_matrix,
     .doc = "global"},
    {.name = "H", .kind = SP_PY_STRUCT, .at = offsetof(sp_fclib_problem, H), .of = &sp_py_struct_sp_fclib_matrix,
     .doc = "global"},
    {.name = "G", .kind = SP_PY_STRUCT, .at = offsetof(sp_fclib_problem, G), .of = &sp_py_struct_sp_fclib_matrix,
     .doc = "global"},
};
const sp_py_struct sp_py_struct_sp_fclib_problem = {
    .name = "sp_fclib_problem", .title = "souple.FclibProblem", .size = sizeof(sp_fclib_problem), .fields = fields_sp_fclib_problem, .count = 10,
    .initial = NULL, .record = true,
    .doc = "A frictional contact problem in the form of FCLIB, the library of such problems of Siconos (Acary et al. 2014). Rows of "
    "contact i are `dimension` i (normal) and the following (tangents). A local problem is u = W r + V l + q, 0 = V^T r + R "
    "l + s, a global one M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b; l are multipliers of equality constraints. "
    "Vectors that the form does not have are None."};

static const sp_py_field fields_sp_fclib_solution[] = {
};
const sp_py_struct sp_py_struct_sp_fclib_solution = {
    .name = "sp_fclib_solution", .title = "souple.FclibSolution", .size = sizeof(sp_fclib_solution), .fields = fields_sp_fclib_solution, .count = 0,
    .initial = NULL,
    .doc = "A solution to write beside a problem. Optional: each vector."};

const sp_py_struct *const sp_py_structs[] = {
    &sp_py_struct_sp_pose,
    &sp_py_struct_sp_selection,
    &sp_py_struct_sp_mesh_stats,
    &sp_py_struct_sp_examine_options,
    &sp_py_struct_sp_mesh_repairs,
    &sp_py_struct_sp_fill_def,
    &sp_py_struct_sp_fill_info,
    &sp_py_struct_sp_integrator_def,
    &sp_py_struct_sp_automatic_options,
    &sp_py_struct_sp_cg_options,
    &sp_py_struct_sp_pcg_options,
    &sp_py_struct_sp_cholesky_options,
    &sp_py_struct_sp_updated_options,
    &sp_py_struct_sp_solver_def,
    &sp_py_struct_sp_solve_info,
    &sp_py_struct_sp_material,
    &sp_py_struct_sp_solid_law,
    &sp_py_struct_sp_moduli,
    &sp_py_struct_sp_fix,
    &sp_py_struct_sp_move,
    &sp_py_struct_sp_anchor,
    &sp_py_struct_sp_load,
    &sp_py_struct_sp_spring_def,
    &sp_py_struct_sp_mass_def,
    &sp_py_struct_sp_eigenstrain,
    &sp_py_struct_sp_eigenstrains,
    &sp_py_struct_sp_solid_def,
    &sp_py_struct_sp_rigid_shape,
    &sp_py_struct_sp_rigid_def,
    &sp_py_struct_sp_rigid_mass,
    &sp_py_struct_sp_rod_section,
    &sp_py_struct_sp_rod_strand,
    &sp_py_struct_sp_rod_grow,
    &sp_py_struct_sp_rod_feed,
    &sp_py_struct_sp_rod_def,
    &sp_py_struct_sp_surface_def,
    &sp_py_struct_sp_rod_cross_section,
    &sp_py_struct_sp_surface_info,
    &sp_py_struct_sp_surface_contact_def,
    &sp_py_struct_sp_distance_field_info,
    &sp_py_struct_sp_contact_solver_def,
    &sp_py_struct_sp_contact_def,
    &sp_py_struct_sp_contact_part,
    &sp_py_struct_sp_contact_pair_def,
    &sp_py_struct_sp_contact_point,
    &sp_py_struct_sp_contact_sum,
    &sp_py_struct_sp_open_surface,
    &sp_py_struct_sp_link_part,
    &sp_py_struct_sp_link_def,
    &sp_py_struct_sp_link_info,
    &sp_py_struct_sp_link_point,
    &sp_py_struct_sp_world_def,
    &sp_py_struct_sp_edit,
    &sp_py_struct_sp_addition,
    &sp_py_struct_sp_param_spec,
    &sp_py_struct_sp_param_info,
    &sp_py_struct_sp_step_info,
    &sp_py_struct_sp_event,
    &sp_py_struct_sp_work,
    &sp_py_struct_sp_body_info,
    &sp_py_struct_sp_body_measures,
    &sp_py_struct_sp_field_info,
    &sp_py_struct_sp_mass_info,
    &sp_py_struct_sp_element_view,
    &sp_py_struct_sp_snapshot_link,
    &sp_py_struct_sp_batch_memory,
    &sp_py_struct_sp_scene_options,
    &sp_py_struct_sp_scene_message,
    &sp_py_struct_sp_scene_info,
    &sp_py_struct_sp_scene_output,
    &sp_py_struct_sp_scene_choice,
    &sp_py_struct_sp_import_options,
    &sp_py_struct_sp_import_note,
    &sp_py_struct_sp_run_options,
    &sp_py_struct_sp_run_look,
    &sp_py_struct_sp_run_probe,
    &sp_py_struct_sp_run_column,
    &sp_py_struct_sp_run_claim,
    &sp_py_struct_sp_run_inverse,
    &sp_py_struct_sp_mesh_write_options,
    &sp_py_struct_sp_mesh_file_content,
    &sp_py_struct_sp_recording_info,
    &sp_py_struct_sp_recording_frame,
    &sp_py_struct_sp_recording_body,
    &sp_py_struct_sp_recording_topology,
    &sp_py_struct_sp_recording_contact,
    &sp_py_struct_sp_run_record,
    &sp_py_struct_sp_run_recorder_def,
    &sp_py_struct_sp_picture_extent,
    &sp_py_struct_sp_picture_opacity,
    &sp_py_struct_sp_picture_def,
    &sp_py_struct_sp_gltf_options,
    &sp_py_struct_sp_section_faces,
    &sp_py_struct_sp_plot_series,
    &sp_py_struct_sp_plot,
    &sp_py_struct_sp_fclib_matrix,
    &sp_py_struct_sp_fclib_problem,
    &sp_py_struct_sp_fclib_solution,
    NULL};
const sp_py_words *const sp_py_all_words[] = {
    &sp_py_words_sp_compliance_type,
    &sp_py_words_sp_contact_broad,
    &sp_py_words_sp_contact_cone,
    &sp_py_words_sp_contact_feature,
    &sp_py_words_sp_contact_formulation,
    &sp_py_words_sp_contact_law,
    &sp_py_words_sp_contact_local,
    &sp_py_words_sp_contact_method,
    &sp_py_words_sp_contact_strategy,
    &sp_py_words_sp_edit_type,
    &sp_py_words_sp_element_type,
    &sp_py_words_sp_encoding,
    &sp_py_words_sp_factor_kind,
    &sp_py_words_sp_factor_precision,
    &sp_py_words_sp_field_on,
    &sp_py_words_sp_field_values,
    &sp_py_words_sp_grow_mode,
    &sp_py_words_sp_import_fate,
    &sp_py_words_sp_integration,
    &sp_py_words_sp_integrator_type,
    &sp_py_words_sp_link_guide,
    &sp_py_words_sp_link_state,
    &sp_py_words_sp_link_type,
    &sp_py_words_sp_load_type,
    &sp_py_words_sp_log_level,
    &sp_py_words_sp_mass_matrix,
    &sp_py_words_sp_material_model,
    &sp_py_words_sp_neo_hookean_form,
    &sp_py_words_sp_on_failure,
    &sp_py_words_sp_on_limit,
    &sp_py_words_sp_operator_type,
    &sp_py_words_sp_ordering,
    &sp_py_words_sp_param_price,
    &sp_py_words_sp_plot_kind,
    &sp_py_words_sp_preconditioner,
    &sp_py_words_sp_refresh_policy,
    &sp_py_words_sp_rod_model,
    &sp_py_words_sp_rotation,
    &sp_py_words_sp_select_kind,
    &sp_py_words_sp_severity,
    &sp_py_words_sp_shape,
    &sp_py_words_sp_shape_type,
    &sp_py_words_sp_solver_type,
    &sp_py_words_sp_stabilisation,
    &sp_py_words_sp_surface_side,
    &sp_py_words_sp_tangent,
    &sp_py_words_sp_tensor_law,
    &sp_py_words_sp_volumetric,
    &sp_py_words_axes,
    &sp_py_words_roles,
    &sp_py_words_ends,
    NULL};
