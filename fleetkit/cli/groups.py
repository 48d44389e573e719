"""Groups of commands that suggest a command for a misspelt word."""

from __future__ import annotations

import click

from fleetkit.interface import did_you_mean, sentence

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
            ctx.fail(f"There is no command {name!r}. {guess}".strip())
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
        known = context.command.params if context is not None else ()
        names = [name for option in known for name in (*option.opts, *option.secondary_opts)]
        name = problem.option_name
        message = f"There is no option {name}. {did_you_mean(name, names)}".strip()
    where = context.command_path if context is not None else f"fleetkit {command}".strip()
    return f"{sentence(message)} See: {where} --help"
