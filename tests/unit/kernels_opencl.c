// Every header of src/kernels is OpenCL C: clang reads each of them alone, in float and in double, for OpenCL C 1.2 and 3.0, and
// float without the extension for double. What it makes of the float kernels contains no number of type double.
//
// clang belongs to the tools of the tests (tools/install.sh test): without it the test fails.
#include <dirent.h>
#include <stdbool.h>

#include "test.h"

static const char *const options = "-Wall -Wextra -Werror -Wno-unused-function -DSP_LANES=1 -I" SP_SOURCE_DIR "/src";

static bool clang_is_there(void) {
    if (system("clang --version > clang.txt 2>&1") == 0) return true;
    SP_TEST_FAILED("clang is missing, which checks the kernels as OpenCL C: tools/install.sh test");
    return false;
}

static void compile(const char *header, const char *standard, const char *precision) {
    char command[1024];
    snprintf(command, sizeof command, "clang -x cl -cl-std=%s -fsyntax-only %s %s -include kernels/%s /dev/null", standard,
             options, precision, header);
    if (system(command) != 0) SP_TEST_FAILED("%s is not OpenCL C: %s", header, command);
}

TEST(every_header_is_opencl_c) {
    NOT_SANITIZED();
    DIR *folder = opendir(SP_SOURCE_DIR "/src/kernels");
    int count = 0;
    REQUIRE(folder);
    if (!clang_is_there()) {
        closedir(folder);
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t n = strlen(entry->d_name);
        if (n < 2 || strcmp(entry->d_name + n - 2, ".h") != 0) continue;
        compile(entry->d_name, "CL1.2", "");
        compile(entry->d_name, "CL3.0", "");
        compile(entry->d_name, "CL1.2", "-DSP_REAL_FLOAT -Wdouble-promotion -Xclang -cl-ext=-cl_khr_fp64");
        compile(entry->d_name, "CL3.0", "-DSP_REAL_FLOAT -Wdouble-promotion");
        count++;
    }
    closedir(folder);
    CHECK(count >= 12);
}

// one kernel that uses a law on invariants, one on stretches, the tetrahedra and the mean dilatation
static const char program[] =
    "#include \"kernels/bar.h\"\n"
    "#include \"kernels/tensor.h\"\n"
    "#include \"kernels/warp.h\"\n"
    "kernel void every(global const sp_real *in, global sp_real *out, int law) {\n"
    "    sp_lane p[SP_LAW_PARAMS], H[9], P[9], T[21], G[9], f[9], e[6];\n"
    "    size_t at = 64 * get_global_id(0);\n"
    "    for (int k = 0; k < SP_LAW_PARAMS; k++) p[k] = in[at + k];\n"
    "    for (int k = 0; k < 9; k++) H[k] = in[at + 16 + k];\n"
    "    iso_response r;\n"
    "    iso_respond((sp_law)law, 1, p, H, &r);\n"
    "    iso_stress(&r, in[at + 30], P);\n"
    "    iso_tangent(&r, in[at + 30], T);\n"
    "    bar_point q;\n"
    "    out[at + 40] = iso_energy((sp_law)law, p, H) + bar_decompose((sp_law)law, p, H, &q);\n"
    "    out[at + 41] = tet_state(H, H + 3, p[0], p[1], TET_SVD, 0, G, f, e) + tet_stretch_energy(H, p[0], p[1]);\n"
    "    tensor_kind kind = {4, 0, 1};\n"
    "    sp_lane N[28];\n"
    "    out[at + 42] = tensor_state(kind, 1, p, H, p[0], H, G, N, f);\n"
    "    tensor_product(kind, N, G, H, f);\n"
    "    for (int k = 0; k < 9; k++) out[at + k] = P[k] + f[k];\n"
    "    for (int k = 0; k < 21; k++) out[at + 10 + k] = T[k];\n"
    "}\n";

// lines of the intermediate code that contain the word
static int lines_with(const char *path, const char *word) {
    char line[4096];
    int count = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) count += strstr(line, word) != NULL;
    if (f) fclose(f);
    return count;
}

TEST(float_kernels_contain_no_double) {
    NOT_SANITIZED();
    char command[1024];
    if (!clang_is_there()) return;
    FILE *f = fopen("every.cl", "w");
    REQUIRE(f);
    fputs(program, f);
    fclose(f);
    for (int precision = 0; precision < 2; precision++) {
        const char *define = precision ? "" : "-DSP_REAL_FLOAT";
        snprintf(command, sizeof command, "clang -x cl -cl-std=CL1.2 -target spir64 -O1 -S -emit-llvm %s %s every.cl -o every.ll",
                 options, define);
        CHECK_INT(system(command), 0);
        CHECK(lines_with("every.ll", precision ? "double" : "float") > 100);
        CHECK_INT(lines_with("every.ll", precision ? "float " : "double"), 0);
    }
}
