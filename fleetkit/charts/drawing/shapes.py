"""Many marks as one artist: as many artists take most of the time of their chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import PathCollection
from matplotlib.path import Path

from fleetkit.charts.drawing.style import Canvas

__all__ = ["SQUARE", "draw_shapes", "placed"]

# Of side 1, around 0.
SQUARE = Path(np.asarray(Path.unit_rectangle().vertices) - 0.5, Path.unit_rectangle().codes)


class _Shapes(PathCollection):
    """Paths, each of which is a group of its own in SVG, as a patch is."""

    def __init__(
        self, paths: Sequence[Path], styles: Sequence[Mapping[str, Any]], names: Sequence[str]
    ) -> None:
        super().__init__(
            paths,
            facecolors=[style["facecolor"] for style in styles],
            edgecolors=[style.get("edgecolor", "none") for style in styles],
            linewidths=[style.get("linewidth", 0.0) for style in styles],
        )
        self._names = names

    def draw(self, renderer: RendererBase) -> None:
        paths = self.get_paths()
        transform: Any = self.get_transform().frozen()  # a Transform, whatever its type says
        faces: Any = self.get_facecolor()
        edges: Any = self.get_edgecolor()
        widths: Any = self.get_linewidth()
        gc: Any = renderer.new_gc()
        cast("Any", self)._set_gc_clip(gc)
        gc.set_joinstyle("miter")
        for path, face, edge, width, name in zip(
            paths, faces, edges, widths, self._names, strict=True
        ):
            renderer.open_group("patch", name)
            gc.set_linewidth(width if edge[3] else 0)
            gc.set_foreground(tuple(edge), isRGBA=True)
            renderer.draw_path(gc, path, transform, tuple(face) if face[3] else None)
            renderer.close_group("patch")
        gc.restore()


def placed(path: Path, middle: tuple[float, float], size: float | tuple[float, float]) -> Path:
    """Return a path around 0 as it is around another point, and so many times as large."""
    return Path(np.asarray(path.vertices) * size + middle, path.codes)


def draw_shapes(
    page: Canvas,
    paths: Sequence[Path],
    styles: Sequence[Mapping[str, Any]],
    titles: Sequence[str],
    keys: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Draw shapes within the limits that are set, with what a pointer shows on each.

    Parameters
    ----------
    page : Canvas
    paths : sequence of Path
        Their outlines, in the units of the Axes.
    styles : sequence of dict
        ``facecolor`` of each, and ``edgecolor`` and ``linewidth`` where it has an outline.
    titles, keys : sequence
        As for `Canvas.name`.
    """
    page.ax.add_artist(_Shapes(paths, styles, page.name(titles, keys)))
