// CalculiX (ccx, http://www.calculix.de, Dhondt, "The Finite Element Method for Three-dimensional Thermomechanical Applications",
// 2004): an input file is written, the program runs, and displacements are read from its printed table, which has seven digits.
#ifndef SP_VERIFY_CCX_H
#define SP_VERIFY_CCX_H

#include <stdlib.h>
#include <unistd.h>

#include "verify.h"

static inline bool have_ccx(void) {
    if (system("command -v ccx >/dev/null 2>&1") == 0) return true;
    printf("  ccx is not installed (Debian: calculix-ccx; make test installs it)\n");
    return false;
}

// The mesh as blocks *NODE (set NALL) and *ELEMENT (set EALL). Orders of the nodes are those of VTK. ccx reads at most twenty
// characters per number: thirteen digits.
static inline void ccx_mesh(FILE *f, const sp_mesh *mesh) {
    static const char *const names[] = {[SP_ELEMENT_TET4] = "C3D4", [SP_ELEMENT_TET10] = "C3D10", [SP_ELEMENT_HEX8] = "C3D8"};
    const double *X = sp_mesh_positions(mesh);
    fprintf(f, "*NODE, NSET=NALL\n");
    for (int i = 0; i < sp_mesh_node_count(mesh); i++)
        fprintf(f, "%d, %.12e, %.12e, %.12e\n", i + 1, X[3 * i], X[3 * i + 1], X[3 * i + 2]);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *nodes;
        sp_element_type type = sp_mesh_element(mesh, e, &nodes);
        fprintf(f, "*ELEMENT, TYPE=%s, ELSET=EALL\n%d", names[type], e + 1);
        for (int a = 0; a < sp_element_nodes(type); a++) fprintf(f, ", %d", nodes[a] + 1);
        fprintf(f, "\n");
    }
}

static inline double *ccx_table(const char *path, int n) {
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    double *u = calloc(3 * (size_t)n, sizeof *u), v[3];
    int id, seen = 0;
    char line[256];
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%d %lf %lf %lf", &id, &v[0], &v[1], &v[2]) == 4 && id >= 1 && id <= n) {
            memcpy(u + 3 * (id - 1), v, sizeof v);
            seen++;
        }
    fclose(f);
    if (seen == n) return u;
    free(u);
    return NULL;
}

// Runs ccx on the file that `write` makes; displacements of n nodes, which the caller frees, or NULL.
static inline double *ccx_run(bool (*write)(const char *path, const void *user), const void *user, int n) {
    const char *root = getenv("TMPDIR");
    char dir[400], path[450], command[1000];
    snprintf(dir, sizeof dir, "%s/souple-ccx-XXXXXX", root && strlen(root) < 300 ? root : "/tmp");
    if (!mkdtemp(dir)) return NULL;
    snprintf(path, sizeof path, "%s/job.inp", dir);
    snprintf(command, sizeof command, "cd '%s' && OMP_NUM_THREADS=1 ccx -i job >log 2>&1", dir);
    double *u = NULL;
    if (write(path, user)) {
        int code = system(command);
        snprintf(path, sizeof path, "%s/job.dat", dir);
        u = ccx_table(path, n);
        if (!u) printf("  ccx ended with %d and no displacements\n", code);
    }
    static const char *const left[] = {"job.inp", "job.dat", "job.frd", "job.sta", "job.cvg", "job.12d", "spooles.out", "log"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, left[i]);
        unlink(path);
    }
    rmdir(dir);
    return u;
}

#endif
