"""Young's modulus of a rubber strip from photographs of it.

A strip hangs out over the edge of a table. Weights are hung on its end, and the height of the end is read with an error of 0.5 mm.
Which modulus explains the readings best? The readings are made by the program itself, with a modulus of 2.4 MPa and noise from a
fixed seed, so that the answer is known. SciPy's least squares finds it, with its uncertainty; every evaluation is five static
simulations with large deflections, for which no formula exists.

How to run it (needs NumPy and SciPy):

    python3 examples/python/identify.py

Output:

    readings [mm]: -24.9 -34.0 -42.7 -57.4 -77.3
    Young's modulus: 2.39 MPa +- 0.02 MPa
    evaluations: 6
"""
import numpy
from scipy.optimize import least_squares

import souple

WEIGHTS = [0.0, 0.005, 0.01, 0.02, 0.04]  # kg


def strip(young, weight):
    """A clamped strip of 150 x 20 x 10 mm, bent by its own weight and by a weight on its end, at rest."""
    scene = souple.build.scene(name="strip", dt=1)
    scene.integrator(type="static", iterations=50)
    body = scene.solid(name="strip", material="neo-hookean", young=young, poisson=0.45, density=1100)
    body.box(size=(0.15, 0.01, 0.02), cells=(15, 2, 2), pattern="hex")
    body.fix(plane=(0, 0, 0, 1, 0, 0), within=1e-6)
    if weight > 0:
        body.load(plane=(0.15, 0, 0, 1, 0, 0), within=1e-6, force=(0, -9.81 * weight, 0))
    body.probe(name="end", near=(0.15, 0, 0.01), quantity="position")
    scene.stop(steps=1)
    return scene


def heights(young):
    """Height of the end for each weight [m]."""
    results = [souple.run(strip(young, weight), keep=False) for weight in WEIGHTS]
    return numpy.array([result["end"]["position.y"][-1] for result in results])


noise = numpy.random.default_rng(7).normal(0, 5e-4, len(WEIGHTS))
readings = heights(2.4e6) + noise
print("readings [mm]:", " ".join("%.1f" % (1000 * y) for y in readings))

# the unknown is the logarithm, so that the modulus stays positive and steps are relative
fit = least_squares(lambda x: (heights(numpy.exp(x[0])) - readings) / 5e-4, [numpy.log(1e6)], diff_step=1e-3)
young = numpy.exp(fit.x[0])
deviation = young / numpy.sqrt((fit.jac.T @ fit.jac)[0, 0])
print("Young's modulus: %.2f MPa +- %.2f MPa" % (young / 1e6, deviation / 1e6))
print("evaluations: %d" % fit.nfev)
