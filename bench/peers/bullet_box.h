// What the programs on Bullet share: clocks, and boxes of path tetrahedra with lumped masses.
#ifndef SP_PEERS_BULLET_BOX_H
#define SP_PEERS_BULLET_BOX_H

#include <BulletSoftBody/btSoftBody.h>

#include <algorithm>
#include <ctime>
#include <vector>

inline double clock_ms(clockid_t which) {
    timespec t;
    clock_gettime(which, &t);
    return 1e3 * double(t.tv_sec) + 1e-6 * double(t.tv_nsec);
}

// the six path tetrahedra of the cell with corner `corner`, one for each permutation of the axes
inline void append_cell(btSoftBody *body, int corner, const int stride[3], std::vector<double> &mass, double share) {
    int order[3] = {0, 1, 2};
    do {
        int a = corner, b = a + stride[order[0]], c = b + stride[order[1]], d = c + stride[order[2]];
        bool even = (order[1] - order[0] + 3) % 3 == 1;
        body->appendTetra(a, even ? b : c, even ? c : b, d);
        for (int node : {a, b, c, d}) mass[size_t(node)] += share;
    } while (std::next_permutation(order, order + 3));
}

#endif
