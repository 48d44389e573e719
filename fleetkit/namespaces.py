"""Flat namespaces, `fleetkit.metrics` and `fleetkit.charts`: what their modules define, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType
from typing import Any

__all__ = ["discover"]


def discover(
    package: str, path: Iterable[str], wrap: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """Return what the modules of a package define publicly, by name; packages in it are left out.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    path : iterable of str
        Its ``__path__``.
    wrap : callable, optional
        What users get in place of a function. Its module has it from then on, so that it can be
        pickled; modules of the package that imported the function call it as it is written.

    Examples
    --------
    >>> import fleetkit.metrics as metrics
    >>> discover("fleetkit.metrics", metrics.__path__)["idle"] is metrics.idle
    True
    """
    names = [module.name for module in iter_modules(path) if not module.ispkg]
    modules = [import_module(f"{package}.{name}") for name in names if not name.startswith("_")]
    for module in modules:
        for name in module.__all__:
            value = getattr(module, name)
            if wrap is not None and isinstance(value, FunctionType):
                setattr(module, name, wrap(value))
    return {name: getattr(module, name) for module in modules for name in module.__all__}
