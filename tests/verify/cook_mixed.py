#!/usr/bin/python3
"""Reference values of Cook's membrane, computed without Souple: plane strain, nearly incompressible, by mixed elements.

    tools/install.sh reference
    tests/verify/cook_mixed.py [CELLS]      prints the rise of the upper right corner for 4, 8, ... CELLS cells along a side

With 16 cells, the default, it takes a minute or two: linear 8.0569 8.0742 8.0757, isochoric 6.9258 6.9331 6.9341, log 6.9224
6.9327 6.9340; the limits are 8.076, 6.934 and 6.934. Taylor-Hood triangles of GetFEM: quadratic displacements and linear continuous
pressures, which satisfy the inf-sup condition and do not lock for any bulk modulus. With the pressure p as an unknown of its own,
the laws of tests/verify/locking.c and cook.c are

    linear       sigma = 2 mu e + p I,                                 div u = p / lambda
    isochoric    P = mu J^(-2/3) (F - (I1 / 3) F^-T) + p J F^-T,       (J - 1 / J) / 2 = p / k
    log          P = mu (F - F^-T) + p F^-T,                           ln J = p / lambda

F is that of the plane; the third stretch is 1, so I1 has one more than the trace of F^T F.

Stresses are singular in the two clamped corners, and jump in the two corners of the loaded edge. Uniform meshes therefore
converge with an order near 1; here triangles are halved again and again towards the four corners.
"""
import sys

import getfem as gf
import numpy as np

YOUNG, POISSON, FORCE = 240.565, 0.4999, 100.0
MU = YOUNG / (2 * (1 + POISSON))
LAMBDA = 2 * MU * POISSON / (1 - 2 * POISSON)
BULK = LAMBDA + 2 * MU / 3
LEFT, RIGHT = 1, 2

LINEAR = ("2*mu*Sym(Grad_u):Grad_Test_u + p*Trace(Grad_Test_u)", "(Trace(Grad_u) - p/lambda)*Test_p")
F = "(Id(2)+Grad_u)"
ISOCHORIC = (f"(mu*pow(Det{F},-2/3)*({F} - (Norm_sqr({F})+1)/3*Inv({F})') + p*Det{F}*Inv({F})'):Grad_Test_u",
             f"((Det{F} - 1/Det{F})/2 - p/k)*Test_p")
LOG = (f"(mu*({F} - Inv({F})') + p*Inv({F})'):Grad_Test_u", f"(log(Det{F}) - p/lambda)*Test_p")


def placed(x, y):
    return np.array([48 * x, 44 * x + y * (44 - 28 * x)])


def membrane(cells, levels):
    """The unit square to (0, 0), (48, 44), (48, 60), (0, 44); triangles at the clamped corners are halved `levels` times."""
    lines = np.linspace(0, 1, cells + 1)
    mesh = gf.Mesh("triangles grid", lines, lines)
    for level in range(levels):
        near = 0.5 / 2**level
        middle = {int(c): mesh.pts(mesh.pid_from_cvid(int(c))[0]).mean(axis=1) for c in mesh.cvid()}
        mesh.refine([c for c, m in middle.items() if np.hypot(*(m - np.round(m))) < near])
    mesh.set_pts(placed(*mesh.pts()))
    border = mesh.outer_faces()
    normal = np.array([mesh.normal_of_face(c, f) for c, f in border.T])
    mesh.set_region(LEFT, border[:, normal[:, 0] < -0.999])
    mesh.set_region(RIGHT, border[:, normal[:, 0] > 0.999])
    return mesh


def rise(law, cells, levels):
    """Displacement of the corner (48, 60)."""
    mesh = membrane(cells, levels)
    u, p = gf.MeshFem(mesh, 2), gf.MeshFem(mesh, 1)
    u.set_fem(gf.Fem("FEM_PK(2,2)"))
    p.set_fem(gf.Fem("FEM_PK(2,1)"))
    points = gf.MeshIm(mesh, gf.Integ("IM_TRIANGLE(5)"))
    model = gf.Model("real")
    model.add_fem_variable("u", u)
    model.add_fem_variable("p", p)
    for name, value in (("mu", MU), ("lambda", LAMBDA), ("k", BULK), ("load", 0.0)):
        model.add_initialized_data(name, value)
    for term in law:
        model.add_nonlinear_term(points, term)
    model.add_nonlinear_term(points, "-load*Test_u(2)", RIGHT)
    model.add_Dirichlet_condition_with_simplification("u", LEFT)
    steps = 1 if law is LINEAR else 4
    for step in range(steps):
        model.set_variable("load", FORCE / 16 * (step + 1) / steps)
        iterations, converged = model.solve("max_res", 1e-7, "max_iter", 40)
        if not converged:
            sys.exit(f"Newton's method ends after {iterations} iterations with {cells} cells")
    return gf.compute_interpolate_on(u, model.variable("u"), np.array([[48.0], [60.0]]))[1][0]


def main():
    gf.util_trace_level(0)
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    for name, law in (("linear", LINEAR), ("neo-Hookean, isochoric", ISOCHORIC), ("neo-Hookean, log", LOG)):
        print(f"{name}:", end="", flush=True)
        cells = 4
        while cells <= most:
            print(f"  {rise(law, cells, 8):.4f}", end="", flush=True)
            cells *= 2
        print()


main()
