"""The templates of a report: fleetkit's, single ones of which a folder of one's own overrides."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import jinja2
from jinja2 import nodes

from fleetkit.arguments import checked_folder
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.interface import brief, did_you_mean, worded
from fleetkit.reports import resources
from fleetkit.reports.environment import environment

__all__ = ["Templates"]

# Begins the names of system files, which a folder of templates may hold too.
_HIDDEN = "."
_SECTIONS, _SUFFIX = "sections/", ".html.j2"
_TEXTS = (_SUFFIX, ".css", ".js")
# UTF-8, also with the mark that some editors begin a file with: of a style sheet, it would be part
# of the first rule.
_ENCODING = "utf-8-sig"
# Files beside the fonts that are for people, and not part of a report.
_NOTES = (".md", ".txt")
# Names that jinja2 defines inside a template.
_BUILT_IN = {"caller", "loop", "super"}


class Templates:
    """Where the templates of a report are.

    Parameters
    ----------
    own : path, optional
        Folder whose files go before fleetkit's of the same name.

    Raises
    ------
    InvalidValue
        `own` is not a folder, holds no file, or one whose name is nearly that of fleetkit's.

    Examples
    --------
    >>> Templates().file("report.css").name
    'report.css'
    >>> Templates().checksums
    {}
    """

    def __init__(self, own: str | Path | None = None) -> None:
        ours = resources.folder("templates")
        self._own = None if own is None else checked_folder(own)
        self._folders = [ours] if self._own is None else [self._own, ours]
        if self._own is not None:
            self._check_names(self._own, _files(ours))

    @property
    def loader(self) -> jinja2.BaseLoader:
        """What jinja2 reads templates with."""
        return jinja2.ChoiceLoader(
            [jinja2.FileSystemLoader(folder, encoding=_ENCODING) for folder in self._folders]
        )

    @property
    def checksums(self) -> dict[str, str]:
        """Name → SHA-256 of each file of one's own."""
        if self._own is None:
            return {}
        return {
            name: hashlib.sha256((self._own / name).read_bytes()).hexdigest()
            for name in _files(self._own)
        }

    def file(self, name: str) -> Path:
        """Return the path of a file that is not a template, such as the style sheet."""
        return next(path for folder in self._folders if (path := folder / name).is_file())

    def text(self, name: str) -> str:
        """Return what a file holds, such as ``report.css``: one's own, or fleetkit's."""
        return _text(self.file(name))

    def check(self, sections: Collection[str]) -> None:
        """Refuse what can't be rendered, as far as it is known before there is anything to render.

        Parameters
        ----------
        sections : collection of str
            Names of all sections that there are, chosen or not.

        Raises
        ------
        InvalidValue
            A section's template that no section has.
        ReportError
            A template of one's own that can't be read, or names a filter, a macro or a template
            that there is not; the message names file and line.
        """
        own = [name for name in self.checksums if name.endswith(_SUFFIX)]
        for name in own:
            section = name.removeprefix(_SECTIONS).removesuffix(_SUFFIX)
            if name.startswith(_SECTIONS) and section not in {*sections, "default"}:
                raise self._unused(name, did_you_mean(section, sections))
        made = environment(self.loader)
        trees = {name: self._compiled(made, name) for name in own}
        defined = {*made.globals, *_BUILT_IN}.union(*map(_defined, trees.values()))
        for name, tree in trees.items():
            missing = _missing(tree, made.list_templates(), defined)
            for line, problem in (*missing, *_without_place(made, tree)):
                raise self._error(f"{self._own}/{name}", line, problem)

    def _compiled(self, made: jinja2.Environment, name: str) -> nodes.Template:
        with self.explained():
            made.get_template(name)
            return made.parse(self.text(name))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Name file and line where one's own template can't be rendered; fleetkit's can."""
        try:
            yield
        except jinja2.TemplateSyntaxError as problem:
            raise self._error(problem.filename, problem.lineno, problem.message) from None
        except jinja2.TemplateNotFound as problem:
            path, line = self._place(problem)
            raise self._error(path, line, f"there is no template {brief(problem.name)}") from None
        except Exception as problem:
            path, line = self._place(problem)
            mended = "it"
            if path is None and self._takes_macros():
                path, line = self._place(problem, self._folders[-1])
                mended = f"what it imports from {self._own}"
            if path is None:
                raise
            what = str(problem) or type(problem).__name__
            if isinstance(problem, RecursionError):
                what = "it includes or extends itself, or is nested too deeply"
            raise self._error(path, line, what, mended) from None

    def _takes_macros(self) -> bool:
        """Whether a template of fleetkit may call what one of one's own defines, or doesn't."""
        return any(name.endswith(_SUFFIX) for name in self.checksums)

    def _place(
        self, problem: Exception, folder: Path | None = None
    ) -> tuple[str | None, int | None]:
        """Return file and line of the template of one's own, or of a folder, that was rendered."""
        folder = folder or self._own
        for frame in reversed(traceback.extract_tb(problem.__traceback__)):
            if folder is not None and Path(frame.filename).is_relative_to(folder):
                return frame.filename, frame.lineno
        return None, None

    def _error(
        self, path: str | None, line: int | None, what: str | None, mended: str = "it"
    ) -> ReportError:
        where = f"{path}, line {line}" if path else "A template"
        return ReportError(
            f"{where}: {what}.",
            advice=f"Mend {mended}, or take the file out of the folder to use fleetkit's.",
        )

    def _check_names(self, folder: Path, ours: Collection[str]) -> None:
        own = _files(folder)
        if not own:
            named = worded(python="templates=…", command_line="--template")
            raise InvalidValue(
                f"{folder} {'holds no file' if folder.is_dir() else 'is not a folder'}.",
                advice=f"Name a folder of templates with {named}.",
            )
        stems = [name.removesuffix(_SUFFIX) for name in ours if not name.endswith(_NOTES)]
        texts = [self.text(name) for name in own if name.endswith(_TEXTS)]
        for name in own:
            near = did_you_mean(name.removesuffix(_SUFFIX), stems)
            is_used = name in ours or name.startswith(_SECTIONS)
            if near and not is_used and not any(name in text for text in texts):
                raise self._unused(name, near)

    def _unused(self, name: str, near: str) -> InvalidValue:
        return InvalidValue(
            f"{self._own}/{name} takes the place of no template of fleetkit. {near}".strip(),
            advice="Name it as the file in templates/ that it replaces.",
        )


def _text(path: Path) -> str:
    """Return a file's text; refuse what an editor saved in another encoding."""
    try:
        return path.read_text(encoding=_ENCODING)
    except UnicodeDecodeError:
        raise InvalidValue(f"{path} is not a text in UTF-8.", advice="Save it as UTF-8.") from None


def _files(folder: Path) -> list[str]:
    """Return the names of a folder's files, as templates include each other."""
    paths = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    hidden = [path for path in paths if any(part.startswith(_HIDDEN) for part in path.parts)]
    return [path.as_posix() for path in paths if path not in hidden]


def _defined(tree: nodes.Template) -> set[str]:
    """Return every name that a template gives a meaning to."""
    names = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
    names |= {node.name for node in tree.find_all(nodes.Macro)}
    names |= {node.target for node in tree.find_all(nodes.Import)}
    imported = (name for node in tree.find_all(nodes.FromImport) for name in node.names)
    return names | {name if isinstance(name, str) else name[1] for name in imported}


def _missing(
    tree: nodes.Template, templates: Collection[str], defined: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Yield line and name of each template that a template asks for, and each macro it calls."""
    for node in tree.find_all((nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)):
        template = getattr(node, "template", None)
        named = template.value if isinstance(template, nodes.Const) else None
        is_needed = isinstance(named, str) and not getattr(node, "ignore_missing", False)
        if is_needed and named not in templates:
            yield node.lineno, f"there is no template {brief(named)}"
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name not in defined:
            yield call.lineno, f"there is no macro {brief(call.node.name)}"


def _without_place(made: jinja2.Environment, tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Yield line and name of each block that no template has which this one extends."""
    blocks, parents = set[str](), _parents(tree)
    seen: list[str] = []
    while parents and parents[0] not in seen:
        seen.append(parents[0])
        source, *_ = made.loader.get_source(made, parents[0]) if made.loader else ("",)
        parent = made.parse(source)
        blocks |= {block.name for block in parent.find_all(nodes.Block)}
        parents = _parents(parent)
    for block in tree.body if seen else ():
        if isinstance(block, nodes.Block) and block.name not in blocks:
            names = ", ".join(sorted(blocks)) or "none"
            yield block.lineno, f"{seen[0]} has no block {brief(block.name)}; it has: {names}"


def _parents(tree: nodes.Template) -> list[str]:
    """Return the name of the template that one extends, where it is written as a text."""
    names = [node.template for node in tree.find_all(nodes.Extends)]
    return [name.value for name in names if isinstance(name, nodes.Const)][:1]
