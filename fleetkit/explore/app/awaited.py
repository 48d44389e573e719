"""A part of the page that is made when it is looked at, not before."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from html import escape
from threading import Lock
from typing import Any

import anywidget
import ipywidgets as widgets

__all__ = ["Awaited", "notice"]

_log = logging.getLogger(__name__)


class Awaited(widgets.VBox):  # type: ignore[misc] # ipywidgets has no types
    """What a function returns, from when a browser first shows its place.

    Parameters
    ----------
    open_part : callable
        Returns the widgets to show.
    """

    def __init__(self, open_part: Callable[[], Sequence[widgets.Widget]]) -> None:
        place = _Place()
        super().__init__([place])
        self._open_part, self._opening = open_part, Lock()
        place.on_msg(self._open)

    def _open(self, *_: Any) -> None:
        """Show the part, however often its place is seen."""
        if not self._opening.acquire(blocking=False):
            return
        try:
            self.children = tuple(self._open_part())
        except Exception as error:
            _log.exception("A part of the page could not be shown.")
            self.children = (notice(f"This could not be shown: {type(error).__name__}: {error}"),)


def notice(text: str) -> widgets.HTML:
    """Return what is wrong, as a part of the page that a screen reader announces."""
    return widgets.HTML(f'<p class="fk-notice" role="alert">{escape(text)}</p>')


class _Place(anywidget.AnyWidget):
    """Says when it is seen."""

    _esm = """
    export default {
      render({ model, el }) {
        el.innerHTML = '<p role="status" style="color: var(--fk-text)">Preparing …</p>';
        const watch = new IntersectionObserver((seen) => {
          if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
          watch.disconnect();
          model.send({ seen: true });
        });
        watch.observe(el);
        return () => watch.disconnect();
      },
    };
    """
