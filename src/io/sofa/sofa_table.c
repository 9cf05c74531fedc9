// The components of SOFA that scenes of soft bodies use: what each becomes. docs/sofa.md has the same list.
#include "io/sofa/sofa.h"

static const char no_plugins[] = "all parts are built in";
static const char one_loop[] = "there is one loop; contact by constraints moves freely and then corrects";
static const char from_mesh[] = "a mesh knows its edges, faces and neighbours";
static const char found[] = "detection needs no choice of phases";
static const char for_screen[] = "for the screen only";
static const char output[] = "write a probe or a record instead";
static const char by_mouse[] = "the page drags every body";

static const sofa_component components[] = {
    {"MechanicalObject/MechanicalState", SOFA_STATE, "solid, rod or rigid", NULL},
    // meshes
    {"MeshGmshLoader/MeshVTKLoader/MeshOBJLoader/MeshObjLoader/MeshSTLLoader/MeshXspLoader/MeshOffLoader/GIDMeshLoader",
     SOFA_LOADER, "mesh, or the file of a surface", NULL},
    {"RegularGridTopology/RegularGrid", SOFA_GRID, "box, or a mesh file with the same tetrahedra", NULL},
    {"CylinderGridTopology/CylinderGrid", SOFA_GRID, "a mesh file with the same nodes and elements", "cylinder"},
    {"SphereGridTopology/SphereGrid", SOFA_GRID, "a mesh file with the same nodes and elements", "sphere"},
    {"SparseGridTopology/SparseGrid/SparseGridMultipleTopology/SparseGridRamificationTopology", SOFA_SPARSE_GRID,
     "a mesh file of the hexahedra that the surface touches", NULL},
    {"MeshTopology/Mesh/DynamicMeshTopology/TetrahedronSetTopologyContainer/HexahedronSetTopologyContainer/"
     "TriangleSetTopologyContainer/"
     "QuadSetTopologyContainer/EdgeSetTopologyContainer/PointSetTopologyContainer/CubeTopology",
     SOFA_CONTAINER, "the mesh of its body", NULL},
    {"Hexa2TetraTopologicalMapping", SOFA_SPLIT, "the same six tetrahedra of each hexahedron", NULL},
    {"Tetra2TriangleTopologicalMapping/Hexa2QuadTopologicalMapping/Quad2TriangleTopologicalMapping/"
     "Triangle2EdgeTopologicalMapping/Edge2QuadTopologicalMapping/CenterPointTopologicalMapping/SubsetTopologicalMapping",
     SOFA_BORDER, "surface without a file: the boundary of the mesh", NULL},
    {"TetrahedronSetTopologyModifier/TetrahedronSetGeometryAlgorithms/TetrahedronSetTopologyAlgorithms/"
     "HexahedronSetTopologyModifier/HexahedronSetGeometryAlgorithms/HexahedronSetTopologyAlgorithms/"
     "TriangleSetTopologyModifier/TriangleSetGeometryAlgorithms/TriangleSetTopologyAlgorithms/QuadSetTopologyModifier/"
     "QuadSetGeometryAlgorithms/QuadSetTopologyAlgorithms/EdgeSetTopologyModifier/EdgeSetGeometryAlgorithms/"
     "EdgeSetTopologyAlgorithms/PointSetTopologyModifier/PointSetGeometryAlgorithms",
     SOFA_NOT_NEEDED, from_mesh, NULL},
    // masses
    {"UniformMass", SOFA_MASS, "density: the same total mass, by volume instead of equal at the nodes", NULL},
    {"DiagonalMass/NodalMassDensity", SOFA_MASS, "density, lumped", NULL},
    {"FEMMass", SOFA_NOT_NEEDED, "the density of the body is its mass", NULL},
    {"MeshMatrixMass", SOFA_MASS, "density, consistent unless lumping", NULL},
    // materials
    {"TetrahedronFEMForceField/TetraFEMForceField/ParallelTetrahedronFEMForceField", SOFA_ELASTIC,
     "material corotational or linear, young, poisson", "large"},
    {"FastTetrahedralCorotationalForceField/FastTetrahedronCorotationalForceField", SOFA_ELASTIC,
     "material corotational or linear, young, poisson", "qr"},
    {"TetrahedralCorotationalFEMForceField/TetrahedronCorotationalFEMForceField", SOFA_ELASTIC,
     "material corotational or linear, young, poisson", "large"},
    {"HexahedronFEMForceField/ParallelHexahedronFEMForceField/HexahedralFEMForceField/HexahedronFEMForceFieldAndMass/"
     "HexahedralFEMForceFieldAndMass",
     SOFA_ELASTIC, "material corotational or linear on hexahedra", "hexahedra"},
    {"CorotationalFEMForceField", SOFA_ELASTIC, "material corotational on the elements of its template", "template"},
    {"LinearSmallStrainFEMForceField", SOFA_ELASTIC, "material linear on the elements of its template", "template"},
    {"TriangularFEMForceField/TriangularFEMForceFieldOptim/TriangleFEMForceField", SOFA_MEMBRANE,
     "thickness 1 and material corotational or linear: a membrane with the moduli and the mass of its area", NULL},
    {"TetrahedronHyperelasticityFEMForceField/StandardTetrahedralFEMForceField", SOFA_HYPERELASTIC,
     "the law of the same name with its constants", NULL},
    {"TetrahedralTensorMassForceField", SOFA_TENSOR_MASS, "material tensor-mass with law hooke", NULL},
    {"MeshSpringForceField/RegularGridSpringForceField", SOFA_SPRINGS, "material mass-spring, stiffness matched in the mean",
     NULL},
    {"StiffSpringForceField/SpringForceField", SOFA_PAIR_SPRINGS, "attach type spring", NULL},
    {"RestShapeSpringsForceField/FixedWeakConstraint", SOFA_REST_SPRINGS, "fix with stiffness", NULL},
    {"BeamFEMForceField/AdaptiveBeamForceFieldAndMass", SOFA_BEAM, "rod model beam", NULL},
    {"BeamInterpolation", SOFA_BEAM_SHAPE, "section and moduli of a rod", NULL},
    // conditions
    {"FixedProjectiveConstraint/FixedConstraint/FixedLagrangianConstraint", SOFA_FIX, "fix", NULL},
    {"BoxConstraint", SOFA_FIX_BOX, "fix", NULL},
    {"FixedPlaneProjectiveConstraint/FixedPlaneConstraint", SOFA_FIX_PLANE, "fix of one axis", NULL},
    {"FixedLagrangianConstraint", SOFA_FIX, "fix, exact", NULL},
    {"PartialFixedProjectiveConstraint/PartialFixedConstraint", SOFA_FIX_AXES, "fix of some axes", NULL},
    {"PointProjectiveConstraint/ProjectToPointConstraint", SOFA_PROJECT, "fix", "point"},
    {"LineProjectiveConstraint/ProjectToLineConstraint", SOFA_PROJECT, "fix of two axes", "line"},
    {"PlaneProjectiveConstraint/ProjectToPlaneConstraint", SOFA_PROJECT, "fix of one axis", "plane"},
    {"LinearMovementProjectiveConstraint/LinearMovementConstraint", SOFA_MOVE, "move with keys", NULL},
    {"AttachProjectiveConstraint/AttachConstraint", SOFA_WELD, "attach type weld", NULL},
    {"BilateralLagrangianConstraint/BilateralInteractionConstraint", SOFA_JOIN, "attach type weld", NULL},
    {"BoxROI", SOFA_ROI_BOX, "the selection of those that use it", NULL},
    {"SphereROI", SOFA_ROI_SPHERE, "the selection of those that use it", NULL},
    {"IndexValueMapper", SOFA_VALUES, "a data element with a value for each element", NULL},
    {"TransformEngine", SOFA_TRANSFORM, "part of the placement of its body", NULL},
    // loads
    {"ConstantForceField", SOFA_FORCE, "load", NULL},
    {"SurfacePressureForceField", SOFA_PRESSURE, "load with pressure", NULL},
    {"TrianglePressureForceField", SOFA_TRACTION, "load with traction", NULL},
    {"PlaneForceField", SOFA_PLANE, "a fixed plane and penalty contact", NULL},
    // solvers
    {"EulerImplicitSolver/EulerImplicit/EulerImplicitIntegrationScheme/ImplicitEuler", SOFA_INTEGRATOR,
     "integrator implicit-euler", "implicit-euler"},
    {"CGImplicit/CGImplicitSolver", SOFA_INTEGRATOR, "integrator implicit-euler and solver cg", "implicit-euler"},
    {"EulerExplicitSolver/EulerSolver/Euler/EulerExplicitIntegrationScheme", SOFA_INTEGRATOR, "integrator explicit", "explicit"},
    {"StaticSolver/StaticEquilibriumSolver/StaticEquilibriumIntegrationScheme", SOFA_INTEGRATOR, "integrator static", "static"},
    {"RungeKutta4Solver/RungeKutta2Solver/RungeKutta4/RungeKutta2/RungeKutta4IntegrationScheme/RungeKutta2IntegrationScheme/"
     "CentralDifferenceSolver/CentralDifference/CentralDifferenceIntegrationScheme/DampVelocitySolver/"
     "DampVelocityIntegrationScheme",
     SOFA_INTEGRATOR, "integrator explicit, of first order", "explicit!"},
    {"NewmarkImplicitSolver/NewmarkIntegrationScheme/VariationalSymplecticSolver/BDFOdeSolver/BDFIntegrationScheme/"
     "TrapezoidalIntegrationScheme",
     SOFA_INTEGRATOR, "integrator newton, of first order", "newton!"},
    {"MatrixLinearSystem/ConstantSparsityPatternSystem/ConstantSparsityProjectionMethod/MatrixProjectionMethod/"
     "PreconditionedMatrixFreeSystem/MatrixFreeSystem/CompositeLinearSystem/AssemblingMatrixAccumulator/"
     "NaturalOrderingMethod/COLAMDOrderingMethod/AMDOrderingMethod",
     SOFA_NOT_NEEDED, "a system is assembled and ordered as its solver needs it", NULL},
    {"NewtonRaphsonSolver", SOFA_NOT_NEEDED, "Newton's method belongs to the integrator", NULL},
    {"CGLinearSolver/CGSolver/ParallelCGLinearSolver", SOFA_SOLVER, "solver cg", "cg"},
    {"ShewchukPCGLinearSolver/PCGLinearSolver/MinResLinearSolver", SOFA_SOLVER, "solver pcg", "pcg"},
    {"SparseLDLSolver/SparseCholeskySolver/SparseLUSolver/EigenSimplicialLDLT/EigenSimplicialLLT/EigenSparseLU/EigenSparseQR/"
     "CholeskySolver/SVDLinearSolver/EigenCholmodSupernodalLLT",
     SOFA_SOLVER, "solver cholesky", "cholesky"},
    {"AsyncSparseLDLSolver", SOFA_SOLVER, "solver cholesky; as a preconditioner refresh async", "cholesky"},
    {"BTDLinearSolver", SOFA_SOLVER, "solver block-tridiagonal of rods", "block-tridiagonal"},
    {"JacobiPreconditioner", SOFA_PRECONDITIONER, "preconditioner jacobi", "jacobi"},
    {"BlockJacobiPreconditioner", SOFA_PRECONDITIONER, "preconditioner block-jacobi", "block-jacobi"},
    {"SSORPreconditioner", SOFA_PRECONDITIONER, "preconditioner ssor", "ssor"},
    {"WarpPreconditioner", SOFA_PRECONDITIONER, "preconditioner cholesky with warp", "warp"},
    {"PrecomputedWarpPreconditioner/PrecomputedLinearSolver", SOFA_PRECONDITIONER, "preconditioner cholesky, refresh never",
     "never"},
    {"RotationMatrixSystem/RotationFinder", SOFA_NOT_NEEDED, "warp finds the rotations", NULL},
    // contact
    {"CollisionPipeline/DefaultPipeline/CompositeCollisionPipeline/SubCollisionPipeline", SOFA_PIPELINE, "contact", NULL},
    {"CollisionResponse/DefaultContactManager/RuleBasedContactManager", SOFA_RESPONSE, "formulation and friction of contact",
     NULL},
    {"MinProximityIntersection/NewProximityIntersection/LocalMinDistance/CCDTightInclusionIntersection", SOFA_INTERSECTION,
     "alarm and gap of contact", NULL},
    {"DiscreteIntersection", SOFA_INTERSECTION, "contact without a distance", "discrete"},
    {"GenericConstraintSolver/BlockGaussSeidelConstraintSolver/ProjectedGaussSeidelConstraintSolver/"
     "NNCGConstraintSolver/UnbuiltGaussSeidelConstraintSolver/ImprovedJacobiConstraintSolver/LCPConstraintSolver",
     SOFA_CONTACT_SOLVER, "contact-solver", NULL},
    {"LinearSolverConstraintCorrection/GenericConstraintCorrection/UncoupledConstraintCorrection/"
     "PrecomputedConstraintCorrection",
     SOFA_CORRECTION, "compliance auto: the inverse of the body's own system", NULL},
    {"TriangleCollisionModel/TriangleModel/TTriangleModel/Triangle", SOFA_COLLISION, "surface with role collision", NULL},
    {"LineCollisionModel/PointCollisionModel/LineModel/PointModel/TLineModel/TPointModel/Line/Point", SOFA_COLLISION_EDGES,
     "part of the collision surface", NULL},
    {"SphereCollisionModel/SphereModel/TSphereModel/Sphere", SOFA_COLLISION_BALLS,
     "a sphere of a rigid body; of a solid its own boundary", NULL},
    {"BruteForceBroadPhase/BruteForceDetection/BVHNarrowPhase/IncrSAP/DirectSAP/ParallelBruteForceBroadPhase/"
     "ParallelBVHNarrowPhase/RayTraceDetection/CollisionModelsContainer/"
     "DefaultCollisionGroupManager/CollisionGroup",
     SOFA_NOT_NEEDED, found, NULL},
    {"FreeMotionAnimationLoop/DefaultAnimationLoop/MultiStepAnimationLoop/ConstraintAnimationLoop/MultiTagAnimationLoop",
     SOFA_NOT_NEEDED, one_loop, NULL},
    // mappings, drawing
    {"BarycentricMapping/RigidMapping/IdentityMapping/BeamLinearMapping/SkinningMapping/SubsetMapping/"
     "AdaptiveBeamMapping/TubularMapping/Mesh2PointTopologicalMapping",
     SOFA_MAPPING, "the embedding of a surface", NULL},
    {"OglModel/VisualModel/VisualModelImpl", SOFA_VISUAL, "surface with role visual and a look", NULL},
    {"RequiredPlugin/PluginManager", SOFA_NOT_NEEDED, no_plugins, NULL},
    {"VisualStyle/DefaultVisualManagerLoop/VisualManagerLoop/OglSceneFrame/OglGrid/OglLabel/OglViewport/OglColorMap/"
     "Visual3DText/BackgroundSetting/ViewerSetting/InteractiveCamera/Camera/RecordedCamera/LightManager/SpotLight/"
     "DirectionalLight/PositionalLight/LineAxis/VisualGrid/TrailRenderer/DrawMechanical/CylinderVisualModel/"
     "VisualMesh/VisualPointCloud/VisualVectorField/VisualBoundingBox/DataDisplay/VonMisesStress/ValuesFromIndices/NormEngine/"
     "DifferenceEngine/OglFloatAttribute/OglShader/"
     "OglTexture2D/OglShadowShader/PostProcessManager/ClipPlane/SofaDefaultPathSetting/StatsSetting/FPSCounter",
     SOFA_NOT_NEEDED, for_screen, NULL},
    {"AttachBodyButtonSetting/ConstraintAttachButtonSetting/MouseButtonSetting/PauseAnimationOnEvent/"
     "FixPickedParticleButtonSetting/AddFrameButtonSetting",
     SOFA_NOT_NEEDED, by_mouse, NULL},
    {"Monitor/ExtraMonitor/WriteState/VTKExporter/STLExporter/OBJExporter/MeshExporter/CompareState/WriteTopology/"
     "EvalPointsDistance/BlenderExporter/OglExporter",
     SOFA_LEFT_OUT, output, NULL},
    {"ReadState/ReadTopology/InputEventReader", SOFA_LEFT_OUT, "motion from a file of SOFA's own format", NULL},
    {"PythonScriptController/PythonMainScriptController/Controller/MechanicalStateController/CarvingManager/"
     "TopologicalChangeProcessor/NodeToggleController/TetrahedronDiffusionFEMForceField",
     SOFA_LEFT_OUT, "programs and controllers; an event of the scene may do the same", NULL},
    {"TriangularAnisotropicFEMForceField/TriangularBendingSprings/TriangularTensorMassForceField/QuadBendingFEMForceField/"
     "FastTriangularBendingSprings/"
     "TriangularQuadraticSpringsForceField/TriangularBiquadraticSpringsForceField/QuadularBendingSprings/"
     "QuadBendingSprings/TriangleBendingSprings",
     SOFA_LEFT_OUT, "bending and springs of cloth; a membrane resists stretch and shear only", NULL},
    {"JointSpringForceField/GearSpringForceField/AngularSpringForceField/FrameSpringForceField/PolynomialSpringsForceField/"
     "PolynomialRestShapeSpringsForceField/VectorSpringForceField/TetrahedralQuadraticSpringsForceField/"
     "TetrahedralBiquadraticSpringsForceField/RepulsiveSpringForceField",
     SOFA_LEFT_OUT, "springs of this kind", NULL},
    {"OscillatorProjectiveConstraint/OscillatorConstraint/AffineMovementProjectiveConstraint/AffineMovementConstraint/"
     "BilinearMovementProjectiveConstraint/LinearVelocityProjectiveConstraint/LinearVelocityConstraint/"
     "ParabolicProjectiveConstraint/ParabolicConstraint/HermiteSplineProjectiveConstraint/HermiteSplineConstraint/"
     "PatchTestMovementProjectiveConstraint/FixedRotationProjectiveConstraint/FixedRotationConstraint/"
     "FixedTranslationProjectiveConstraint/FixedTranslationConstraint/DirectionProjectiveConstraint/"
     "PositionBasedDynamicsProjectiveConstraint/"
     "SkeletalMotionProjectiveConstraint",
     SOFA_LEFT_OUT, "write it as <move translate=\"{...}\"> with a function of t", NULL},
    {"SlidingLagrangianConstraint/SlidingConstraint/"
     "StopperLagrangianConstraint/UniformLagrangianConstraint/UnilateralLagrangianConstraint",
     SOFA_LEFT_OUT, "write it as <attach>, docs/links.md", NULL},
    {"WireRestShape/InterventionalRadiologyController/RodStraightSection/RodSpireSection/RodMeshSection/WireBeamInterpolation",
     SOFA_LEFT_OUT, "write a rod with regions and <feed>, docs/feed.md", NULL},
    {"ConicalForceField/EllipsoidForceField/SphereForceField/BoxForceField/InteractionEllipsoidForceField/EdgePressureForceField/"
     "QuadPressureForceField/OscillatingTorsionPressureForceField/TaitSurfacePressureForceField/LinearForceField/"
     "TorsionForceField/GravityForceField/FixedWeakConstraint/DiagonalVelocityDampingForceField/UniformVelocityDampingForceField",
     SOFA_LEFT_OUT, "forces of this kind", NULL},
    {"RigidRigidMapping/DeformableOnRigidFrameMapping/CenterOfMassMapping/CenterOfMassMultiMapping/DistanceMapping/"
     "DistanceMultiMapping/DistanceFromTargetMapping/DistanceToPlaneMapping/SquareMapping/SquareDistanceMapping/AreaMapping/"
     "VolumeMapping/SubsetMultiMapping/IdentityMultiMapping/RigidBarycentricMapping/LineSetSkinningMapping/VoidMapping",
     SOFA_LEFT_OUT, "mappings of this kind", NULL},
    {"TetrahedronCollisionModel/CubeCollisionModel/RayCollisionModel/CapsuleCollisionModel/OBBCollisionModel/"
     "CylinderCollisionModel/RigidDistanceGridCollisionModel/FFDDistanceGridCollisionModel",
     SOFA_LEFT_OUT, "collision models of this kind; a rigid body has shapes", NULL},
    {"MergeMeshes/MeshROI/SubsetTopology/NearestPointROI/TransformPosition/PlaneROI/MeshTetraStuffing/MeshSplittingEngine/"
     "ROIValueMapper/SphereLoader/VoxelGridLoader/StringMeshCreator/GenerateRigidMass/PairBoxROI/ExtrudeQuadsAndGenerateHexas",
     SOFA_LEFT_OUT, "data that SOFA computes while it starts", NULL},
};

enum { COMPONENTS = sizeof components / sizeof components[0] };

const sofa_component *sp__sofa_component(const char *name) {
    for (int i = 0; i < COMPONENTS; i++)
        if (sp__list_has(components[i].names, '/', name)) return &components[i];
    return NULL;
}

bool sp__sofa_idle_attribute(const char *name, const char *value) {
    // where SOFA takes a mesh from, or what a mapping joins: followed where it matters
    static const char links[] = "position/rest_position/restPosition/points/edges/lines/triangles/quads/tetrahedra/tetras/"
                                "hexahedra/hexas/object1/object2";
    static const char *const starts[] = {"show", "draw", "print", "display", "compute", "plot"};
    static const char idle[] =
        "name/template/printLog/listening/tags/bbox/verbose/depth/src/type/input/output/mapForces/mapConstraints/"
        "mapMasses/mapMatrices/isMechanical/handleSeams/triangulate/createSubelements/useTopology/updateStiffnessMatrix/"
        "assembling/parallelODESolving/parallelInverseProduct/parallelCollisionDetectionAndFreeMotion/threshold/"
        "smallDenominatorThreshold/"
        "doPrecompute/gatherPt/gatherBsize/topology/mstate/linearSolver/link/wire_optimization/"
        "updateNormals/texcoords/normals/texturename/reserve/simulated/contactStiffness/contactFriction/linearSystem/flipNormals/"
        "handleDynamicTopology/"
        "lineWidth/nbThreads";
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) return true;
    return sp__list_has(idle, '/', name) || ((*value == '@' || *value == '.') && sp__list_has(links, '/', name));
}
