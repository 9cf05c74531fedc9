# VTK writes files for our reader (make DIR), and reads our files and compares them number by number (check DIR).
# tests/verify/mesh_vtk.c computes the same numbers: value() below is one integer remainder and one division in both.
import sys

import vtk

NODES, TETS = 60, 50
folder = sys.argv[2]


def value(i, plain):
    return i * 2654435761 % 3989 / 4.0 if plain else i * 2654435761 % 64007 / 7.0


def points(plain):
    p = vtk.vtkPoints()
    p.SetDataTypeToDouble()
    for i in range(NODES):
        p.InsertNextPoint(value(3 * i, plain), value(3 * i + 1, plain), value(3 * i + 2, plain))
    return p


def array(kind, name, components, tuples, number):
    a = kind()
    a.SetName(name)
    a.SetNumberOfComponents(components)
    a.SetNumberOfTuples(tuples)
    for i in range(tuples * components):
        a.SetValue(i, number(i))
    return a


def cells():
    out = [(vtk.VTK_TETRA, [i, i + 1, i + 2, i + 3]) for i in range(TETS)]
    out += [(vtk.VTK_TRIANGLE, [i, i + 1, i + 5]) for i in range(10)]
    return out + [(vtk.VTK_QUAD, [1, 2, 4, 3]), (vtk.VTK_LINE, [7, 9]), (vtk.VTK_VERTEX, [11])]


def point_arrays(plain):
    return [
        array(vtk.vtkDoubleArray, "temperature", 1, NODES, lambda i: value(1000 + i, plain)),
        array(vtk.vtkDoubleArray, "velocity", 3, NODES, lambda i: -value(2000 + i, plain)),
        array(vtk.vtkFloatArray, "single", 1, NODES, lambda i: value(i, True)),
        array(vtk.vtkUnsignedCharArray, "byte", 1, NODES, lambda i: i * 7 % 256),
        array(vtk.vtkShortArray, "short", 1, NODES, lambda i: i * 1000 - 30000),
        array(vtk.vtkTypeInt64Array, "long", 1, NODES, lambda i: i * 10**12 - 5),
    ]


def cell_arrays(plain):
    n = len(cells())
    return [
        array(vtk.vtkIntArray, "gmsh:physical", 1, n, lambda i: i % 3),
        array(vtk.vtkDoubleArray, "stress", 6, n, lambda i: value(5000 + i, plain)),
    ]


def grid(plain):
    g = vtk.vtkUnstructuredGrid()
    g.SetPoints(points(plain))
    for kind, nodes in cells():
        g.InsertNextCell(kind, len(nodes), nodes)
    for a in point_arrays(plain):
        g.GetPointData().AddArray(a)
    for a in cell_arrays(plain):
        g.GetCellData().AddArray(a)
    return g


def surface():
    d = vtk.vtkPolyData()
    d.SetPoints(points(True))
    faces = vtk.vtkCellArray()
    for i in range(NODES - 2):
        faces.InsertNextCell(3, [i, i + 1, i + 2])
    d.SetPolys(faces)
    d.GetPointData().SetNormals(array(vtk.vtkFloatArray, "normals", 3, NODES, lambda i: value(i + 9, True)))
    d.GetPointData().SetTCoords(array(vtk.vtkFloatArray, "uv", 2, NODES, lambda i: value(i + 77, True)))
    return d


def write(writer, data, name):
    writer.SetInputData(data)
    writer.SetFileName(f"{folder}/{name}")
    assert writer.Write() == 1, name


def make():
    for version in (42, 51):
        for ascii_file in (True, False):
            for data, kind, writer in (
                (grid(ascii_file), "grid", vtk.vtkUnstructuredGridWriter()),
                (surface(), "poly", vtk.vtkPolyDataWriter()),
            ):
                writer.SetFileVersion(version)
                writer.SetFileTypeToASCII() if ascii_file else writer.SetFileTypeToBinary()
                write(writer, data, f"vtk-{kind}-{version}-{'ascii' if ascii_file else 'binary'}.vtk")
    for mode in ("ascii", "binary", "raw", "base64"):
        for packed in (False, True):
            for wide in (False, True):
                for big in (False, True):
                    for data, kind, writer in (
                        (grid(False), "grid", vtk.vtkXMLUnstructuredGridWriter()),
                        (surface(), "poly", vtk.vtkXMLPolyDataWriter()),
                    ):
                        writer.SetDataMode({"ascii": 0, "binary": 1}.get(mode, 2))
                        writer.SetEncodeAppendedData(mode == "base64")
                        writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
                        writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
                        writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
                        writer.SetBlockSize(1024)  # several blocks
                        name = f"vtk-{kind}-{mode}-{'zlib' if packed else 'plain'}-{64 if wide else 32}"
                        name += "-big" if big else "-little"
                        write(writer, data, name + (".vtu" if kind == "grid" else ".vtp"))
    for name, set_type in (("ascii", "SetFileTypeToASCII"), ("binary", "SetFileTypeToBinary")):
        for suffix, writer in (("ply", vtk.vtkPLYWriter()), ("stl", vtk.vtkSTLWriter())):
            getattr(writer, set_type)()
            write(writer, surface(), f"vtk-{name}.{suffix}")
    big = vtk.vtkPLYWriter()
    big.SetFileTypeToBinary()
    big.SetDataByteOrderToBigEndian()
    write(big, surface(), "vtk-big.ply")
    write(vtk.vtkOBJWriter(), surface(), "vtk-text.obj")


def same(got, want, what):
    if got != want:
        raise SystemExit(f"{what}: {got} and not {want}")


def read(reader, name):
    reader.SetFileName(f"{folder}/{name}")
    reader.Update()
    return reader.GetOutput()


def check_points(data, name, kind=float):
    same(data.GetNumberOfPoints(), NODES, name + ": points")
    for i in range(NODES):
        same(data.GetPoint(i), tuple(kind(value(3 * i + k, False)) for k in range(3)), f"{name}: point {i}")


def check_array(data, want, name):
    got = data.GetArray(want.GetName())
    if got is None:
        raise SystemExit(f"{name}: no array {want.GetName()}")
    same(got.GetNumberOfComponents(), want.GetNumberOfComponents(), f"{name}: components of {want.GetName()}")
    for i in range(want.GetNumberOfValues()):
        same(got.GetValue(i), want.GetValue(i), f"{name}: {want.GetName()} {i}")


def check_grid(data, name):
    check_points(data, name)
    same(data.GetNumberOfCells(), len(cells()), name + ": cells")
    for i, (kind, nodes) in enumerate(cells()):
        cell = data.GetCell(i)
        same(cell.GetCellType(), kind, f"{name}: type of cell {i}")
        same([cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())], nodes, f"{name}: nodes of cell {i}")
    for want in point_arrays(False):
        check_array(data.GetPointData(), want, name)
    check_array(data.GetCellData(), cell_arrays(False)[1], name)
    # "gmsh:physical" becomes groups named 1 and 2
    for number in (1, 2):
        group = data.GetCellData().GetArray(f"group:{number}")
        for i in range(len(cells())):
            same(group.GetTuple1(i), number if i % 3 == number else 0, f"{name}: group {number} of cell {i}")


def check():
    for name in ("ascii", "base64", "appended", "base64-zlib", "appended-zlib"):
        check_grid(read(vtk.vtkXMLUnstructuredGridReader(), f"ours-{name}.vtu"), name + ".vtu")
    for name in ("ascii", "binary"):
        check_grid(read(vtk.vtkUnstructuredGridReader(), f"ours-{name}.vtk"), name + ".vtk")
    for name in ("ours-ascii.ply", "ours-binary.ply", "ours-ascii.stl", "ours-binary.stl", "ours-ascii.obj"):
        suffix = name[-3:]
        reader = {"ply": vtk.vtkPLYReader, "stl": vtk.vtkSTLReader, "obj": vtk.vtkOBJReader}[suffix]()
        data = read(reader, name)
        same(data.GetNumberOfPolys(), NODES - 2, name + ": triangles")
        for i in range(NODES - 2):  # independent of numbering: the corners of each triangle, floats that keep all bits
            cell = data.GetCell(i)
            for k in range(3):
                same(cell.GetPoints().GetPoint(k), tuple(value(3 * (i + k) + m, True) for m in range(3)), f"{name}: triangle {i}")
        if suffix != "stl":
            got, want = data.GetPointData(), surface().GetPointData()
            check_array(got, rename(want.GetNormals(), got.GetNormals()), name)
            check_array(got, rename(want.GetTCoords(), got.GetTCoords()), name)


def rename(want, got):
    if got is None:
        raise SystemExit("normals or texture coordinates are missing")
    want.SetName(got.GetName())
    return want


make() if sys.argv[1] == "make" else check()
