"""Charts drawn with matplotlib (extra ``plots``), as PNG and SVG. Knows shapes and colours, no benchmark."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from placecell.engine.drawing import PALETTE
from placecell.errors import BackendUnavailable
from placecell.evaluation.report.charts import Bars, Chart, Curves, Lines, Looks
from placecell.evaluation.report.figures import Share

_COLOURS = [tuple(channel / 255 for channel in colour) for colour in PALETTE]
_DOTS_PER_INCH = 160
_PANELS_ACROSS = 4
_LONG = 12
"""Characters above which labels of groups are tilted."""


def draw(chart: Chart, stem: Path) -> tuple[Path, ...]:
    """Write ``stem``.png and ``stem``.svg. BackendUnavailable without matplotlib."""
    try:
        figures = importlib.import_module("matplotlib.figure")
    except ImportError:
        raise BackendUnavailable("figures need matplotlib: pip install 'placecell[plots]'") from None
    if isinstance(chart, Bars):
        figure = _stacked(figures, chart) if chart.stacked else _bars(figures, chart)
    elif isinstance(chart, Lines):
        figure = _lines(figures, chart)
    elif isinstance(chart, Curves):
        figure = _curves(figures, chart)
    else:
        figure = _looks(figures, chart)
    figure.suptitle(chart.title, fontsize=11)
    written = tuple(stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg"))
    for path in written:
        # without a date the same data give the same file
        figure.savefig(path, dpi=_DOTS_PER_INCH, metadata={"Date": None} if path.suffix == ".svg" else None)
    return written


def _bars(figures: Any, chart: Bars) -> Any:
    groups = _groups(chart.series)
    width = 0.8 / len(chart.series)
    figure, axes = _axes(figures, 2.5 + len(groups) * max(0.9, 0.28 * len(chart.series)))
    for number, (name, scores) in enumerate(chart.series.items()):
        places = [place - 0.4 + width * (number + 0.5) for place, group in enumerate(groups) if group in scores]
        found = [scores[group] for group in groups if group in scores]
        heights = [100 * share.value for share in found]
        axes.bar(places, heights, width * 0.92, color=_colour(number), label=name)
        if any(share.interval for share in found):
            axes.errorbar(places, heights, _reach(found), fmt="none", ecolor="#333333", elinewidth=1, capsize=2)
    marked = [(place, 100 * chart.floor[group]) for place, group in enumerate(groups) if group in chart.floor]
    if marked:
        places, heights = np.array(marked).T
        axes.hlines(
            heights,
            places - 0.42,
            places + 0.42,
            colors="black",
            linestyles="dotted",
            linewidth=1.5,
            label="blind floor",
        )
    return _finish(figure, axes, groups, chart.label)


def _stacked(figures: Any, chart: Bars) -> Any:
    groups = _groups(chart.series)
    figure = figures.Figure(figsize=(9.0, 1.6 + 0.3 * len(groups)), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    base = np.zeros(len(groups))
    for number, (name, shares) in enumerate(chart.series.items()):
        lengths = np.array([100 * shares[group].value if group in shares else 0.0 for group in groups])
        axes.barh(range(len(groups)), lengths, 0.75, left=base, color=_colour(number), label=name)
        base += lengths
    axes.set_yticks(range(len(groups)), groups, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, min(100.0, max(5.0, 1.1 * base.max())))
    axes.set_xlabel(f"{chart.label}, %")
    figure.legend(loc="outside lower center", ncols=6, fontsize=8, frameon=False, title=chart.of, title_fontsize=8)
    return figure


def _lines(figures: Any, chart: Lines) -> Any:
    figure, axes = _axes(figures, 6.0)
    for number, (name, scores) in enumerate(chart.series.items()):
        found = list(scores.values())
        heights = [100 * share.value for share in found]
        axes.errorbar(list(scores), heights, _reach(found), marker="o", capsize=3, color=_colour(number), label=name)
    ticks = sorted({at for scores in chart.series.values() for at in scores})
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xlabel(chart.across)
    return _finish(figure, axes, None, chart.label)


def _curves(figures: Any, chart: Curves) -> Any:
    """Panels below each other over one axis; every curve has its own colour."""
    figure = figures.Figure(figsize=(7.0, 0.8 + 2.4 * len(chart.panels)), layout="constrained")
    grid = figure.subplots(len(chart.panels), 1, squeeze=False, sharex=True)
    number = 0
    for axes, (label, curves) in zip(grid.flat, chart.panels.items(), strict=True):
        for name, curve in curves.items():
            marker = "o" if len(curve) == 1 else None
            axes.plot(list(curve), list(curve.values()), color=_colour(number), label=name, marker=marker)
            number += 1
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#dddddd", linewidth=0.7)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.set_ylabel(label)
    grid[-1, 0].set_xlabel(chart.across)
    figure.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def _looks(figures: Any, chart: Looks) -> Any:
    """A bubble for each direction, its area by how often; the angle 0, 0 is the anchor's own view."""
    across = min(_PANELS_ACROSS, len(chart.panels))
    down = -(-len(chart.panels) // across)
    figure = figures.Figure(figsize=(3.2 * across + 0.4, 2.6 * down + 0.6), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
    for axes in grid.flat[len(chart.panels) :]:
        axes.set_visible(False)
    for number, (axes, (name, found)) in enumerate(zip(grid.flat, chart.panels.items(), strict=False)):
        total = sum(found.values())
        places = np.array(list(found), float).reshape(-1, 2)
        areas = [900 * count / total for count in found.values()]
        axes.axhline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
        axes.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
        axes.scatter(places[:, 0], places[:, 1], s=areas, color=_colour(number), alpha=0.7)
        axes.set(xlim=(-195, 195), ylim=(-100, 100), xticks=range(-180, 181, 90), yticks=range(-90, 91, 45))
        axes.set_title(f"{name} (n = {total})", fontsize=9)
    figure.supxlabel("azimuth, degrees (positive = right)", fontsize=9)
    figure.supylabel("elevation, degrees", fontsize=9)
    return figure


def _axes(figures: Any, width: float) -> tuple[Any, Any]:
    figure = figures.Figure(figsize=(min(16.0, width), 4.4), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    return figure, axes


def _finish(figure: Any, axes: Any, groups: list[str] | None, label: str) -> Any:
    if groups is not None:
        tilted = any(len(group) > _LONG for group in groups)
        axes.set_xticks(
            range(len(groups)), groups, rotation=30 if tilted else 0, ha="right" if tilted else "center", fontsize=8
        )
    axes.set_ylim(0, 100)
    axes.set_ylabel(f"{label}, %")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return figure


def _groups(series: Mapping[str, Mapping[str, Share]]) -> list[str]:
    return list(dict.fromkeys(group for scores in series.values() for group in scores))


def _reach(found: list[Share]) -> list[list[float]]:
    """Lengths of the error bars below and above, in percent; 0 without an interval."""
    below = [100 * (share.value - share.interval.low) if share.interval else 0.0 for share in found]
    above = [100 * (share.interval.high - share.value) if share.interval else 0.0 for share in found]
    return [[max(0.0, one) for one in below], [max(0.0, one) for one in above]]


def _colour(number: int) -> tuple[float, ...]:
    return _COLOURS[number % len(_COLOURS)]
