"""Groups of commands that suggest a command for a misspelt word."""

from __future__ import annotations

import click

from fleetkit.interface import brief, did_you_mean, sentence

__all__ = ["Group", "explained"]


class Group(click.Group):
    """A group that suggests the command with the most similar name."""

    group_class = type  # groups inside are of the same kind

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest one."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            guess = did_you_mean(name, self.list_commands(ctx))
            ctx.fail(f"There is no command {brief(name)}. {guess}".strip())
        return super().resolve_command(ctx, args)


def explained(problem: click.ClickException, command: str) -> str:
    """Return what is wrong with a command line, in one line with what to do next.

    Parameters
    ----------
    problem : ClickException
    command : str
        The command whose help to name where the problem names none.
    """
    message = problem.format_message()
    context = getattr(problem, "ctx", None)
    if isinstance(problem, click.NoSuchOption):
        message = _explained_option(problem.option_name, context)
    where = context.command_path if context is not None else f"fleetkit {command}".strip()
    return f"{sentence(message)} See: {where} --help"


def _explained_option(name: str, context: click.Context | None) -> str:
    """Say that a command has no such option, and where one of this or a similar name is."""
    group = context.parent if context is not None else None
    while group is not None:
        if name in _option_names(group):
            path = group.command_path
            return f"{name} is an option of {path}: write {path} {name} …"
        group = group.parent
    guess = did_you_mean(name, _option_names(context) if context is not None else ())
    return f"There is no option {name}. {guess}".strip()


def _option_names(context: click.Context) -> list[str]:
    options = context.command.params
    return [name for option in options for name in (*option.opts, *option.secondary_opts)]
