"""The example of a function's docstring, as a call that a test can repeat with other arguments."""

from __future__ import annotations

import ast
import doctest
import inspect
import sys
from collections.abc import Callable
from typing import Any


def arguments_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments, by name, with which a docstring's example first calls its function.

    The lines before that call are run; an example without such a call is an error that names it.
    """
    names = dict(vars(sys.modules[function.__module__]))
    [test] = doctest.DocTestFinder(recurse=False).find(function, function.__qualname__)
    for example in test.examples:
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == function.__name__:
                values = [_evaluated(argument, names) for argument in node.args]
                named = {word.arg: _evaluated(word.value, names) for word in node.keywords}
                return dict(inspect.signature(function).bind(*values, **named).arguments)
        exec(example.source, names)  # noqa: S102 - our own docstrings
    raise AssertionError(f"No example in the docstring of {function.__qualname__} calls it.")


def _evaluated(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(ast.unparse(node), names)  # noqa: S307 - our own docstrings
