#!/usr/bin/env python3
"""Writes scenes/materials/shirt.obj: a T-shirt of two panels of 2133 triangles, sewn at the sides, the sleeves and the shoulders.

A panel is a grid for the torso and one for each sleeve, which continues the rows of the torso above the armpit. Front and back
share the nodes of the seams; neck, hem and the ends of the sleeves are open. In the middle of the hem an edge of each panel is
halved: 4266 triangles. y is up, z to the front, lengths in metres.

    tools/shirt.py scenes/materials/shirt.obj
"""
import math
import sys

ACROSS, ROWS, ARMPIT, ALONG = 26, 32, 19, 9  # columns and rows of the torso, row of the armpit, columns of a sleeve
HALF, HEIGHT, SLOPE, NECK = 0.24, 0.66, 0.05, 0.085  # half width, height and fall of the shoulders, half width of the neck
DIP = {1: 0.09, -1: 0.03}  # of the neck: front, back
SLEEVE, FALL, NARROW = 0.17, math.radians(28), 0.8  # length, angle below the horizontal, width at the end over that at the armhole
TORSO, ARM = 0.10, 0.065  # half depths


def shoulder(x):
    return HEIGHT - SLOPE * abs(x) / HALF


def top(x, side):
    inside = max(0.0, 1 - (x / NECK) ** 2)
    return shoulder(x) - DIP[side] * math.sqrt(inside)


def arm_depth(row):
    """Of the tube of a sleeve at a row of the torso; 0 at its seams."""
    r = (row - ARMPIT) / (ROWS - ARMPIT)
    return ARM * math.sqrt(max(0.0, 1 - (2 * r - 1) ** 2)) if r >= 0 else 0.0


def torso_node(i, j, side):
    x = HALF * (2 * i / ACROSS - 1)
    y = top(x, side) * j / ROWS
    round_ = math.sqrt(max(0.0, 1 - (x / HALF) ** 2)) * math.sqrt(max(0.0, 1 - (y / shoulder(x)) ** 4))
    return x, y, side * math.hypot(TORSO * round_, arm_depth(j) * (abs(x) / HALF) ** 4)


def sleeve_node(k, j, side, hand):
    """k columns beyond the armhole, hand: -1 left, 1 right."""
    _, y, z = torso_node(ACROSS, j, side)
    _, high, _ = torso_node(ACROSS, ROWS, side)
    along = SLEEVE * k / ALONG
    narrow = 1 + (NARROW - 1) * k / ALONG
    return hand * (HALF + along * math.cos(FALL)), high + (y - high) * narrow - along * math.sin(FALL), z * narrow


class Mesh:
    def __init__(self):
        self.nodes, self.number, self.faces = [], {}, []

    def node(self, key, x):
        if key not in self.number:
            self.nodes.append(x)
            self.number[key] = len(self.nodes)
        return self.number[key]

    def torso(self, i, j, side):
        x = HALF * (2 * i / ACROSS - 1)
        seam = (i in (0, ACROSS) and j <= ARMPIT) or (j == ROWS and abs(x) >= NECK)
        return self.node((i, j, 0 if seam else side), torso_node(i, j, side))

    def sleeve(self, k, j, side, hand):
        if k == 0:
            return self.torso(0 if hand < 0 else ACROSS, j, side)
        seam = j in (ARMPIT, ROWS)
        return self.node((hand, k, j, 0 if seam else side), sleeve_node(k, j, side, hand))

    def cell(self, corners, odd, flip):
        """Two triangles; diagonals alternate, so that no direction is preferred."""
        a, b, c, d = corners
        for t in ((a, b, c), (a, c, d)) if odd else ((a, b, d), (b, c, d)):
            self.faces.append(tuple(reversed(t)) if flip else t)

    def panel(self, side):
        for i in range(ACROSS):
            for j in range(ROWS):
                corners = [self.torso(i + a, j + b, side) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                self.cell(corners, (i + j) % 2, side < 0)
        for hand in (-1, 1):
            for k in range(ALONG):
                for j in range(ARMPIT, ROWS):
                    corners = [self.sleeve(k + a, j + b, side, hand) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                    self.cell(corners, (k + j) % 2, side * hand < 0)


    def halve_hem(self, side):
        """Halves the edge of the hem that begins in the middle of a panel, and its triangle."""
        middle = ACROSS // 2
        a, b = self.torso(middle, 0, side), self.torso(middle + 1, 0, side)
        at = next(i for i, f in enumerate(self.faces) if a in f and b in f)
        half = self.node((middle, "half", side), [sum(x) / 2 for x in zip(self.nodes[a - 1], self.nodes[b - 1])])
        triangle = self.faces[at]
        self.faces[at] = tuple(half if n == b else n for n in triangle)
        self.faces.append(tuple(half if n == a else n for n in triangle))


def main():
    mesh = Mesh()
    for side in (1, -1):
        mesh.panel(side)
    for side in (1, -1):
        mesh.halve_hem(side)
    with open(sys.argv[1], "w") as out:
        print("# written by tools/shirt.py: a T-shirt of %d triangles" % len(mesh.faces), file=out)
        for x in mesh.nodes:
            print("v %.6g %.6g %.6g" % (x[0], x[1], x[2] + 0.0), file=out)
        for f in mesh.faces:
            print("f %d %d %d" % f, file=out)


if __name__ == "__main__":
    main()
