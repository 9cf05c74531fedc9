"""How firmly must two jaws press to lift a soft bar?

A parameter study: scenes/contact/grasp.xml for every combination of friction and pressing, several runs at a time. The bar weighs
39.2 N. A jaw that presses with the force N holds 2 mu N / 2 = mu N of it by friction, so that the bar is held where 2 mu N exceeds its
weight. The table shows the height of its middle at the end: 0.05 m where it stays on the floor, 0.2 m where it is lifted.

How to run it, in the folder that has scenes/:

    python3 examples/python/sweep.py

Output:

    friction  pressed [m]  height [m]
         0.2        0.002       0.049
         0.2        0.005       0.048
         0.2        0.010       0.186  slips
         0.3        0.002       0.049
         0.3        0.005       0.049
         0.3        0.010       0.201  held
         0.4        0.002       0.049
         0.4        0.005       0.198  held
         0.4        0.010       0.200  held
         0.6        0.002       0.049
         0.6        0.005       0.199  held
         0.6        0.010       0.200  held
"""
import souple

# twelve runs; a coarse bar is enough for a table
results = souple.sweep(
    "scenes/contact/grasp.xml",
    {"mu": [0.2, 0.3, 0.4, 0.6], "squeeze": [0.002, 0.005, 0.01], "bar.box.cells": [(8, 2, 2)]},
    threads=0,
)

print("friction  pressed [m]  height [m]")
for result in results:
    height = result["middle"]["position.y"][-1]
    outcome = "  held" if height > 0.19 else "  slips" if height > 0.06 else ""
    print("%8.1f %12.3f %11.3f%s" % (result.values["mu"], result.values["squeeze"], height, outcome))
