"""Plots: with Matplotlib where it is there, or as SVG by Souple itself."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

from . import _core


def matplotlib_axes(axes: Any = None) -> Any:
    """Axes of Matplotlib: the given ones, or those of a new figure."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "this plot needs Matplotlib: install the Debian package python3-matplotlib, or `pip install souple[plots]`; "
            "souple.plot() draws without it"
        ) from None
    return pyplot.subplots()[1]


def plot_probe(probe: Any, columns: Sequence[str], axes: Any) -> Any:
    """Columns of a probe over time: Probe.plot."""
    axes = matplotlib_axes(axes)
    numbers = [probe.column(name) for name in columns] or range(len(probe.columns))
    times, values = probe.times, probe.values
    for i in numbers:
        unit = " [%s]" % probe.units[i] if probe.units[i] else ""
        axes.plot(times, values[:, i], label="%s.%s%s" % (probe.name, probe.columns[i], unit))
    axes.set_xlabel("time [s]")
    axes.legend()
    return axes


class Plot:
    """Panels drawn by Souple: shown by notebooks as SVG, written as .svg or .png."""

    def __init__(self, panels: List[Dict[str, Any]]):
        self._panels = panels

    def _repr_svg_(self) -> str:
        return self.svg

    @property
    def svg(self) -> str:
        """One SVG element."""
        return _core._plot_svg(self._panels)

    def write(self, path: Any) -> None:
        """Writes a file by its suffix, .svg or .png."""
        _core._plot_write(self._panels, path)


def panel(series: Any, **options: Any) -> Dict[str, Any]:
    """A panel for souple.plot. series: {name: (x, y)}, or {name: y} for bars, or a list of dictionaries of name, x, y, marks,
    dashed. Options: title, x_label, y_label, log_x, log_y, kind ("lines", "stacked", "bars"), free_y, labels (of bars)."""
    if isinstance(series, Mapping):
        bars = options.get("kind") == "bars"
        series = [
            {"name": str(name), "x": range(len(data)), "y": data} if bars else {"name": str(name), "x": data[0], "y": data[1]}
            for name, data in series.items()
        ]
    return dict(options, series=[dict(item) for item in series])


def plot(series: Any, path: Any = None, **options: Any) -> Plot:
    """Draws lines, areas or bars without Matplotlib: souple.plot({"tip": (times, heights)}, title="Beam", x_label="time [s]").

    series and options: those of souple.panel; or a list of panels, below each other. path: also writes a file (.svg or .png).
    """
    panels = series if isinstance(series, list) and series and "series" in series[0] else [panel(series, **options)]
    drawn = Plot(panels)
    if path is not None:
        drawn.write(path)
    return drawn
