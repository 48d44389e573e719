"""Where a mirror can be, why such a location fails, and the lock that lets one sync in at a time.

What opens an object store (keys, tokens, its endpoint) comes from the environment alone, never from
the mirror's address: that one is printed, and is in the manifests of reports. So a failure is
reported in one line without any secret.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from fleetkit import locks
from fleetkit.errors import MirrorError
from fleetkit.interface import RAISE_FILE_SIZE, worded
from fleetkit.paths import expanded, make_folders, remove_empty

__all__ = [
    "FAULT",
    "address",
    "folder_of",
    "has_unknown_scheme",
    "is_newer",
    "is_object_store",
    "make_folder",
    "reason",
    "refuse_lost_link",
    "table_around",
    "write_lock",
]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# A URL that pathlib has changed, or a slip of the hand. It would be taken for a folder, and written
# to without an error.
_SPOILT = re.compile(r"(s3a?|gs|az|adl|abfss?|file):/(?!/)")
# delta-rs takes % as an escape and \ as a slash, and doesn't find the files; the others it can't
# address at all.
_UNUSABLE = {*"%[]^|", *map(chr, (*range(32), 127)), *({"\\"} - {os.sep})}
# How Python writes bytes of a name that isn't UTF-8; delta-rs can't.
_NO_UTF_8 = re.compile("[\ud800-\udfff]")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_BACKTRACE = re.compile(r"\s+0: (<unknown>|\S+::).*", re.DOTALL)
_BODY = re.compile(r"<\?xml.*|<Error>.*|\{.*")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_URL = re.compile(r"https?://\S+")
_SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL|SAS|SIGNATURE", re.IGNORECASE)
# Number of a folder's failure → the cause in our words, and what to do.
_FULL = ("there is no room left.", "Make room, and sync again.")
_TOO_LARGE = ("a file would be too large.", RAISE_FILE_SIZE)
_FORBIDDEN = ("permission is denied.", "Ask whoever owns the folder, or choose another one.")
_READ_ONLY = (
    "it lies on a file system that is read-only.",
    "Choose another folder, or mount it for writing.",
)
_TOO_MANY = ("too many files are open.", "Raise the limit (ulimit -n), or close some programs.")
FAULT = ("the disk, or the connection to it, has a fault.", "Check both, and try again.")
_UNREACHABLE = ("the drive that it lies on doesn't answer.", "Connect it again, and try again.")
_UNSUITABLE = (
    "its file system can't do what a mirror needs, such as hard links.",
    "Choose a folder on another one.",
)
_NO_THREAD = ("no thread can be started.", "Raise the limit of processes (ulimit -u), or end some.")
_FOLDER_CAUSES = {
    errno.ENOSPC: _FULL,
    errno.EFBIG: _TOO_LARGE,
    errno.EDQUOT: _FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _READ_ONLY,
    errno.EMFILE: _TOO_MANY,
    errno.ENFILE: _TOO_MANY,
    errno.EAGAIN: _NO_THREAD,
    errno.EIO: FAULT,
    **dict.fromkeys((errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT), _UNREACHABLE),
    **dict.fromkeys((errno.EOPNOTSUPP, errno.ENOSYS), _UNSUITABLE),
    errno.ENAMETOOLONG: ("its path is too long.", "Choose a shorter one."),
}
# How delta-rs names a file that isn't there, behind what each of its layers says.
_MISSING = re.compile(r"Object at location (.+?) not found")
# How it names a file whose end, which says what it holds, can't be decoded: from the root on.
_UNDECODED = re.compile(r"Failed to fetch metadata for file (.+?\.parquet):")
# How delta-rs says that a table needs what it can't do, be it to read or to write there.
_NEWER = re.compile(r"Kernel error: Unsupported|Unsupported table features|Table features must be")
# How it names a file of somebody else's whose name isn't UTF-8, or holds a line break.
_ODD_NAME = re.compile(r'invalid path\W+(?:Error parsing )?Path "(.+?)"')
# How Rust, its debug output and Python write that number.
_ERRNO = re.compile(r"(?:os error |\bcode: |\[Errno )(\d+)")
# How delta-rs begins to list the schemes that it knows; it says so of a table that isn't there.
_UNKNOWN_SCHEME = "Unknown scheme"
# The start of an object store's failure → the cause in our words, and what to do.
_STORE_CAUSES = {
    rf"{_UNKNOWN_SCHEME}|Unable to recognise URL": (
        "that is the address of no object store.",
        "Write s3://bucket/mirror, or a folder: a mirror is not at its service's address.",
    ),
    r"Executor has crashed": (  # as on an endpoint that isn't an address
        "the store's client crashed.",
        "Correct AWS_ENDPOINT_URL, an address such as https://store.example, or unset it.",
    ),
    r"contained empty path segment": (
        "it has two slashes where one belongs.",
        "Write it as s3://bucket/mirror.",
    ),
    r"<Code>NoSuchBucket|ContainerNotFound|The specified bucket does not exist": (
        "there is no such bucket.",
        "Make it first, or correct the address.",
    ),
    r"URL scheme is not allowed": (
        "its endpoint is plain http.",
        "Set AWS_ALLOW_HTTP=true if that is intended.",
    ),
    # Without keys the store's client asks the machine that it runs on, as in a cloud.
    r"//169\.254\.|/latest/api/token|//metadata\.google|failed to load IMDS"
    r"|Missing (SecretAccessKey|AccessKeyId)": (
        "no credentials were found.",
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what your store asks for.",
    ),
    r"40[13] (Forbidden|Unauthorized)|lacked the necessary privileges|<Code>AccessDenied": (
        "the store refuses these credentials.",
        "Check those in the environment, and that they may list, read, write and delete there.",
    ),
    r"conditional put is disabled": (
        "without conditional writes two syncs at once could overwrite each other.",
        "Unset AWS_CONDITIONAL_PUT.",
    ),
    r"redirect without LOCATION|301 Moved Permanently|PermanentRedirect": (
        "the bucket is in another region.",
        "Set AWS_REGION.",
    ),
    r"status code\W+(429|5\d\d) ": (
        "the store is overloaded, or has a fault.",
        "Try again in some minutes.",
    ),
    r"error sending request": (
        "the store doesn't answer.",
        "Check the network and, where it isn't Amazon's own, AWS_ENDPOINT_URL.",
    ),
}


def address(path: str | Path) -> str:
    """Return a mirror's address in full: a URL as it is, a folder from the root on.

    Raises
    ------
    MirrorError
        It can't work, or contains what must not be printed.

    Examples
    --------
    >>> address("s3://bucket/mirror/")
    's3://bucket/mirror'
    """
    text = str(path)
    if _SPOILT.match(text):
        raise MirrorError(
            "A mirror's address has one slash after its colon, where two belong.",
            advice=worded(
                python='Pass it as text, not as a Path: "s3://bucket/mirror".',
                command_line="Write it as s3://bucket/mirror.",
            ),
        )
    text = _checked(text) if _SCHEME.match(text) else _from_root(text)
    wrong = sorted(_UNUSABLE & set(text) | set(_NO_UTF_8.findall(text)))
    if wrong:
        named, shown = (_printable(part) for part in (" ".join(wrong), text))
        raise MirrorError(
            f"A mirror's path can't hold {named}, as {shown} does.", advice="Choose another folder."
        )
    return text


def _from_root(folder: str) -> str:
    """Return a folder in full; a ~ of no user is a part of its name, as in a shell.

    Nothing is left of folders that the path leaves again by ``..``: their names may be such as no
    mirror's can be. A link is one's own name for the folder, and stays.
    """
    parts = expanded(folder).absolute().parts
    up = len(parts) - parts[::-1].index("..") if ".." in parts else 0
    return str(Path(*parts[:up]).resolve().joinpath(*parts[up:]) if up else Path(*parts))


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # it isn't quoted: it may hold a password
        raise MirrorError(
            "A mirror's address can't be read.", advice="Write it as s3://bucket/mirror."
        ) from None
    # A key may hold slashes: then the @ after it is no longer in the netloc, but its colon is.
    if ":" in parts.netloc or (is_object_store(url) and (parts.query or parts.fragment)):
        raise MirrorError(
            "A mirror's address can't hold a password, nor anything after ? or #.",
            advice="Set an object store's credentials in the environment.",
        )
    if not is_object_store(url):
        return _of_file(url, parts.netloc)
    if not parts.netloc:
        raise MirrorError(f"{url} names no bucket.", advice="Write it as s3://bucket/mirror.")
    return url.rstrip("/") if parts.path else url


def _of_file(url: str, host: str) -> str:
    """Return the address of a folder that is written as a URL: what follows is no relative path."""
    folder = url.removeprefix(f"file://{host}")
    if host not in {"", "localhost"} or not folder.startswith("/"):
        raise MirrorError(
            f"{url} names no folder of this machine.",
            advice="Write it as file:///data/mirror, or as a path.",
        )
    return f"file://{folder.rstrip('/') or '/'}"


def is_object_store(address: str) -> bool:
    """Return whether an address is a URL that leads away from this machine's folders."""
    return _SCHEME.match(address) is not None and not address.startswith("file://")


def folder_of(address: str) -> Path | None:
    """Return the folder of an address in full; None for an object store.

    Examples
    --------
    >>> folder_of("file:///data/mirror").as_posix(), folder_of("s3://bucket/mirror")
    ('/data/mirror', None)
    """
    return None if is_object_store(address) else Path(address.removeprefix("file://"))


def has_unknown_scheme(problem: Exception) -> bool:
    """Whether nothing was found at an address because no object store has such a one."""
    return _UNKNOWN_SCHEME in str(problem)


def is_newer(problem: Exception) -> bool:
    """Whether a table has features that the installed deltalake doesn't know."""
    return _NEWER.search(str(problem)) is not None


def make_folder(folder: Path, mode: int) -> list[Path]:
    """Make a folder with these permissions if it doesn't exist; return what was made for it.

    Files in it have the default permissions of the process, which delta-rs doesn't change: it is
    the folder that keeps others out.
    """
    made = make_folders(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return made
    folder.chmod(mode)
    return [folder, *made]


def refuse_lost_link(path: Path, problem: str) -> None:
    """Refuse a link to a folder that isn't there, such as one on a disk that isn't mounted.

    Raises
    ------
    MirrorError
        It is one; `problem` is what can't be done.
    """
    if path.is_symlink() and not path.exists():
        raise MirrorError(
            f"{problem}: {path} is a link to a folder that isn't there.",
            advice="Mount the disk that it leads to, or correct the link.",
        )


def table_around(folder: Path) -> Path | None:
    """Return the table that a folder is, or lies in; None for any other folder."""
    with suppress(OSError):
        around = (folder, *folder.parents)
        return next((place for place in around if (place / "_delta_log").is_dir()), None)
    return None


def _refuse_table(folder: Path) -> None:
    """Refuse a folder of a table: its own syncs delete what they don't know.

    Raises
    ------
    MirrorError
        It is one.
    """
    table = table_around(folder)
    if table is not None:
        raise MirrorError(
            f"The mirror {folder} can't be written: {table} is a table, and deletes other files.",
            advice=f"For its own mirror, name {table.parent}; else choose another folder.",
        )


# What delta-rs says in the fork of a process that has used it.
_FORKED = "Forked process detected"
_SPAWN = 'Start such processes with multiprocessing.get_context("spawn").'


def reason(problem: Exception, address: str) -> tuple[str, str]:
    """Return why a location can't be read or written, and what to do about it.

    Examples
    --------
    >>> reason(OSError("Generic S3 error: <Code>NoSuchBucket</Code>"), "s3://bucket/mirror")
    ('there is no such bucket.', 'Make it first, or correct the address.')
    """
    text = " ".join(_BACKTRACE.sub("", _ANSI.sub("", str(problem))).split())
    if _FORKED in text:
        return "this process was forked from one that reads mirrors.", _SPAWN
    if is_newer(problem):
        return (
            "a table has features that this deltalake doesn't know.",
            "Update it: pip install -U fleetkit deltalake.",
        )
    if not is_object_store(address):
        return _folder_reason(text)
    for pattern, cause in _STORE_CAUSES.items():
        if re.search(pattern, text):
            return cause
    # Answers quote what was sent, and signed URLs are keys: of an answer, its code is enough.
    code = " ".join(_CODE.findall(text))
    text = _BODY.sub(lambda _: code, _URL.sub("…", text)).strip()
    return _without_secrets(text)[:300], ""


def _folder_reason(text: str) -> tuple[str, str]:
    match = _ERRNO.search(text)
    number = int(match[1]) if match else 0
    for known, cause in _FOLDER_CAUSES.items():
        if number == known or os.strerror(known) in text:
            return cause
    if missing := _MISSING.search(text):
        return f"the file {missing[1]} is gone.", ""
    if odd := _ODD_NAME.search(text):
        name = Path(os.sep, odd[1])
        return f"{name} has a name that no file in it can have.", "Move it elsewhere, or rename it."
    if not match and (undecoded := _UNDECODED.search(text)):
        return f"the file {Path(os.sep, undecoded[1])} isn't what was written.", ""
    # Rust's debug output is not for people.
    return f"{os.strerror(number)}." if "Os { code:" in text else text[:300], ""


def _without_secrets(text: str) -> str:
    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value) > 3:
            text = text.replace(value, "…")
    return text


# How often another sync is looked for, and the longest time that it is waited for. [s]
EVERY, LONGEST_WAIT = 0.1, 3600.0


@contextmanager
def write_lock(path: str | Path, *, mode: int) -> Iterator[None]:
    """Hold the lock of a mirror, so that one sync writes to it at a time.

    Another sync waits for it. The lock ends with the process, also where that is killed.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    mode : int
        Permissions of the folder, where it is made here.

    Raises
    ------
    MirrorError
        The folder can't be written, is one of a table, or another sync has been at work for an
        hour.
    """
    place = address(path)
    folder = folder_of(place)
    if folder is None:
        yield
        return
    made, lock = list[Path](), locks.Lock()
    try:
        with _written(place):
            _refuse_table(folder)
            _wait_for_others(place, partial(_attempt, lock, folder, mode, made))
        yield
    finally:
        try:
            remove_empty(made)  # while it is locked: a sync that waits for it makes it again
        finally:
            lock.release()


@contextmanager
def _written(path: str) -> Iterator[None]:
    """Say in a `MirrorError` why the folder of a mirror can't be written."""
    try:
        yield
    except NotADirectoryError:
        raise MirrorError(
            f"The mirror {path} can't be written: a part of its path is a file.",
            advice="Name a folder.",
        ) from None
    except OSError as problem:
        words, advice = _FOLDER_CAUSES.get(problem.errno or 0, (f"{problem.strerror}.", ""))
        raise MirrorError(f"The mirror {path} can't be written: {words}", advice=advice) from None


def _attempt(lock: locks.Lock, folder: Path, mode: int, made: list[Path]) -> None:
    """Lock a folder, if there are locks; it is made where it isn't there, and added to `made`.

    Raises
    ------
    Held
        Another sync holds the lock, or did, and has removed the folder that it had made.
    MirrorError
        It is a link to a folder that isn't there.
    """
    made[:0] = make_folder(folder, mode)
    try:
        TemporaryFile(dir=folder).close()  # before anything is read from the service
        is_gone = lock.acquire(folder, wait=False) and not lock.is_of(folder)
    except FileNotFoundError:
        is_gone = True
    if is_gone:
        lock.release()
        refuse_lost_link(folder, f"The mirror {folder} can't be written")
        raise locks.Held


def _wait_for_others(path: str, attempt: Callable[[], None]) -> None:
    """Attempt to lock a folder until no other sync holds the lock."""
    words = f"Another sync is at work on the mirror {path}"
    try:
        locks.wait_for(attempt, words, every=EVERY, longest=LONGEST_WAIT)
    except locks.Held:
        raise MirrorError(
            f"Another sync has been at work on the mirror {path} for {LONGEST_WAIT / 60:.0f} "
            "minutes; nothing of this one was written.",
            advice="Let it finish, or end its process, and sync again.",
        ) from None
