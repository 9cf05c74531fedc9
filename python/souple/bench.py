"""What Python costs: python3 -m souple.bench

A step of a tiny world through Python beside the same step inside the library, and an array that shows memory of the library
beside a copy of it. The library says how long a step took (StepInfo.step_ms); what Python adds is the rest of the time.
"""
import statistics
import sys
import time

import souple


def _median_us(call, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def step_overhead(repeats=2000):
    """(microseconds of a step through Python, of the same steps in the library): medians of a ball that falls."""
    context = souple.Context(threads=1)
    with souple.World(context=context, snapshots=False) as world:
        world.add_rigid({"type": "sphere", "size": 0.1}, "ball", free=True)
        outside, inside = [], []
        for _ in range(repeats):
            start = time.perf_counter()
            world.step(1e-4)
            outside.append(time.perf_counter() - start)
            inside.append(world.step_info.step_ms)
    return 1e6 * statistics.median(outside), 1e3 * statistics.median(inside)


def reading(repeats=200):
    """(nodes, microseconds of a view of their positions in a snapshot, of a copy by Body.field)."""
    context = souple.Context(threads=1)
    mesh = souple.Mesh.box((1, 1, 1), (34, 34, 36), context=context)
    with souple.World(context=context) as world:
        body = world.add_solid(mesh, "block", solver="cg", fix=[0])
        world.publish_fields(body, ["position"])
        world.publish()
        snapshot = world.snapshot()
        view = _median_us(lambda: snapshot.bodies["block"].fields["position"], repeats)
        copy = _median_us(lambda: body.field("position"), repeats)
        snapshot.close()
    return mesh.node_count, view, copy


def main():
    outside, inside = step_overhead()
    print("| %-58s | %10s |" % ("", "us"))
    print("|%s|%s|" % ("-" * 60, "-" * 12))
    print("| %-58s | %10.2f |" % ("step of a tiny world, through Python", outside))
    print("| %-58s | %10.2f |" % ("the same steps inside the library", inside))
    print("| %-58s | %10.2f |" % ("what Python adds to a step", outside - inside))
    nodes, view, copy = reading()
    print("| %-58s | %10.2f |" % ("positions of %d nodes, a view of a snapshot" % nodes, view))
    print("| %-58s | %10.2f |" % ("positions of %d nodes, a copy (Body.field)" % nodes, copy))
    return 0


if __name__ == "__main__":
    sys.exit(main())
