// Recordings read by other programs: a run of the command is read by h5py and by VTK, killed during the run, stopped by a full
// disk. The scripts need /usr/bin/python3 with h5py, numpy and vtk; without them the parts that need them are skipped with a
// message. VTK as Debian builds it has no XDMF reader: the script parses the light data strictly and follows its references with
// h5py.
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "souple/io.h"
#include "test.h"

#define SOUPLE SP_BINARY_DIR "/souple"
#define PYTHON "/usr/bin/python3"

static char folder[64];

static const char *const scene =
    "<scene dt='0.01' gravity='0 -9.81 0'>\n"
    "<solid name='beam' young='1e5' poisson='0.3'><box size='0.6 0.2 0.2' cells='6 2 2'/>\n"
    "<region name='soft' box='0.3 -1 -1 9 1 1' young='5e4'/>\n"
    "<fix plane='0 0 0 1 0 0' within='1e-6'/><probe name='tip' near='0.6 0.2 0.2' quantity='position velocity'/></solid>\n"
    "<rigid name='ball' motion='kinematic'><sphere radius='0.05'/><move translate='{t} 0.4 0' rotate='0 {90*t} 0'/></rigid>\n"
    "<record file='a.xdmf' every='2' precision='double' compress='yes' "
    "quantity='displacement stress von-mises strain-energy rotation region'/>\n"
    "<record file='f.xdmf' period='0.025'/>\n"
    "<record file='v.vtu' every='5' quantity='velocity von-mises'/><record file='z.vtu' every='10' compress='yes'/>\n"
    "<record file='s.obj' every='10'/><record file='s.ply' every='10'/><record file='p.csv'/>\n"
    "<stop steps='40'/></scene>\n";

static const char *in(const char *name) {
    static char paths[6][160];
    static int turn;
    if (!folder[0]) {
        strcpy(folder, "/tmp/souple-tools-XXXXXX");
        if (!mkdtemp(folder)) abort();
    }
    char *path = paths[turn++ % 6];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const char *text) {
    const char *path = in(name);
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
    return path;
}

static int shell(const char *format, ...) {
    char command[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static bool with_hdf5(void) {
    sp_context *ctx;
    sp_recording *r;
    sp_context_create(NULL, &ctx);
    bool there = sp_recording_open(ctx, "none.h5", &r) != SP_UNAVAILABLE;
    sp_context_destroy(&ctx);
    if (!there) printf("    left out: this build has no HDF5\n");
    return there;
}

static bool with_python(const char *modules) {
    bool there = shell(PYTHON " -c 'import %s' 2>/dev/null", modules) == 0;
    if (!there) printf("    left out: " PYTHON " with %s is not here\n", modules);
    return there;
}

static bool record_once(void) {
    static bool done;
    if (done) return true;
    put("scene.xml", scene);
    done = shell(SOUPLE " run %s --out %s --quiet --json > %s", in("scene.xml"), in("out"), in("summary.json")) == 0;
    return done;
}

// follows every reference of the light data, compares shapes, checks that numbers are finite and the temporal collection is in
// order
static const char *const xdmf_script =
    "import sys, os, re, xml.etree.ElementTree as E\n"
    "import h5py, numpy as np\n"
    "def item(d, base):\n"
    "    dims = [int(v) for v in d.get('Dimensions').split()]\n"
    "    if d.get('ItemType') == 'HyperSlab':\n"
    "        sel, src = list(d)\n"
    "        assert sel.get('Format') == 'XML'\n"
    "        s = np.array(sel.text.split(), int).reshape([int(v) for v in sel.get('Dimensions').split()])\n"
    "        data = item(src, base)\n"
    "        assert s.shape == (3, data.ndim) and (s[1] == 1).all()\n"
    "        out = data[tuple(slice(a, a + c) for a, c in zip(s[0], s[2]))]\n"
    "        assert out.size == np.prod(dims), (out.shape, dims)\n"
    "        return out.reshape(dims)\n"
    "    assert d.get('Format') == 'HDF'\n"
    "    name, path = d.text.split(':')\n"
    "    data = h5py.File(os.path.join(base, name), 'r')[path]\n"
    "    assert list(data.shape[1:]) == dims[1:] and data.shape[0] >= dims[0], (data.shape, dims)\n"
    "    kind, size = data.dtype.kind, data.dtype.itemsize\n"
    "    assert {'f': 'Float', 'i': 'Int'}[kind] == d.get('NumberType') and size == int(d.get('Precision'))\n"
    "    return data[:dims[0]]\n"
    "def read(path):\n"
    "    root = E.parse(path).getroot()\n"
    "    assert root.tag == 'Xdmf' and root.get('Version') == '3.0' and [c.tag for c in root] == ['Domain']\n"
    "    series, = root[0]\n"
    "    assert series.get('CollectionType') == 'Temporal'\n"
    "    frames = []\n"
    "    for f in series:\n"
    "        assert f.tag == 'Grid' and f.get('CollectionType') == 'Spatial' and f[0].tag == 'Time'\n"
    "        bodies = {}\n"
    "        for g in f[1:]:\n"
    "            t = g.find('Topology')\n"
    "            cells = item(t[0], os.path.dirname(path))\n"
    "            cells = cells.reshape(int(t.get('NumberOfElements')), -1)\n"
    "            assert cells.shape[1] == {'Tetrahedron': 4, 'Triangle': 3, 'Polyvertex': 1}[t.get('TopologyType')]\n"
    "            b = {'cells': cells, 'position': item(g.find('Geometry')[0], os.path.dirname(path))}\n"
    "            n = {'Node': len(b['position']), 'Cell': len(cells)}\n"
    "            for a in g.findall('Attribute'):\n"
    "                v = b[a.get('Name')] = item(a[0], os.path.dirname(path))\n"
    "                assert len(v) == n[a.get('Center')] and np.isfinite(v).all()\n"
    "                assert v.size // len(v) in {'Scalar': [1], 'Vector': [3], 'Matrix': [2, 6]}[a.get('AttributeType')]\n"
    "            assert cells.min() >= 0 and cells.max() < len(b['position']) and np.isfinite(b['position']).all()\n"
    "            bodies[g.get('Name')] = b\n"
    "        frames.append((float(f[0].get('Value')), bodies))\n"
    "    assert all(a[0] < b[0] for a, b in zip(frames, frames[1:]))\n"
    "    return frames\n";

TEST(h5py_reads_the_recording) {
    if (!with_hdf5() || !with_python("h5py, numpy")) return;
    REQUIRE(record_once());
    put("xdmf.py", xdmf_script);
    put("read.py",
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from xdmf import *\n"
        "out = sys.argv[1] + '/out/'\n"
        "f = h5py.File(out + 'a.h5', 'r'); run = json.load(open(sys.argv[1] + '/summary.json'))\n"
        "frames = read(out + 'a.xdmf')\n"
        "assert len(frames) == len(f['frames/time']) == 21 and f['complete'][0] == 1\n"
        "assert '%016x' % f['frames/hash'][-1] == run['hash'], 'hash'\n"
        "b = frames[-1][1]['beam']; h = f['bodies/beam/0']\n"
        "assert (b['position'] == h['position'][20]).all() and b['position'].dtype == np.float64\n"
        "assert abs(b['position'] - b['displacement'] - h['position'][0]).max() < 1e-15\n"
        "s = b['stress'].T; vm = np.sqrt(((s[0]-s[1])**2+(s[1]-s[2])**2+(s[2]-s[0])**2)/2+3*(s[3]**2+s[4]**2+s[5]**2))\n"
        "assert np.allclose(vm, b['von-mises'], rtol=1e-12)\n"
        "body = [x for x in run['bodies'] if x['name'] == 'beam'][0]\n"
        "assert abs(b['strain-energy'].sum() / body['energy']['elastic'] - 1) < 1e-12\n"
        "x = b['position'][b['cells']]; v = np.einsum('ij,ij->i', np.cross(x[:,1]-x[:,0], x[:,2]-x[:,0]), x[:,3]-x[:,0]) / 6\n"
        "assert abs(v.sum() / body['volume']['end'] - 1) < 1e-12\n"
        "assert set(np.unique(b['region'])) == {0, 1} and (b['rotation'] >= 0).all()\n"
        "assert h['position'].chunks == (1,) + h['position'].shape[1:] and h['position'].compression == 'gzip'\n"
        "p = f['probes/beam.tip']\n"
        "assert p['value'].shape == (41, 6) and p['columns'][0] == b'position.x [m]'\n"
        "tip = h['position'][0].tolist().index([0.6, 0.2, 0.2]) if [0.6, 0.2, 0.2] in h['position'][0].tolist() else None\n"
        "assert tip is None or (p['value'][40, :3] == h['position'][20, tip]).all()\n"
        "assert f['provenance/scene'][()].decode() == open(sys.argv[1] + '/scene.xml').read()\n"
        "g = read(out + 'f.xdmf'); assert len(g) == 17 and g[1][0] == 0.025\n"
        "assert h5py.File(out + 'f.h5', 'r')['frames/interpolated'][1] == 1\n"
        "a, c = f['bodies/beam/0/position'][1], g[1][1]['beam']['position']\n"
        "assert c.dtype == np.float32\n"
        "files = {r['file'].split('/')[-1]: r for r in run['records']}\n"
        "assert files['a.xdmf']['frames'] == 21 and files['p.csv']['frames'] == 41 and files['v.vtu']['frames'] == 9\n"
        "assert files['a.xdmf']['bytes'] == os.path.getsize(out + 'a.xdmf') + os.path.getsize(out + 'a.h5')\n");
    CHECK_INT(shell(PYTHON " %s %s", in("read.py"), folder), 0);
}

// contacts are a point set; a frame without contacts has none
TEST(h5py_reads_contacts) {
    if (!with_hdf5() || !with_python("h5py, numpy")) return;
    put("contact.xml", "<scene dt='0.01'><solid name='cube' density='1000' young='3e5' rayleigh='0 0.02' translate='0 0.02 0'>"
                       "<box size='0.1 0.1 0.1' cells='2 2 2'/></solid><rigid name='floor'><plane normal='0 1 0'/></rigid>"
                       "<contact formulation='proximity'/><record file='c.xdmf' every='5' quantity='contact-force'/><stop "
                       "steps='100'/></scene>");
    REQUIRE(shell(SOUPLE " run %s --out %s --quiet --json > %s", in("contact.xml"), in("contact"), in("contact.json")) == 0);
    put("xdmf.py", xdmf_script);
    put("contacts.py",
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from xdmf import *\n"
        "frames = read(sys.argv[1] + '/contact/c.xdmf'); f = h5py.File(sys.argv[1] + '/contact/c.h5', 'r')['contacts']\n"
        "run = json.load(open(sys.argv[1] + '/contact.json'))['contacts']\n"
        "counts = [len(b['contacts']['position']) if 'contacts' in b else 0 for t, b in frames]\n"
        "assert counts == list(f['count']) and counts[0] == 0 and counts[-1] == run['count'] == 9 and len(f['gap']) == "
        "sum(counts)\n"
        "c = frames[-1][1]['contacts']\n"
        "assert (c['cells'][:, 0] == range(9)).all() and (c['bodies'] == [0, 1]).all()\n"
        "pair, = run['pairs']\n"
        "assert pair['bodies'] == ['cube', 'floor'] and np.allclose(c['force'].sum(0), pair['force'], atol=1e-5)\n"
        // single precision; the weight of 1 kg
        "assert abs(c['force'][:, 1].sum() - 9.81) < 1e-3 and np.allclose(c['normal'], [0, 1, 0])\n"
        "assert abs(c['position'][:, 1]).max() < 1e-6 and abs(c['pressure'].max() / run['pressure'] - 1) < 1e-6\n"
        "assert np.allclose(frames[-1][1]['cube']['contact-force'].sum(0), c['force'].sum(0), atol=1e-5)\n");
    CHECK_INT(shell(PYTHON " %s %s", in("contacts.py"), folder), 0);
}

// a recording that a program starts and stops in a run, as the page does
TEST(h5py_reads_what_was_recorded_for_a_while) {
    if (!with_hdf5() || !with_python("h5py, numpy")) return;
    static const char *const fields[] = {"von-mises"};
    sp_context *ctx = NULL;
    sp_scene *s = NULL;
    sp_run *run = NULL;
    sp_run_recorder *recorder = NULL;
    sp_run_recorder_def def = sp_run_recorder_def_default();
    char path[160];
    snprintf(path, sizeof path, "%s", in("live.xdmf"));
    def.path = path, def.quantities = fields, def.quantity_count = 1, def.wait = true;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp_scene_parse(ctx, scene, strlen(scene), "live.xml", NULL, &s) == SP_OK && sp_run_create(s, NULL, &run) == SP_OK);
    for (int i = 0; i < 8; i++) {
        REQUIRE(sp_run_step(run) >= 0);
        if (i == 2) REQUIRE(sp_run_recorder_start(run, &def, &recorder) == SP_OK);
        if (i > 2) CHECK_INT(sp_run_recorder_step(recorder), SP_OK);
    }
    CHECK_INT(sp_run_recorder_stop(&recorder), SP_OK);
    sp_run_destroy(&run);
    sp_scene_destroy(&s);
    sp_context_destroy(&ctx);
    put("xdmf.py", xdmf_script);
    put("live.py", "import sys; sys.path.insert(0, sys.argv[1])\n"
                   "from xdmf import *\n"
                   "frames = read(sys.argv[1] + '/live.xdmf'); f = h5py.File(sys.argv[1] + '/live.h5', 'r')\n"
                   "assert np.allclose([t for t, b in frames], 0.01 * np.arange(3, 9), rtol=1e-12) and f['complete'][0] == 1\n"
                   "assert list(f['frames/step']) == [3, 4, 5, 6, 7, 8] and len(f['probes/beam.tip/time']) == 5\n"
                   "assert all(set(b) == {'beam', 'ball'} and b['beam']['von-mises'].max() > 0 for t, b in frames)\n");
    CHECK_INT(shell(PYTHON " %s %s", in("live.py"), folder), 0);
}

TEST(vtk_reads_the_frames) {
    if (!with_hdf5() || !with_python("vtk, h5py, numpy")) return;
    REQUIRE(record_once());
    put("vtu.py",
        "import sys, vtk, h5py, numpy as np, xml.etree.ElementTree as E\n"
        "from vtk.util.numpy_support import vtk_to_numpy as N\n"
        "out = sys.argv[1] + '/out/'\n"
        "f = h5py.File(out + 'a.h5', 'r')\n"
        "for name, count, step in (('v', 9, 5), ('z', 5, 10)):\n"
        "    sets = E.parse(out + name + '.pvd').getroot()[0]\n"
        "    assert len(sets) == count\n"
        "    for k, s in enumerate(sets):\n"
        "        r = vtk.vtkXMLUnstructuredGridReader(); r.SetFileName(out + s.get('file')); r.Update(); g = r.GetOutput()\n"
        "        assert abs(float(s.get('timestep')) - 0.01 * step * k) < 1e-12\n"
        "        body = N(g.GetCellData().GetArray('body')); types = np.array([g.GetCellType(i) for i in "
        "range(g.GetNumberOfCells())])\n"
        "        assert (types[body == 0] == vtk.VTK_TETRA).all() and (types[body == 1] == vtk.VTK_TRIANGLE).all()\n"
        "        n = f['bodies/beam/0/position'].shape[1]; x = N(g.GetPoints().GetData())\n"
        "        if step * k % 2: continue\n"
        "        frame = step * k // 2\n"
        "        assert np.array_equal(x[:n], f['bodies/beam/0/position'][frame]), name\n"
        "        assert np.allclose(x[n:], f['bodies/ball/0/position'][frame], rtol=0, atol=1e-15)\n"
        "        if name == 'v':\n"
        "            m = len(f['bodies/beam/0/cells'])\n"
        "            assert np.array_equal(N(g.GetCellData().GetArray('von-mises'))[:m], f['bodies/beam/0/von-mises'][frame])\n"
        "            assert np.array_equal(N(g.GetPointData().GetArray('velocity'))[:n], f['bodies/beam/0/velocity'][frame])\n"
        "for reader, end in ((vtk.vtkOBJReader, 'obj'), (vtk.vtkPLYReader, 'ply')):\n"
        "    r = reader(); r.SetFileName(out + 's-000004.' + end); r.Update(); g = r.GetOutput()\n"
        "    x = N(g.GetPoints().GetData()); low = f['bodies/beam/0/position'][20].min(0)\n"
        "    assert g.GetNumberOfCells() > 100 and abs(x.min(0)[1] - low[1]) < 1e-6, end\n");
    CHECK_INT(shell(PYTHON " %s %s", in("vtu.py"), folder), 0);
}

// ---------------------------------------------------------------------------------------------------- the state in the file

TEST(a_second_run_has_the_hashes_of_the_file) {
    if (!with_hdf5()) return;
    REQUIRE(record_once());
    sp_context *ctx;
    sp_recording *r;
    sp_recording_info info;
    sp_scene *again;
    sp_run *run;
    sp_context_create(NULL, &ctx);
    REQUIRE(sp_recording_open(ctx, in("out/a.xdmf"), &r) == SP_OK);
    sp_recording_get(r, &info);
    // uses the recording alone: its scene and its values of --set
    sp_scene_options options = sp_scene_options_default();
    options.sets = info.sets, options.set_count = info.set_count;
    REQUIRE(sp_scene_parse(ctx, info.scene, info.scene_size, info.scene_path, &options, &again) == SP_OK);
    REQUIRE(sp_run_create(again, NULL, &run) == SP_OK);
    for (int i = 0; i < info.frame_count; i++) {
        sp_recording_frame f;
        sp_recording_frame_at(r, i, &f);
        while (sp_world_steps(sp_run_world(run)) < f.step) REQUIRE(sp_run_step(run) >= 0);
        CHECK(sp_world_hash(sp_run_world(run)) == f.hash);
    }
    CHECK(sp_recording_show(r, 3, run) == SP_OK);
    sp_run_destroy(&run);
    sp_scene_destroy(&again);
    sp_recording_close(&r);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- interrupted runs

static const char *const endless =
    "<scene dt='0.01' gravity='0 -9.81 0'><solid name='beam' young='1e5'><box size='0.6 0.2 0.2' cells='6 2 2'/>"
    "<fix plane='0 0 0 1 0 0' within='1e-6'/><probe name='tip' near='0.6 0.2 0.2'/></solid>"
    "<record file='k.xdmf' quantity='stress displacement'/><record file='k.vtu' every='7'/><record file='k.csv'/>"
    "<stop steps='1000000'/></scene>";

static pid_t start_run(const char *path, const char *out, long limit) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    if (limit) {
        struct rlimit r = {(rlim_t)limit, (rlim_t)limit};
        setrlimit(RLIMIT_FSIZE, &r);
    }
    if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)) _exit(99);
    execl(SOUPLE, "souple", "run", path, "--out", out, "--quiet", "--threads", "1", (char *)NULL);
    _exit(99);
}

// the file has this number of frames, each complete: stress, displacement and position belong to one state
static int check_left(const char *out) {
    sp_context *ctx;
    sp_recording *r;
    sp_recording_info info;
    char path[200];
    sp_context_create(NULL, &ctx);
    snprintf(path, sizeof path, "%s/k.xdmf", out);
    sp_status status = sp_recording_open(ctx, path, &r);
    if (status < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    if (status < 0) return sp_context_destroy(&ctx), -1;
    sp_recording_get(r, &info);
    CHECK(!info.complete);
    double first[3 * 63], x[3 * 63], u[3 * 63];
    for (int i = 0; i < info.frame_count; i++) {
        sp_recording_frame f;
        sp_recording_frame_at(r, i, &f);
        CHECK(f.step == (uint64_t)i && f.hash != 0);
        CHECK(sp_recording_field(r, i, 0, "position", x) == SP_OK && sp_recording_field(r, i, 0, "displacement", u) == SP_OK);
        if (i == 0) memcpy(first, x, sizeof x);
        // floats of numbers below one
        for (int k = 0; k < 3 * 63; k++)
            if (!(fabs(x[k] - u[k] - first[k]) < 3e-7)) SP_TEST_FAILED("frame %d is torn at number %d", i, k), k = 3 * 63;
    }
    int frames = info.frame_count;
    sp_recording_close(&r);
    sp_context_destroy(&ctx);
    return frames;
}

TEST(a_killed_run_leaves_its_frames) {
    if (!with_hdf5()) return;
    char path[160];
    snprintf(path, sizeof path, "%s", put("endless.xml", endless));
    bool python = with_python("h5py, numpy");
    put("xdmf.py", xdmf_script);
    put("left.py", "import sys; sys.path.insert(0, sys.argv[1])\nfrom xdmf import *\n"
                   "n = len(h5py.File(sys.argv[2] + '/k.h5', 'r')['frames/time'])\n"
                   "assert n - 1 <= len(read(sys.argv[2] + '/k.xdmf')) <= n\n"
                   "E.parse(sys.argv[2] + '/k.pvd')\n");
    int most = 0;
    for (int round = 0; round < 8; round++) {
        char out[160], file[180];
        struct stat info;
        snprintf(out, sizeof out, "%s/killed%d", folder, round);
        snprintf(file, sizeof file, "%s/k.xdmf", out);
        pid_t pid = start_run(path, out, 0);
        REQUIRE(pid > 0);
        // waits until there is a frame, then kills the run at a different moment each time
        struct timespec t = {.tv_nsec = 2000000};
        for (int i = 0; i < 5000 && (stat(file, &info) != 0 || info.st_size < 2000 + 4001 * round); i++) nanosleep(&t, NULL);
        t.tv_nsec = 700000L * round + 1000;
        nanosleep(&t, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        int frames = check_left(out);
        CHECK(frames > 0);
        if (frames > most) most = frames;
        if (python) CHECK_INT(shell(PYTHON " %s %s %s", in("left.py"), folder, out), 0);
    }
    printf("    up to %d frames\n", most);
}

TEST(a_full_disk_loses_only_unwritten_frames) {
    if (!with_hdf5()) return;
    char out[160];
    const char *path = put("endless.xml", endless);
    snprintf(out, sizeof out, "%s/full", folder);
    pid_t pid = start_run(path, out, 200000);
    int status = 0;
    REQUIRE(pid > 0);
    waitpid(pid, &status, 0);
    // reported as a failure of the run, not a crash
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(check_left(out) > 3);
}

TEST(temporary_files_are_removed) {
    if (folder[0]) CHECK_INT(shell("rm -r %s", folder), 0);
}
