"""How an answer came about, as JSON-able sections and as one self-contained HTML file.

Knows sections of text, code, tables, pictures and the steps of a run. Whoever answers adds its own (question,
decomposition, answer). Every text is escaped; the page loads nothing from anywhere and holds no script.
"""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.engine.describe import describe
from placecell.engine.interpreter import RunResult
from placecell.engine.values import Evidence, Picture, Value
from placecell.errors import UserError


@dataclass
class Section:
    """One part of a trace: blocks in the order they were added. Every method returns the section."""

    title: str
    blocks: list[dict[str, Any]] = field(default_factory=list)

    def text(self, text: str, *, tone: str = "plain") -> Section:
        """A paragraph; ``tone`` is "plain", "good", "bad" or "quiet"."""
        return self._add(kind="text", text=text, tone=tone)

    def code(self, text: str) -> Section:
        """A program or other preformatted text, with line numbers."""
        return self._add(kind="code", text=text)

    def facts(self, facts: Mapping[str, object]) -> Section:
        """Names and values in two columns; None is left out."""
        return self._add(kind="facts", facts={k: _text(v) for k, v in facts.items() if v is not None})

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Section:
        """Rows of texts below a head."""
        return self._add(kind="table", head=list(head), rows=[[_text(cell) for cell in row] for row in rows])

    def picture(self, picture: Picture) -> Section:
        """A picture with its caption and exact camera."""
        return self._add(kind="picture", caption=picture.caption, camera=picture.sidecar, rgb=picture.rgb)

    def photo(self, rgb: NDArray[np.uint8], caption: str) -> Section:
        """A photo (H, W, 3)."""
        return self._add(kind="picture", caption=caption, camera={}, rgb=rgb)

    def _add(self, **block: Any) -> Section:
        self.blocks.append(block)
        return self


@dataclass
class Trace:
    """Sections under a title. ``section`` adds one to write into."""

    title: str
    sections: list[Section] = field(default_factory=list)

    def section(self, title: str) -> Section:
        """A new section at the end."""
        self.sections.append(Section(title))
        return self.sections[-1]

    def run(self, result: RunResult) -> None:
        """Sections for a run: the returned values, every step with what it rests on, and the pictures."""
        values = self.section("Values")
        values.table(
            ("", "value", "rests on"),
            [(n, describe(v), _rests_on(v)) for n, v in enumerate(result.values, 1)],
        )
        steps = self.section("Steps")
        steps.table(
            ("", "line", "operation", "arguments", "result", "rests on", "viewpoint", "ms"),
            [
                (
                    s.number,
                    s.span.line,
                    f"{s.target} = {s.operation}" if s.target else s.operation,
                    ", ".join(f"{k}={describe(v)}" for k, v in s.arguments.items() if k != "memory"),
                    describe(s.result),
                    _rests_on(s.result),
                    s.viewpoint,
                    f"{s.milliseconds:.1f}",
                )
                for s in result.steps
            ],
        )
        stats = result.stats
        steps.text(
            f"{stats.operations} operations, {stats.pictures} pictures, {stats.seconds:.2f} seconds", tone="quiet"
        )
        if result.pictures:
            pictures = self.section("Pictures")
            for picture in result.pictures:
                pictures.picture(picture)

    def records(self) -> list[dict[str, Any]]:
        """The trace for JSON, pictures by caption and camera only."""
        return [
            {"title": s.title, "blocks": [{k: v for k, v in b.items() if k != "rgb"} for b in s.blocks]}
            for s in self.sections
        ]

    def to_html(self) -> str:
        """One self-contained page."""
        body = "\n".join(
            f"<section><h2>{_escaped(s.title)}</h2>\n" + "\n".join(_block(b) for b in s.blocks) + "</section>"
            for s in self.sections
        )
        title = _escaped(self.title)
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
            "style-src 'unsafe-inline'\">"
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n{body}\n</body></html>\n"
        )

    def write(self, path: Path) -> None:
        """Write the HTML page, or the records for a path that ends in .json. UserError when it cannot be written."""
        as_json = path.suffix.lower() == ".json"
        text = json.dumps(self.records(), indent=1) + "\n" if as_json else self.to_html()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}", hint="choose another place for the trace") from None


def _rests_on(value: Value) -> str:
    evidence = getattr(value, "evidence", None)
    if not isinstance(evidence, Evidence):
        return ""
    parts = []
    if evidence.frames:
        parts.append(f"images {_ranges(evidence.frames)}")
    if evidence.instances:
        parts.append(f"objects {', '.join(map(str, evidence.instances))}")
    if evidence.points:
        parts.append(f"{evidence.points} points")
    return "; ".join([*parts, *evidence.flags])


def _ranges(numbers: Sequence[int]) -> str:
    """ "1-4, 7" for 1, 2, 3, 4, 7."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def _escaped(text: str) -> str:
    return html.escape(text, quote=True)


def _block(block: Mapping[str, Any]) -> str:
    match block["kind"]:
        case "text":
            return f'<p class="{_escaped(block["tone"])}">{_escaped(block["text"])}</p>'
        case "code":
            lines = "".join(f"<li>{_escaped(line) or ' '}</li>" for line in block["text"].splitlines())
            return f"<pre><ol>{lines}</ol></pre>"
        case "facts":
            rows = "".join(f"<tr><th>{_escaped(k)}</th><td>{_escaped(v)}</td></tr>" for k, v in block["facts"].items())
            return f'<table class="facts">{rows}</table>'
        case "table":
            head = "".join(f"<th>{_escaped(h)}</th>" for h in block["head"])
            rows = "".join("<tr>" + "".join(f"<td>{_escaped(c)}</td>" for c in row) + "</tr>" for row in block["rows"])
            return f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div>'
    camera = json.dumps({k: v for k, v in block["camera"].items() if k != "caption"})
    exact = (
        f"<details><summary>exact camera</summary><code>{_escaped(camera)}</code></details>" if block["camera"] else ""
    )
    caption = _escaped(block["caption"])
    image = f'<img alt="{caption}" src="{_data_uri(block["rgb"])}">'
    return f"<figure>{image}<figcaption>{caption}{exact}</figcaption></figure>"


def _data_uri(rgb: NDArray[np.uint8]) -> str:
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


_STYLE = """
:root{color-scheme:light dark;--ink:#1c1d22;--paper:#fff;--line:#d9dae0;--soft:#f5f6f8;--quiet:#6a6d78}
@media(prefers-color-scheme:dark){:root{--ink:#e8e9ee;--paper:#17181c;--line:#34363f;--soft:#202229;--quiet:#9a9dab}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1100px;margin:2rem auto;
padding:0 1rem}h1{font-size:1.5rem;line-height:1.3}h2{font-size:1rem;margin:2rem 0 .5rem;padding-bottom:.2rem;
border-bottom:1px solid var(--line)}table{border-collapse:collapse;font-size:.9em}th,td{text-align:left;
vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid var(--line)}th{font-weight:600}.wide{overflow-x:auto}
pre{background:var(--soft);padding:.6rem;border-radius:6px;overflow-x:auto;font-size:.88em;margin:.5rem 0}
pre ol{margin:0;padding-left:2.6em}code{word-break:break-all;font-size:.85em}figure{margin:1rem 0}
figure img{max-width:100%;border:1px solid var(--line);border-radius:4px}figcaption{color:var(--quiet);font-size:.9em;
max-width:768px}.quiet{color:var(--quiet)}.good{color:#1a7f37}.bad{color:#c4314b}
"""
