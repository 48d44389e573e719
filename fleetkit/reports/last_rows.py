"""The last rows of a printed table, which stay on one page: totals need rows above them.

PlutoPrint breaks a table between any two rows, but never a cell: one without a width spans those
rows.
"""

from __future__ import annotations

import re

__all__ = ["with_last_rows_together"]

# Rows that stand above the totals, or above what counts the rest.
_ABOVE = 2
_TABLE = re.compile(
    r"(<table\b[^>]*>.*?)(</colgroup>.*?<tbody>)(.*?)(</tbody>\s*</table>\s*</div>)"
    r'(?:\s*<p class="caption">(.*?)</p>)?',
    re.DOTALL,
)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)


def with_last_rows_together(html: str) -> str:
    """Return a report whose tables end with rows that are printed on one page.

    They are the totals, the two rows above them, and below them the caption that counts the rest.
    """
    return _TABLE.sub(_together, html)


def _together(table: re.Match[str]) -> str:
    start, head, body, end, rest = table.groups()
    rows = _ROW.findall(body)
    if not rows:
        return table[0]
    if rest:
        columns = head.count("<th ")
        rows.append(f'<tr><td class="caption rest" colspan="{columns}">{rest}</td></tr>')
    below = sum(row.startswith('<tr class="total">') for row in rows) + bool(rest)
    count = min(below + _ABOVE, len(rows))
    spanning = f'<td class="span" rowspan="{count}"></td></tr>'
    rows[-count] = rows[-count].removesuffix("</tr>") + spanning
    return f'{start}<col style="width: 0">{head}{"".join(rows)}{end}'
