"""The files of a folder and their tables; a file that may have records is never ignored."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from fleetkit.errors import InvalidValue

__all__ = ["Folder", "scan_folder"]

_UNPACK = "Unpack it and remove the archive."
_CSV = "Save it as CSV: UTF-8, with commas."
# Files that may contain records, but can't be imported.
_ADVICE = {
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tar", ".tgz"), _UNPACK),
    **dict.fromkeys((".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods", ".numbers"), _CSV),
    **dict.fromkeys((".feather", ".arrow", ".ipc", ".avro", ".orc"), "Save it as Parquet."),
    **dict.fromkeys((".xml", ".yaml", ".yml"), "Save it as JSON."),
}


class Folder(NamedTuple):
    """The file of each table, and the names of files that are not imported."""

    tables: dict[str, Path]
    not_read: tuple[str, ...]


def scan_folder(folder: Path, tables: Collection[str], suffixes: Collection[str]) -> Folder:
    """Find the file of each table.

    Parameters
    ----------
    folder : Path
    tables : collection of str
        Their names.
    suffixes : collection of str
        Endings of files that can be read.

    Returns
    -------
    Folder
        Hidden files are ignored.

    Raises
    ------
    InvalidValue
        The folder doesn't exist, has no file of a table or two of the same one, or has a file that
        may contain records and can't be read.
    """
    if not folder.is_dir():
        raise InvalidValue(
            f"There is no folder {folder}.",
            advice=f"Name the folder of the files {', '.join(tables)}.",
        )
    files: dict[str, Path] = {}
    not_read: list[str] = []
    for path in sorted(folder.iterdir()):
        name, suffix = path.name.lower(), path.suffix.lower()
        table = name.partition(".")[0]
        is_table = table in tables
        if name.startswith((".", "~$")):
            continue
        if is_table and name == table + suffix and suffix in suffixes:
            _check_file(path, files.get(table))
            files[table] = path
        elif is_table or suffix in {*suffixes, *_ADVICE}:
            raise _unreadable(path, is_table, tables, suffixes)
        else:
            not_read.append(f"{path.name}/" if path.is_dir() else path.name)
    if not files:
        raise InvalidValue(
            f"{folder} has no file to import.",
            advice=f"Name files {', '.join(tables)}, ending in {', '.join(suffixes)}.",
        )
    return Folder(files, tuple(not_read))


def _check_file(path: Path, other: Path | None) -> None:
    """Refuse what is no file, and the second file of a table."""
    if not path.is_file():
        what = "a folder, not a file" if path.is_dir() else "not a file"
        raise InvalidValue(f"{path.name} is {what}.", advice="Put a file in its place.")
    if other is not None:
        raise InvalidValue(
            f"{other.name} and {path.name} have records of the same table.",
            advice="Keep one of them.",
        )


def _unreadable(
    path: Path, is_table: bool, tables: Collection[str], suffixes: Collection[str]
) -> InvalidValue:
    suffix = path.suffix.lower()
    if suffix in _ADVICE:
        return InvalidValue(f"{path.name} can't be read.", advice=_ADVICE[suffix])
    if is_table:
        endings = ", ".join(suffixes)
        return InvalidValue(
            f"{path.name} is named after a table, but can't be read.",
            advice=f"Files end in {endings}; rename it, or remove it from the folder.",
        )
    return InvalidValue(
        f"{path.name} is not named after a table.", advice=f"Tables are: {', '.join(tables)}."
    )
