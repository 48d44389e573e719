"""The landing page: what a browser shows at the server's address."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from fleetkit.schema import ENDPOINTS, ERRORS, SCOPES
from fleetkit.server.dials import Dials

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0;
  border-bottom: 1px solid #8886 }
.scroll { overflow-x: auto }
code { font-size: .92em }
"""


def page(dials: Dials) -> str:
    """Return the page of a server with these dials, as HTML without external resources."""
    endpoints = (
        (
            f"GET {endpoint.path}",
            endpoint.summary,
            endpoint.scope,
            ", ".join(parameter.name for parameter in endpoint.parameters),
        )
        for endpoint in ENDPOINTS.values()
    )
    errors = ((str(error.status), error.code, error.condition) for error in ERRORS.values())
    dial_rows = (
        (option.name, dials.setting(option.name), option.settings, option.about)
        for option in Dials.describe()
    )
    scopes = ", ".join(f"<code>{scope}</code>" for scope in SCOPES)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fleet and Service Management API</title>
<style>{_STYLE}</style>
<h1>Fleet and Service Management API</h1>
<p>Read-only access to one organisation's equipment, flight logs, projects and services.
The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Each request needs an API key, in the header <code>X-API-Key</code> or as
<code>Authorization: Bearer</code>. A key has some of the scopes {scopes}.</p>
{_table("Endpoints", ("Request", "Answer", "Scope", "Parameters"), endpoints)}
{_table("Errors", ("Status", "Code", "When"), errors)}
{_table("What the reference leaves open", ("Dial", "Here", "Settings", "Left open by"), dial_rows)}
</html>
"""


def _table(heading: str, titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<h2>{heading}</h2>\n<div class="scroll" role="group" tabindex="0" aria-label="{heading}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )
