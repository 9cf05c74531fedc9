# Written by tools/python_api.py --stubs from include/souple/*.h and the built package: change those and run it again.
import enum
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

Numbers = Any  # numpy.ndarray, a buffer, nested sequences of numbers
Signal = Union[float, Callable[[float], Any]]
Array_ = Any  # numpy.ndarray, or Array where NumPy is not installed

__version__: str

class Status(enum.IntEnum):
    OK = 0
    NOT_CONVERGED = 1
    NOT_SPD = 2
    EDIT_REFUSED = 3
    FROZEN = 4
    UNSTABLE_STEP = 5
    INVERTED = 6
    ENERGY_GAIN = 7
    PENETRATION = 8
    PAIR_IGNORED = 9
    NO_MEMORY = -1
    BAD_INPUT = -2
    BAD_ID = -3
    UNAVAILABLE = -4
    NOT_FINITE = -5
    SINGULAR = -6
    DIVERGED = -7
    IO = -8
    BUSY = -9
    LIMIT = -10
    STOPPED = -11
    text: str

class Error(Exception):
    status: Status
    status_name: str
    message: str
    file: str
    line: int
    body: str
    index: int

class Anchor:
    @property
    def at(self) -> Any: ...
    @property
    def body(self) -> Body: ...
    @property
    def elem(self) -> Any: ...
    @property
    def offset(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def rest(self) -> Any: ...
    @property
    def velocity(self) -> Any: ...
    @property
    def world(self) -> Any: ...

class Array:
    def __getitem__(self, *args: Any) -> Any: ...
    def __len__(self, *args: Any) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def shape(self) -> Any: ...
    def tolist(self) -> Any: ...

class AutomaticOptions(NamedTuple):
    step: float
    aim_ms: float

class BadId(Error, LookupError):
    ...

class BadInput(Error, ValueError):
    ...

class Batch:
    def __init__(self, count: Any, build: Any, *, context: Any = ..., gravity: Union[Signal, Sequence[Signal]] = ..., backend: str = ..., on_limit: str = ..., on_failure: str = ..., snapshot_slots: int = ..., snapshots: bool = ..., deterministic: bool = ...) -> None: ...
    def __enter__(self, *args: Any) -> Batch: ...
    def __exit__(self, *args: Any) -> Any: ...
    def __getitem__(self, *args: Any) -> Any: ...
    def __len__(self, *args: Any) -> Any: ...
    def close(self) -> Any: ...
    def keep(self, index: Any) -> Any: ...
    @property
    def memory(self) -> BatchMemory: ...
    def reset(self, indices: Any = ...) -> Any: ...
    def state(self, body: Any, field: Any) -> Array_: ...
    @property
    def statuses(self) -> Any: ...
    def step(self, h: Any, indices: Any = ...) -> Status: ...
    @property
    def worlds(self) -> Tuple[World, ...]: ...

class BatchMemory(NamedTuple):
    bytes: int
    constant: int
    lent: int

class Body:
    def add_surface(self, mesh: Any = ..., name: Any = ..., *, roles: Union[str, Sequence[str]] = ..., faces: Numbers = ..., subdivide: int = ..., region: int = ...) -> Any: ...
    def anchor(self, node: Any = ..., point: Any = ..., face: Any = ..., weights: Any = ..., surface: Any = ...) -> Anchor: ...
    def append(self, *, node_count: int = ..., rest: Numbers = ..., position: Numbers = ..., velocity: Numbers = ..., at: Any = ..., element_count: int = ..., like: Numbers = ..., nodes: Numbers = ..., node_entries: int = ..., removed_count: int = ..., removed: Numbers = ...) -> Any: ...
    @property
    def contact_sum(self) -> Any: ...
    def distance_field(self, surface: Any = ...) -> Any: ...
    def drag(self, anchor: Any, target: Any, stiffness: Any, damping: Any = ..., slot: Any = ..., source: Any = ...) -> Any: ...
    def drop(self, slot: Any = ..., source: Any = ...) -> Any: ...
    @property
    def elements(self) -> Any: ...
    def field(self, name: Any, out: Any = ...) -> Array_: ...
    @property
    def fields(self) -> Dict[str, FieldInfo]: ...
    @property
    def id(self) -> Any: ...
    @property
    def info(self) -> BodyInfo: ...
    def invert(self) -> Any: ...
    @property
    def kind(self) -> str: ...
    @property
    def masses(self) -> Any: ...
    @property
    def measures(self) -> BodyMeasures: ...
    def move(self, pose: Any) -> Any: ...
    @property
    def name(self) -> str: ...
    def pin(self, node: Any, axes: Any = ...) -> Any: ...
    def publish_field(self, name: Any, published: Any = ...) -> Any: ...
    def release(self, node: Any, axes: Any = ...) -> Any: ...
    def remove(self) -> Any: ...
    def set_removed(self, removed: Any) -> Any: ...
    def set_state(self, positions: Any = ..., velocities: Any = ...) -> Any: ...
    def set_surface_contact(self, surface: Any = ..., *, side: str = ..., field: float = ...) -> Any: ...
    def surface(self, surface: Any = ...) -> Any: ...
    def surface_anchor(self, surface: Any, vertex: Any) -> Any: ...
    @property
    def surface_count(self) -> Any: ...
    def surface_field(self, name: Any, surface: Any = ..., corners: Any = ...) -> Any: ...
    def surface_forces(self, surface: Any, forces: Any) -> Any: ...
    def surface_info(self, surface: Any = ...) -> Any: ...
    @property
    def world(self) -> World: ...

class BodyInfo(NamedTuple):
    id: Optional[Body]
    name: str
    kind: str
    nodes: int
    elements: int
    removed: int
    appended: int
    cells: int
    state: Tuple[str, ...]
    frozen: bool
    prescribed: bool
    kinematic: bool
    solve: SolveInfo
    solver: SolverDef
    solver_why: str
    compliance_why: str

class BodyMeasures(NamedTuple):
    mass: float
    rest_volume: float
    volume: float
    kinetic: float
    elastic: float
    potential: float
    contact: float
    work: Work
    energy_max: float
    appeared: float
    inverted: int
    volume_lost: float
    penetration: float
    element_size: float
    momentum: Tuple[float, ...]
    angular: Tuple[float, ...]
    displacement_max: float
    bytes: int

class Busy(Error, RuntimeError):
    ...

class CgOptions(NamedTuple):
    op: str

class CholeskyOptions(NamedTuple):
    ordering: str
    factor: str
    precision: str

class ContactDef(NamedTuple):
    formulation: str
    stiffness: float
    damping: float
    friction: float
    alarm: float
    gap: float
    stabilisation: str
    passes: int
    reserve: int
    broad: str
    self: bool
    continuous: bool
    enabled: float
    pixel: float
    cell: int
    layers: int
    slack: float
    law: str
    viscosity: float
    solver: ContactSolverDef

class ContactPart(NamedTuple):
    body: Optional[Body]
    surface: int
    nodes: Optional[Array_]

class ContactPoint(NamedTuple):
    bodies: Tuple[Optional[Body], ...]
    point: Tuple[float, ...]
    normal: Tuple[float, ...]
    force: Tuple[float, ...]
    gap: float
    slip: Tuple[float, ...]
    pressure: float
    area: float
    features: Tuple[str, ...]
    anchors: Tuple[Any, ...]

class ContactSolverDef(NamedTuple):
    method: str
    local: str
    cone: str
    facets: int
    strategy: str
    sweeps: int
    tolerance: float
    warm_start: bool
    budget_ms: float

class ContactSum(NamedTuple):
    count: int
    force: Tuple[float, ...]
    normal: float
    largest: float
    pressure: float
    gap: float

class Context:
    def __init__(self, threads: Any = ...) -> None: ...
    def __enter__(self, *args: Any) -> Any: ...
    def __exit__(self, *args: Any) -> Any: ...
    def close(self) -> Any: ...
    @property
    def memory(self) -> Any: ...
    @property
    def threads(self) -> Any: ...

class DistanceFieldInfo(NamedTuple):
    cell: float
    cells: Tuple[int, ...]
    blocks: float
    blocks_near: int
    bytes: int
    open_edges: int
    deviation: float
    build_ms: float

class Diverged(Error, ArithmeticError):
    ...

class Edit(dict):
    def __init__(self, type: Any, **keywords: Any) -> None: ...

class EditTaken(NamedTuple):
    type: str
    source: int
    sequence: int
    body: Optional[Body]
    node: int
    axes: Tuple[str, ...]
    slot: int
    anchor: Any
    target: Tuple[float, ...]
    stiffness: float
    damping: float
    pose: Pose
    path: str
    value: float
    other: Any
    shape: str
    size: Tuple[float, ...]
    kinematic: bool
    free: bool
    density: float
    velocity: Tuple[float, ...]

class ElementView(NamedTuple):
    type: str
    nodes_per_element: int
    nodes: Optional[Array_]

class Event(NamedTuple):
    step: int
    time: float
    status: Status
    text: str

class FclibMatrix(NamedTuple):
    rows: int
    columns: int

class FclibProblem(NamedTuple):
    global_: bool
    dimension: int
    contacts: int
    equalities: int
    W: FclibMatrix
    V: FclibMatrix
    R: FclibMatrix
    M: FclibMatrix
    H: FclibMatrix
    G: FclibMatrix

class FieldInfo(NamedTuple):
    name: str
    label: str
    unit: str
    meaning: str
    axes: str
    shown_unit: str
    shown_scale: float
    low: float
    high: float
    values: str
    on: str
    color: int
    components: int
    count: int

class FileError(Error, OSError):
    ...

class FillInfo(NamedTuple):
    size: float
    runs: int
    dihedral: Tuple[float, ...]
    guarantee: Tuple[float, ...]
    islands: int
    winding: Tuple[float, ...]

class ImportNote(NamedTuple):
    fate: str
    file: str
    line: int
    component: str
    text: str

class LimitReached(Error):
    ...

class Link:
    def attach(self) -> Any: ...
    def detach(self) -> Any: ...
    @property
    def info(self) -> LinkInfo: ...
    @property
    def name(self) -> Any: ...
    @property
    def points(self) -> Any: ...
    def remove(self) -> Any: ...
    @property
    def world(self) -> Any: ...

class LinkInfo(NamedTuple):
    id: Link
    name: str
    type: str
    state: str
    bodies: Tuple[Optional[Body], ...]
    point_count: int
    force: Tuple[float, ...]
    stretch: float
    within: float
    break_force: float

class LinkPoint(NamedTuple):
    a: Tuple[float, ...]
    b: Tuple[float, ...]
    force: Tuple[float, ...]
    anchors: Tuple[Any, ...]

class MassInfo(NamedTuple):
    name: str
    value: float
    inertia: float
    radius: float
    count: int
    at: Any

class Mesh:
    def __init__(self, positions: Any, elements: Any, element_type: Any = ..., *, groups: Any = ..., arrays: Any = ..., node_ids: Any = ..., element_ids: Any = ..., fix_orientation: Any = ..., context: Any = ...) -> None: ...
    @property
    def arrays(self) -> Any: ...
    @property
    def blocks(self) -> Any: ...
    def boundary(self) -> Surface: ...
    @property
    def bounds(self) -> Any: ...
    @staticmethod
    def box(size: Any, cells: Any, per_cell: Any = ..., context: Any = ...) -> Mesh: ...
    @property
    def cell_elements(self) -> Any: ...
    @property
    def cells(self) -> Any: ...
    def close(self) -> Any: ...
    @property
    def context(self) -> Any: ...
    @staticmethod
    def cylinder(radius: Any, length: Any, cells: Any, axis: Any = ..., context: Any = ...) -> Mesh: ...
    @staticmethod
    def disc(radius: Any, rings: Any, context: Any = ...) -> Mesh: ...
    @property
    def element_cells(self) -> Any: ...
    @property
    def element_count(self) -> int: ...
    @property
    def element_ids(self) -> Any: ...
    def element_integrals(self, element: Any) -> Any: ...
    def element_point(self, element: Any, natural: Any = ...) -> Any: ...
    @property
    def element_types(self) -> Any: ...
    @property
    def elements(self) -> Any: ...
    def examine(*args: Any, tolerance: float = ..., limit: int = ..., intersections: bool = ...) -> MeshReport: ...
    @staticmethod
    def examine_arrays(*args: Any, tolerance: float = ..., limit: int = ..., intersections: bool = ...) -> MeshReport: ...
    @property
    def face_elements(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @staticmethod
    def fill(shape: Any, low: Any = ..., high: Any = ..., slope: Any = ..., *, regions: Any = ..., body: Any = ..., info: Any = ..., context: Any = ..., size: float = ..., elements: int = ..., grade: float = ..., detail: float = ..., smooth: float = ...) -> Any: ...
    @staticmethod
    def fill_labels(labels: Any, affine: Any = ..., names: Any = ..., *, take: Any = ..., info: Any = ..., context: Any = ..., size: float = ..., elements: int = ..., grade: float = ..., detail: float = ..., smooth: float = ...) -> Any: ...
    @staticmethod
    def from_dict(content: Any, context: Any = ...) -> Mesh: ...
    @property
    def groups(self) -> Any: ...
    def locate(self, point: Any) -> Any: ...
    def locate_cell(self, point: Any) -> Any: ...
    @property
    def node_count(self) -> int: ...
    @property
    def node_ids(self) -> Any: ...
    @staticmethod
    def of_surface(surface: Any) -> Mesh: ...
    def order2(self, curve: Any = ...) -> Mesh: ...
    @staticmethod
    def organ(kind: Any, length: Any, elements: Any, context: Any = ...) -> Mesh: ...
    @property
    def positions(self) -> Any: ...
    def refined(self, times: Any = ..., *, edge: Any = ..., where: Any = ..., box: Numbers = ..., sphere: Numbers = ..., plane: Numbers = ..., within: float = ..., near: Numbers = ..., group: str = ..., ids: Numbers = ..., on_surface: bool = ..., invert: bool = ...) -> Mesh: ...
    @staticmethod
    def repair(positions: Any, elements: Any, element_type: Any = ..., *, tolerance: float = ..., limit: int = ..., intersections: bool = ...) -> Any: ...
    def select(self, on: Any = ..., *, where: Any = ..., box: Numbers = ..., sphere: Numbers = ..., plane: Numbers = ..., within: float = ..., near: Numbers = ..., group: str = ..., ids: Numbers = ..., on_surface: bool = ..., invert: bool = ...) -> Array_: ...
    @staticmethod
    def sheet(size: Any, cells: Any, crossed: Any = ..., context: Any = ...) -> Mesh: ...
    @staticmethod
    def sphere(radius: Any, cells: Any, context: Any = ...) -> Mesh: ...
    def to_dict(self) -> Any: ...
    @staticmethod
    def torus(ring: Any, tube: Any, cells: Any, axis: Any = ..., context: Any = ...) -> Mesh: ...
    def transformed(self, scale: Any = ..., pose: Any = ...) -> Mesh: ...
    @property
    def volume(self) -> float: ...

class MeshFileContent(NamedTuple):
    format: str
    tetrahedra: bool

class MeshRepairs(NamedTuple):
    welded: int
    dropped_nodes: int
    dropped_broken: int
    dropped_flat: int
    dropped_duplicates: int
    turned: int
    unorientable: int

class MeshReport(NamedTuple):
    stats: Any
    counts: Any
    defects: Any
    whole: Any

class MeshStats(NamedTuple):
    node_count: int
    element_count: int
    tetrahedra: bool
    type_counts: Tuple[int, ...]
    low: Tuple[float, ...]
    high: Tuple[float, ...]
    volume: float
    area: float
    tolerance: float
    component_count: int
    face_count: int
    edge_count: int
    vertex_count: int
    shell_count: int
    closed_count: int
    angle_min: float
    angle_max: float
    angles: Tuple[int, ...]
    ratio_min: float
    ratio_mean: float
    ratios: Tuple[int, ...]
    worst: int
    aspect_max: float
    edge_min: float
    edge_mean: float
    edge_max: float
    jacobian_min: float
    jacobian_mean: float
    jacobian_worst: int

class Moduli(NamedTuple):
    shear: float
    bulk: float
    young: float
    poisson: float

class NotFinite(Error, ArithmeticError):
    ...

class OpenSurface(NamedTuple):
    body: Optional[Body]
    surface: int
    edges: int

class OutOfMemory(Error, MemoryError):
    ...

class ParamInfo(NamedTuple):
    path: str
    value: float
    spec: ParamSpec

class ParamSpec(NamedTuple):
    name: str
    unit: str
    label: str
    meaning: str
    low: float
    high: float
    ends: Tuple[str, ...]
    edit_low: float
    edit_high: float
    initial: float
    price: str

class Parameters(Mapping):
    def __init__(self, world: Any) -> None: ...
    def __getitem__(self, *args: Any) -> Any: ...
    def __iter__(self, *args: Any) -> Any: ...
    def __len__(self, *args: Any) -> Any: ...
    def __setitem__(self, *args: Any) -> Any: ...

class PcgOptions(NamedTuple):
    preconditioner: str
    refresh: str
    refresh_every: int
    warp: bool
    lag: int
    drop: float
    omega: float

class PictureDef(NamedTuple):
    width: int
    height: int
    at: Tuple[float, ...]
    to: Tuple[float, ...]
    up: Tuple[float, ...]
    fitted: bool
    fov: float
    azimuth: float
    elevation: float
    orbit: float
    background: Tuple[float, ...]
    color_by: str
    range: Tuple[float, ...]
    title: str
    note: str
    clip: bool
    clip_point: Tuple[float, ...]
    clip_normal: Tuple[float, ...]
    interfaces: bool
    contacts: bool
    links: bool
    plain: bool
    extent: Any
    opacities: Any
    opacity_count: int

class PictureExtent(NamedTuple):
    low: Tuple[float, ...]
    high: Tuple[float, ...]
    least: float
    greatest: float
    force: float

class PictureOpacity(NamedTuple):
    body: str
    opacity: float

class Pose(NamedTuple):
    translate: Tuple[float, ...]
    quat: Tuple[float, ...]

class RecordingBody(NamedTuple):
    name: str
    kind: str

class RecordingContact(NamedTuple):
    bodies: Tuple[int, ...]
    point: Tuple[float, ...]
    normal: Tuple[float, ...]
    force: Tuple[float, ...]
    gap: float
    pressure: float

class RecordingFrame(NamedTuple):
    time: float
    step: int
    hash: int
    interpolated: bool

class RecordingInfo(NamedTuple):
    frame_count: int
    body_count: int
    scene: str
    scene_size: int
    scene_path: str
    set_count: int
    version: str
    backend: str
    dt: float
    seed: int
    in_double: bool
    visual: bool
    complete: bool
    edits: str

class RecordingTopology(NamedTuple):
    revision: int
    node_count: int
    corners: int
    cells: Optional[Array_]

class RigidMass(NamedTuple):
    mass: float
    volume: float
    centre: Tuple[float, ...]
    inertia: Tuple[float, ...]

class RodCrossSection(NamedTuple):
    vertex: int
    element: int
    at: float

class RunClaim(NamedTuple):
    probe: str
    component: str
    seen: float
    value: float
    tolerance: float
    relative: bool
    held: bool
    source: str

class RunColumn(NamedTuple):
    name: str
    unit: str

class RunInverse(NamedTuple):
    unknown: str
    residual: float

class RunLook(NamedTuple):
    color: Tuple[float, ...]
    opacity: float
    roughness: float
    metallic: float
    edges: bool

class RunProbe(NamedTuple):
    name: str
    body: str
    quantity_count: int
    values: Optional[Array_]
    width: int

class RunRecord(NamedTuple):
    file: str
    path: str
    kind: str
    bytes: int

class SceneChoice(NamedTuple):
    name: str
    built: bool

class SceneInfo(NamedTuple):
    file: str
    text: str
    size: int
    set_count: int
    seed: int

class SceneMessage(NamedTuple):
    severity: str
    file: str
    line: int
    text: str

class SceneOutput(NamedTuple):
    element: str
    file: str

class SectionFaces(NamedTuple):
    positions: Optional[Array_]
    faces: Optional[Array_]

class Singular(Error, ArithmeticError):
    ...

class Snapshot:
    def __enter__(self, *args: Any) -> Any: ...
    def __exit__(self, *args: Any) -> Any: ...
    @property
    def bodies(self) -> Dict[str, SnapshotBody]: ...
    def close(self) -> Any: ...
    @property
    def contacts(self) -> Any: ...
    @property
    def events(self) -> Any: ...
    @property
    def hash(self) -> Any: ...
    @property
    def links(self) -> Any: ...
    @property
    def reservations(self) -> Any: ...
    @property
    def skipped(self) -> Any: ...
    @property
    def stage_ms(self) -> Any: ...
    @property
    def step(self) -> Any: ...
    @property
    def time(self) -> Any: ...

class SnapshotBody:
    @property
    def appeared(self) -> Any: ...
    @property
    def body(self) -> Any: ...
    @property
    def contact(self) -> Any: ...
    @property
    def elastic(self) -> Any: ...
    @property
    def fields(self) -> Dict[str, Array_]: ...
    @property
    def inverted(self) -> Any: ...
    @property
    def kinetic(self) -> Any: ...
    @property
    def name(self) -> Any: ...
    @property
    def penetration(self) -> Any: ...
    @property
    def potential(self) -> Any: ...
    @property
    def surfaces(self) -> Dict[str, SnapshotSurface]: ...
    @property
    def volume_lost(self) -> Any: ...
    @property
    def work(self) -> Any: ...

class SnapshotLink(NamedTuple):
    link: Link
    bodies: Tuple[Optional[Body], ...]
    a: Tuple[float, ...]
    b: Tuple[float, ...]
    force: Tuple[float, ...]

class SnapshotSurface:
    def anchor(self, vertex: Any) -> Any: ...
    @property
    def colors(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def moved(self) -> Any: ...
    @property
    def name(self) -> Any: ...
    @property
    def nodes(self) -> Any: ...
    @property
    def normals(self) -> Any: ...
    @property
    def positions(self) -> Any: ...
    @property
    def revision(self) -> Any: ...
    @property
    def rings(self) -> Any: ...
    @property
    def roles(self) -> Any: ...
    @property
    def stripes(self) -> Any: ...
    @property
    def texcoords(self) -> Any: ...

class SolveInfo(NamedTuple):
    solver: str
    linear_iterations: int
    linear_solves: int
    newton_iterations: int
    substeps: int
    residual: float
    force_residual: float
    critical_step: float
    refreshes: int
    failed_refreshes: int
    factor_age: int
    columns: int
    elements_refreshed: int
    elements_waiting: int
    factor_flops: float
    shift: float
    status: Status

class SolverDef(NamedTuple):
    type: str
    tolerance: float
    iterations: int
    automatic: AutomaticOptions
    cg: CgOptions
    pcg: PcgOptions
    cholesky: CholeskyOptions
    updated: UpdatedOptions

class StepInfo(NamedTuple):
    status: Status
    reservations: Tuple[Status, ...]
    step: int
    time: float
    hash: int
    stage_ms: Tuple[float, ...]
    step_ms: float
    event_count: int

class Stopped(Error):
    ...

class Surface:
    def __init__(self, positions: Any, faces: Any, *, texcoords: Any = ..., face_texcoords: Any = ..., normals: Any = ..., face_normals: Any = ..., colors: Any = ..., groups: Any = ..., arrays: Any = ..., context: Any = ...) -> None: ...
    @property
    def arrays(self) -> Any: ...
    def close(self) -> Any: ...
    @property
    def colors(self) -> Any: ...
    @property
    def context(self) -> Any: ...
    def examine(*args: Any, tolerance: float = ..., limit: int = ..., intersections: bool = ...) -> MeshReport: ...
    @property
    def face_normals(self) -> Any: ...
    @property
    def face_texcoords(self) -> Any: ...
    @property
    def faces(self) -> Any: ...
    @property
    def groups(self) -> Any: ...
    @property
    def normals(self) -> Any: ...
    @property
    def positions(self) -> Any: ...
    def repaired(self, *, tolerance: float = ..., limit: int = ..., intersections: bool = ...) -> Any: ...
    def subdivided(self, times: Any = ..., smooth: Any = ..., crease: Any = ...) -> Surface: ...
    @property
    def texcoords(self) -> Any: ...
    def transformed(self, scale: Any = ..., pose: Any = ...) -> Surface: ...

class SurfaceInfo(NamedTuple):
    name: str
    roles: Tuple[str, ...]
    vertex_count: int
    face_count: int
    outside: int
    farthest: float
    faces: Optional[Array_]
    nodes: Optional[Array_]
    ring_count: int
    rings: Any
    revision: int

class Unavailable(Error):
    ...

class UpdatedOptions(NamedTuple):
    threshold: float
    budget_ms: float
    budget_columns: float

class Work(NamedTuple):
    loads: float
    pins: float
    drags: float
    contact: float
    edits: float

class World:
    def __init__(self, gravity: Any = ..., *, backend: Any = ..., context: Any = ..., on_limit: str = ..., on_failure: str = ..., snapshot_slots: int = ..., snapshots: bool = ..., deterministic: bool = ...) -> None: ...
    def __contains__(self, *args: Any) -> Any: ...
    def __enter__(self, *args: Any) -> World: ...
    def __exit__(self, *args: Any) -> Any: ...
    def __getitem__(self, *args: Any) -> Any: ...
    def add_contact_pair(self, a: Any, b: Any, *, name: str = ..., enabled: bool = ..., friction: float = ..., alarm: float = ..., gap: float = ..., continuous: int = ..., formulation: int = ..., pixel: float = ...) -> Any: ...
    def add_friction(self, part: Any, friction: Any, path: Any = ...) -> Any: ...
    def add_link(self, type: Any = ..., a: Any = ..., b: Any = ..., *, name: str = ..., within: float = ..., point: Numbers = ..., axis: Numbers = ..., guide: str = ..., stiffness: float = ..., damping: float = ..., friction: float = ..., break_force: float = ..., attached: bool = ...) -> Link: ...
    def add_rigid(self, shapes: Any = ..., name: Any = ..., *, shape: Any = ..., meshes: Any = ..., mesh: Any = ..., kinematic: bool = ..., free: bool = ..., pose: Any = ..., mass: float = ..., density: float = ..., inertia: Numbers = ..., velocity: Numbers = ..., spin: Numbers = ..., loads: Any = ..., load: Any = ..., springs: Any = ..., spring: Any = ..., integrator: Any = ...) -> Body: ...
    def add_rod(self, strands: Any = ..., sections: Any = ..., name: Any = ..., *, model: str = ..., strand: Any = ..., section: Any = ..., free_root: bool = ..., velocity: Numbers = ..., spin: Numbers = ..., edge_clamp: bool = ..., natural: Union[Signal, Sequence[Signal]] = ..., grow: Any = ..., feed: Any = ..., rayleigh_mass: float = ..., rayleigh_stiffness: float = ..., drag: float = ..., fixes: Any = ..., fix: Any = ..., moves: Any = ..., move: Any = ..., loads: Any = ..., load: Any = ..., springs: Any = ..., spring: Any = ..., masses: Any = ..., mass: Any = ..., samples: int = ..., sides: int = ..., rings: int = ..., integrator: Any = ..., solver: Any = ..., compliance: str = ...) -> Body: ...
    def add_solid(self, mesh: Any, name: Any = ..., *, thickness: float = ..., initial: Numbers = ..., initial_velocity: Numbers = ..., model: str = ..., rotation: str = ..., shape: str = ..., tangent: str = ..., form: str = ..., volumetric: str = ..., integration: str = ..., tensor_law: str = ..., mass_matrix: str = ..., material: Any = ..., regions: Any = ..., region: Any = ..., region_laws: Any = ..., region_law: Any = ..., element_region: Numbers = ..., element_density: Numbers = ..., element_young: Numbers = ..., element_poisson: Numbers = ..., element_fibre: Numbers = ..., eigenstrains: Any = ..., young_of_time: Signal = ..., rayleigh_mass: float = ..., rayleigh_stiffness: float = ..., drag: float = ..., fixes: Any = ..., fix: Any = ..., moves: Any = ..., move: Any = ..., loads: Any = ..., load: Any = ..., springs: Any = ..., spring: Any = ..., masses: Any = ..., mass: Any = ..., integrator: Any = ..., solver: Any = ..., compliance: str = ..., density: float = ..., young: float = ..., poisson: float = ..., bulk: float = ..., coefficients: Numbers = ..., relaxation: Numbers = ..., fibre_young: float = ..., fibre: Numbers = ..., incompressibility: float = ...) -> Body: ...
    def apply(self, type: Any, *, source: int = ..., sequence: int = ..., body: Union[Body, str] = ..., node: int = ..., axes: Union[str, Sequence[str]] = ..., slot: int = ..., anchor: Union[Anchor, dict] = ..., target: Numbers = ..., stiffness: float = ..., damping: float = ..., pose: Any = ..., path: str = ..., value: float = ..., other: Union[Anchor, dict] = ..., shape: str = ..., size: Numbers = ..., kinematic: bool = ..., free: bool = ..., density: float = ..., velocity: Numbers = ...) -> Any: ...
    @property
    def backend(self) -> Any: ...
    @property
    def bodies(self) -> List[Body]: ...
    def close(self) -> Any: ...
    def contact(self, formulation: Any = ..., *, stiffness: float = ..., damping: float = ..., friction: float = ..., alarm: float = ..., gap: float = ..., stabilisation: str = ..., passes: int = ..., reserve: int = ..., broad: str = ..., continuous: bool = ..., enabled: float = ..., pixel: float = ..., cell: int = ..., layers: int = ..., slack: float = ..., law: str = ..., viscosity: float = ..., solver: Any = ...) -> Any: ...
    @property
    def contact_def(self) -> Any: ...
    def contact_problem(self) -> Any: ...
    @property
    def contact_sum(self) -> ContactSum: ...
    @property
    def contacts(self) -> List[ContactPoint]: ...
    @property
    def context(self) -> Any: ...
    def drop_edits(self) -> Any: ...
    @property
    def edits_taken(self) -> Any: ...
    @property
    def events(self) -> List[Event]: ...
    @property
    def fields(self) -> Any: ...
    @property
    def hash(self) -> int: ...
    @property
    def links(self) -> List[Link]: ...
    def open_surface(self) -> Any: ...
    def parameter(self, path: Any) -> ParamInfo: ...
    def parameters(self) -> List[ParamInfo]: ...
    @property
    def params(self) -> Parameters: ...
    def publish(self) -> Any: ...
    def publish_fields(self, body: Any, names: Any, published: Any = ...) -> Any: ...
    def queue(self, type: Any, *, source: int = ..., sequence: int = ..., body: Union[Body, str] = ..., node: int = ..., axes: Union[str, Sequence[str]] = ..., slot: int = ..., anchor: Union[Anchor, dict] = ..., target: Numbers = ..., stiffness: float = ..., damping: float = ..., pose: Any = ..., path: str = ..., value: float = ..., other: Union[Anchor, dict] = ..., shape: str = ..., size: Numbers = ..., kinematic: bool = ..., free: bool = ..., density: float = ..., velocity: Numbers = ...) -> Any: ...
    def restore(self, checkpoint: Any) -> Any: ...
    def save(self) -> bytes: ...
    def set_contacts(self, contacts: Any) -> Any: ...
    def set_param(self, path: Any, value: Any) -> Any: ...
    def snapshot(self) -> Optional[Snapshot]: ...
    def step(self, h: Any) -> Status: ...
    @property
    def step_info(self) -> StepInfo: ...
    @property
    def steps(self) -> int: ...
    def sweep(self, start: Any, end: Any, radius: Any) -> Any: ...
    @property
    def time(self) -> float: ...

class WorldDef(NamedTuple):
    gravity: Union[Signal, Sequence[Signal]]
    backend: str
    on_limit: str
    on_failure: str
    snapshot_slots: int
    snapshots: bool
    deterministic: bool

def default_context() -> Context: ...

def element_info(type: Any) -> Any: ...

def fit_rod(points: Any, elements: Any, model: Any = ...) -> Any: ...

def list_backends() -> Any: ...

def list_fields() -> List[FieldInfo]: ...

def list_kinds() -> Any: ...

def list_organs() -> Any: ...

def list_parameters(kind: Any) -> List[ParamSpec]: ...

def list_stages() -> Any: ...

def moduli(material: Any = ..., *, density: float = ..., young: float = ..., poisson: float = ..., bulk: float = ..., coefficients: Numbers = ..., relaxation: Numbers = ..., fibre_young: float = ..., fibre: Numbers = ..., incompressibility: float = ...) -> Moduli: ...

def rigid_mass(shapes: Any = ..., *, name: str = ..., shape: Any = ..., meshes: Any = ..., mesh: Any = ..., kinematic: bool = ..., free: bool = ..., pose: Any = ..., mass: float = ..., density: float = ..., inertia: Numbers = ..., velocity: Numbers = ..., spin: Numbers = ..., loads: Any = ..., load: Any = ..., springs: Any = ..., spring: Any = ..., integrator: Any = ...) -> RigidMass: ...
