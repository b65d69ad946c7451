#!/usr/bin/python3
"""Makes the site of the documents: an HTML page of each Markdown file of the repository's root and of docs/.

    site.py FOLDER [ROOT]       writes FOLDER/index.html and the others; prints `FILE: reason` per broken link, exit code 1

Texts are Markdown as GitHub reads it: fences, tables, anchors of headings. Links from page to page stay links; pictures are
copied; what links to another file of the repository is written as its name (docs/adr/0094-site.md).
"""

import html
import os
import pathlib
import re
import shutil
import sys

import markdown

MENU = [
    ("Start", ["README.md", "docs/tutorial/1-write.md", "docs/tutorial/2-check.md", "docs/tutorial/3-repair.md",
               "docs/tutorial/4-train.md", "docs/tutorial/5-run.md", "docs/pages.md"]),
    ("Use", ["docs/examples.md", "docs/models.md", "docs/training.md", "docs/jax.md", "docs/python.md", "docs/library.md",
             "docs/exec.md", "docs/plan.md", "docs/zoo.md"]),
    ("Look up", ["docs/language.md", "docs/types.md", "docs/ops.md", "docs/standard.md", "docs/rules.md", "docs/originals.md"]),
    ("Trust", ["docs/soundness.md", "docs/ladder.md", "docs/mutation.md", "docs/gpu-results.md", "docs/performance.md"]),
    ("Work on it", ["docs/architecture.md", "docs/spec/README.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]
STYLE = """
:root{--ink:#1b1f24;--muted:#57606a;--rule:#d0d7de;--back:#fff;--band:#f3f5f7;--link:#0b5fa5}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--muted:#9aa4af;--rule:#30363d;--back:#0d1117;--band:#161c24;--link:#79c0ff}}
*{box-sizing:border-box}body{margin:0;color:var(--ink);background:var(--back);font:16px/1.6 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
display:grid;grid-template-columns:230px minmax(0,1fr);max-width:1400px;margin:0 auto}
nav{padding:20px 12px 20px 20px;border-right:1px solid var(--rule);font-size:14px;position:sticky;top:0;height:100vh;overflow:auto}
nav h2{font-size:12px;text-transform:uppercase;color:var(--muted);margin:16px 0 4px;border:0}nav ul{list-style:none;padding:0;margin:0}
nav a{color:var(--ink);text-decoration:none;display:block;padding:1px 0}nav a[aria-current]{font-weight:700;color:var(--link)}
main{padding:12px 32px 60px;min-width:0}a{color:var(--link)}img{max-width:100%;height:auto}h1,h2,h3{line-height:1.25;overflow-wrap:anywhere}
h2{border-bottom:1px solid var(--rule);padding-bottom:4px;margin-top:36px}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code{background:var(--band);padding:1px 4px;border-radius:4px;overflow-wrap:anywhere}pre{background:var(--band);padding:12px;border-radius:6px;overflow-x:auto;line-height:1.45}
pre code{padding:0;background:none;overflow-wrap:normal}table{border-collapse:collapse;display:block;overflow-x:auto;font-size:14px}
th,td{border:1px solid var(--rule);padding:4px 10px;text-align:left;vertical-align:top}th{background:var(--band)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media (max-width:800px){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--rule)}main{padding:12px 16px}}
"""
LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
IMAGE = re.compile(r'(<img [^>]*src=")([^"]*)(")')
TITLE = re.compile(r"^# (.*)$", re.MULTILINE)


def slug(heading, _separator):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def page_of(source):
    """The page of a document, from the root of the site."""
    return pathlib.PurePosixPath("index.html") if source == "README.md" else pathlib.PurePosixPath(source).with_suffix(".html")


class Site:
    def __init__(self, root):
        self.root, self.errors, self.pictures = root, [], set()
        found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
        self.sources = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(found)}
        self.bodies = {source: self.convert(text) for source, text in self.sources.items()}
        self.anchors = {source: set(re.findall(r' id="([^"]+)"', body)) for source, body in self.bodies.items()}

    @staticmethod
    def convert(text):
        return markdown.markdown(text, extensions=["fenced_code", "tables", "toc", "sane_lists"],
                                 extension_configs={"toc": {"slugify": slug}})

    def title(self, source):
        found = TITLE.search(self.sources[source])
        return re.sub(r"[`*]", "", found.group(1)) if found else source

    def target(self, source, link):
        """The path from the root that a link of `source` leads to."""
        folder = pathlib.PurePosixPath(source).parent
        return os.path.normpath(folder / link) if link else source

    def link(self, source, match):
        href, words = match.groups()
        if re.match(r"[a-z]+:", href):
            return match.group()
        path, _, anchor = html.unescape(href).partition("#")
        target = self.target(source, path)
        if target in self.sources:
            if anchor and anchor not in self.anchors[target]:
                self.errors.append(f"{source}: the link {href} leads to no heading of {target}")
            there = os.path.relpath(page_of(target), page_of(source).parent)
            return f'<a href="{html.escape(there + ("#" + anchor if anchor else ""))}">{words}</a>'
        if target.startswith("..") or not (self.root / target).exists():
            self.errors.append(f"{source}: the link {href} leads to no file")
        return f'<span title="{html.escape(target)}, in the repository">{words}</span>'

    def image(self, source, match):
        target = self.target(source, html.unescape(match.group(2)))
        if (self.root / target).is_file():
            self.pictures.add(target)
        else:
            self.errors.append(f"{source}: the picture {match.group(2)} is not there")
        return match.group(1) + html.escape(os.path.relpath(target, page_of(source).parent)) + match.group(3)

    def menu(self, source):
        parts = []
        for heading, entries in MENU:
            lines = []
            for entry in entries:
                here = ' aria-current="page"' if entry == source else ""
                there = html.escape(os.path.relpath(page_of(entry), page_of(source).parent))
                lines.append(f'<li><a href="{there}"{here}>{html.escape(self.title(entry))}</a></li>')
            parts.append(f"<h2>{heading}</h2>\n<ul>{''.join(lines)}</ul>")
        decisions = os.path.relpath("docs/adr/index.html", page_of(source).parent)
        parts.append(f'<ul><li><a href="{decisions}">Decisions</a></li></ul>')
        return "\n".join(parts)

    def page(self, source, body, title):
        return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
                f'<meta name="viewport" content="width=device-width, initial-scale=1"/>'
                f'<meta name="color-scheme" content="light dark"/><title>{html.escape(title)}</title><style>{STYLE}</style></head>\n'
                f'<body><nav aria-label="documents">{self.menu(source)}</nav>\n<main>\n{body}\n</main></body></html>\n')

    def decisions(self):
        """A page that lists the decisions."""
        records = [source for source in self.sources if re.match(r"docs/adr/\d", source)]
        lines = [f'<li><a href="{page_of(record).name}">{html.escape(self.title(record))}</a></li>' for record in records]
        return "<h1>Decisions</h1>\n<ul>" + "\n".join(lines) + "</ul>"

    def write(self, folder):
        for source, body in self.bodies.items():
            body = LINK.sub(lambda match, source=source: self.link(source, match), body)
            body = IMAGE.sub(lambda match, source=source: self.image(source, match), body)
            self.put(folder / page_of(source), self.page(source, body, self.title(source)))
        self.put(folder / "docs/adr/index.html", self.page("docs/adr/index.html", self.decisions(), "Decisions"))
        for picture in self.pictures:
            (folder / picture).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / picture, folder / picture)

    @staticmethod
    def put(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1])
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1]
    site = Site(root)
    site.write(folder)
    print("\n".join(site.errors) if site.errors else f"{len(site.bodies)} pages in {folder}")
    return 1 if site.errors else 0


if __name__ == "__main__":
    sys.exit(main())
