"""Options that several commands share, what the Tab key completes them to, and their examples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from fleetkit.bounds import MOST_CONCURRENCY, MOST_SECONDS
from fleetkit.cli.numbers import NumberRange, WholeNumber, WholeRange
from fleetkit.conversion import texts
from fleetkit.errors import InvalidValue
from fleetkit.paths import expanded, opened
from fleetkit.schema import AUTH_HEADERS

if TYPE_CHECKING:
    from fleetkit.filters import Filter

__all__ = [
    "add_clients",
    "allow_http",
    "auth",
    "check_one_period",
    "check_source",
    "check_texts",
    "checked_address",
    "client",
    "combined",
    "connection",
    "debug",
    "examples",
    "filters",
    "folder",
    "lang",
    "listening",
    "names",
    "output",
    "period",
    "stored",
    "tz",
    "usage_errors",
]


def check_texts(command: click.Command) -> None:
    """Let all options of a command refuse texts that are empty or not in UTF-8.

    An empty text is what a script passes whose variable isn't set: ``--period "$PERIOD"``.
    """
    for parameter in command.params:
        if isinstance(parameter.type, click.types.StringParamType) and parameter.callback is None:
            parameter.callback = _checked


def _checked(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    if context.get_parameter_source(parameter.name or "") is not ParameterSource.COMMANDLINE:
        return value
    for text in value if isinstance(value, tuple) else (value,):
        if text is not None and not text.strip():
            raise click.BadParameter("it is empty.", context, parameter)
        if text is not None and not text.isascii() and not _is_unicode(text):
            raise click.BadParameter(_undecoded(), context, parameter)
    return value


def _undecoded() -> str:
    """Say why Python couldn't decode a text; under some locales it takes ASCII alone."""
    encoding = sys.getfilesystemencoding()
    if encoding == "utf-8":
        return "it is not a text in UTF-8."
    return f"this locale knows only {encoding}; set LC_ALL=C.UTF-8."


def _is_unicode(text: str) -> bool:
    """Whether a text holds no bytes that Python couldn't decode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def usage_errors() -> Iterator[None]:
    """Let an option's value that can't be read end the command as an unknown option does."""
    try:
        yield
    except InvalidValue as problem:
        problem.exit_code = click.UsageError.exit_code
        raise


def check_source(mirror: str | None = None, *, demo: bool = False, base_url: str | None) -> None:
    """Refuse options that name several sources."""
    sources = {"--mirror": bool(mirror), "--demo": demo, "--base-url": bool(base_url)}
    named = [name for name, is_named in sources.items() if is_named]
    if len(named) > 1:
        raise InvalidValue(f"{' and '.join(named)} exclude each other: the data come from one.")


def check_one_period(period: str | None, since: str | None, until: str | None) -> None:
    """Refuse a period that is named by two kinds of options."""
    if period and (since or until):
        raise InvalidValue("--period (or --month) and --since/--until exclude each other.")


def _checked_zone(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    if _checked(context, parameter, value) is not None:
        from fleetkit.time import zone_name  # noqa: PLC0415 - it loads pandas

        with usage_errors():
            zone_name(value)
    return value


def checked_address(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse what can't be the address of a service; a callback of options."""
    if _checked(context, parameter, value) is not None:
        from fleetkit.client import address  # noqa: PLC0415 - it loads requests

        with usage_errors():
            address.read(value, allow_http=True)  # whether it is allowed, another option says
    return value


def _checked_language(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    if _checked(context, parameter, value) is not None:
        from fleetkit.language import chosen  # noqa: PLC0415 - it takes long to import

        with usage_errors():
            chosen(value)
    return value


def _checked_file(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    if _checked(context, parameter, value) is not None:
        with usage_errors():
            try:
                opened(expanded(value)).close()
            except OSError as problem:
                raise InvalidValue(f"{value} can't be read: {problem.strerror}.") from None
    return value


def combined(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return one decorator that adds several options, in their order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def folder(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem]:
    """Complete a folder's name."""
    return [CompletionItem(text, type="dir")]


def _file(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem]:
    return [CompletionItem(text, type="file")]


def _zone(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem]:
    from zoneinfo import available_timezones  # noqa: PLC0415 - it reads the disk

    return [CompletionItem(name) for name in sorted(available_timezones()) if name.startswith(text)]


def examples(*lines: str) -> str:
    """Return the end of a command's help: lines that can be typed as they stand."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def filters(verb: str) -> Callable[[Any], Any]:
    """Return the option that narrows what a command does; `verb` begins its help."""
    return click.option(
        "--filter",
        "filters",
        metavar="NAME=VALUE",
        multiple=True,
        help=f"{verb} these only, such as type=DRONE, all but these, such as type!=CAMERA, or a "
        "view, @name; may be repeated.",
    )


def period(about: str) -> Callable[[Any], Any]:
    """Return the option of a period, under its two names; `about` is its help."""
    return click.option(
        "--period",
        "--month",
        "period",
        metavar="PERIOD",
        multiple=True,
        callback=_one_period,
        help=about,
    )


def _one_period(context: click.Context, parameter: click.Parameter, value: Any) -> str | None:
    texts = set(_checked(context, parameter, value))
    if len(texts) > 1:
        raise click.BadParameter("one period at a time.", context, parameter)
    return next(iter(texts), None)


def names(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option of names with commas between, which may be repeated."""
    return click.option(*names, multiple=True, callback=_separated, **settings)


def _separated(
    context: click.Context, parameter: click.Parameter, value: Any
) -> tuple[str, ...] | None:
    """Return the names between commas; None where the option isn't given."""
    return texts(",".join(_checked(context, parameter, value))) if value else None


def add_clients(selection: Filter, clients: tuple[str, ...]) -> Filter:
    """Return a filter that selects the clients of the option ``--client``, too."""
    if not clients:
        return selection
    from fleetkit.exclusion import Excluding, in_both  # noqa: PLC0415 - it loads pandas

    if isinstance(selection.client, Excluding):
        return replace(selection, client=in_both(selection.client, clients))
    return replace(selection, client=(*(selection.client or ()), *clients))


def stored(verb: str) -> Callable[[Any], Any]:
    """Return the options of data that no service is asked for; `verb` begins their help."""
    return combined(
        click.option(
            "--mirror",
            metavar="MIRROR",
            shell_complete=folder,
            help="Read this mirror, offline, and no service.",
        ),
        click.option(
            "--version", type=WholeNumber(), metavar="N", help=f"{verb} this version of the mirror."
        ),
        click.option(
            "--as-of", metavar="WHEN", help=f"{verb} the mirror, or the demo, as it was then."
        ),
        click.option(
            "--demo", is_flag=True, help=f"{verb} an invented organisation; needs no account."
        ),
    )


def listening(port: int) -> Callable[[Any], Any]:
    """Return the options of a command that serves, with its usual port."""
    return combined(
        click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen."),
        click.option(
            "--port",
            type=WholeRange(0, 65_535),
            default=port,
            show_default=True,
            help="0 chooses a free one.",
        ),
    )


class _Header(click.Choice[str]):
    """Headers of a key; what is none of them is not quoted, for it may be the key itself."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read the name of a header."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"it is not one of {', '.join(AUTH_HEADERS)}.", param, ctx)


def auth(when: str = "") -> Callable[[Any], Any]:
    """Return the option of the key's header; `when` says in its help when it carries the key."""
    about = f"Header that carries the key{when}; default: the setting auth, else X-API-Key."
    return click.option("--auth", type=_Header(AUTH_HEADERS), help=about)


client = click.option(
    "--client",
    "clients",
    metavar="NAME",
    multiple=True,
    help="Short for --filter client=NAME; may be repeated.",
)
# `main` looks for these before any command runs, so that no failure escapes them.
debug = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show tracebacks, and what libraries print."
)
_json = click.option(
    "--json", is_flag=True, expose_value=False, help="Print one JSON object, for scripts."
)
# Options of what a command prints.
output = combined(_json, click.option("--quiet", is_flag=True, help="Print nothing but an error."))
tz = click.option(
    "--tz",
    metavar="ZONE",
    shell_complete=_zone,
    callback=_checked_zone,
    help="Time zone of months and days, such as Europe/London; default: the setting tz, else that"
    " of the mirror, else UTC.",
)
lang = click.option(
    "--lang",
    metavar="LANGUAGE",
    callback=_checked_language,
    help="Its language: en, de, nb, or a file such as fr.po; default: the setting lang, else en.",
)
allow_http = click.option(
    "--allow-http", is_flag=True, help="Send the key unencrypted to another machine."
)
# Options of the service's address, and of how it is read.
connection = combined(
    click.option(
        "--base-url",
        metavar="URL",
        callback=checked_address,
        help="Address of the service; default: FLEETKIT_BASE_URL, else the setting base_url, else"
        " the stored one.",
    ),
    click.option(
        "--concurrency",
        type=WholeRange(1, MOST_CONCURRENCY),
        metavar="N",
        help="Most requests at the same time; default: the setting concurrency, else 8.",
    ),
    click.option(
        "--timeout",
        type=NumberRange(0, MOST_SECONDS, min_open=True),
        metavar="SECONDS",
        help="Longest wait for one answer; default: the setting timeout, else 30.",
    ),
    auth(),
    allow_http,
    click.option(
        "--config",
        metavar="FILE",
        shell_complete=_file,
        callback=_checked_file,
        help="Settings; default: FLEETKIT_CONFIG, else fleetkit.toml in this folder.",
    ),
)
