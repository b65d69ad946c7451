#!/usr/bin/python3
"""Checks that every document that sources and documents cite is in the repository, and has the section that is cited.

    citations.py ROOT       prints `FILE:LINE: reason` per violation; exit code 1 if there is one

A citation is the path of a document, from the root, from docs/ or from the folder of what cites it, such as
`docs/spec/states.md`; a path with sections, `docs/spec/verdict.md, "Integers"`; a link of Markdown, `(types.md#local-ops)`; or
`ADR 17`. A section is a heading, or words at the start of a paragraph that are bold and end with a full stop.
"""

import functools
import pathlib
import re
import sys

FOLDERS = ["apps", "bench", "catalogue", "cmake", "command_line", "core", "docs", "examples", "exec", "include", "library", "parallel", "pictures", "python",
           "sim", "tests", "verify"]
SUFFIXES = {".cc", ".cmake", ".h", ".md", ".py", ".shard", ".sh", ".txt"}
LEFT_OUT = "tests/citations"  # names documents that there are not

PATH = re.compile(r"(?<![\w./-])((?:\.\./|[\w-]+/)*[\w.-]+\.md)(?![\w-])")
QUOTED = r'"[^"]{1,100}"'
SECTIONS = re.compile(rf"(?:#[\w-]+)?[`)]*,\s+{QUOTED}(?:(?:,| and)\s+{QUOTED})*")
LINK = re.compile(r"\]\(([^()\s]+)\)")
RECORD = re.compile(r"\bADR (\d+)\b|\bdocs/adr/(\d+)\b")
OUTSIDE = re.compile(r"\bdesign \d+(?:\.\d+)?\b")
COMMENT = re.compile(r"\n[ \t]*(?:///<|///|//|#|\*) ?")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def plain(words):
    return " ".join(words.replace("`", "").split())


@functools.cache
def sections_of(document):
    """(the anchors of a document, the names of its sections)."""
    text = FENCE.sub(blank, document.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    bold = re.findall(r"^(?:\* )?\*\*([^*]+?)\.?\*\*", text, re.MULTILINE)
    return {slug(heading) for heading in headings}, {plain(name) for name in headings + bold}


def find(root, citing, path):
    """The document that `path` means in the file `citing`; nothing where there is none, or where only a neighbour of the repository has it."""
    for folder in [root, citing.parent, root / "docs"]:
        document = (folder / path).resolve()
        if document.is_file() and document.is_relative_to(root.resolve()):
            return folder / path
    return None


class File:
    def __init__(self, root, path):
        self.root, self.path = root, path
        text = path.read_text(encoding="utf-8")
        self.text = FENCE.sub(blank, text) if path.suffix == ".md" else text

    def at(self, place, reason):
        return f"{self.path.relative_to(self.root)}:{self.text.count(chr(10), 0, place) + 1}: {reason}"

    def violations(self):
        yield from self.paths()
        yield from self.records()
        if self.path.suffix == ".md":
            yield from self.links()

    def paths(self):
        # In a comment sections may stand on the next line; everything stays in its place.
        text = COMMENT.sub(lambda match: "\n" + " " * (len(match.group()) - 1), self.text)
        for match in PATH.finditer(text):
            if text.startswith("](", match.end()):  # the words of a link
                continue
            document = find(self.root, self.path, match.group(1))
            if document is None and text.startswith("](", match.start() - 2):
                continue  # links() says so
            if document is None:
                yield self.at(match.start(), f"{match.group(1)} is no document of this repository")
                continue
            sections = SECTIONS.match(text, match.end())
            for quoted in re.findall(QUOTED, sections.group()) if sections else []:
                name = plain(quoted[1:-1])
                if name not in sections_of(document)[1]:
                    yield self.at(match.start(), f"{match.group(1)} has no section {name}")
        for match in OUTSIDE.finditer(text):
            yield self.at(match.start(), f"`{match.group()}` is no section of a document of this repository")

    def records(self):
        for match in RECORD.finditer(self.text):
            number = int(match.group(1) or match.group(2))
            if not list((self.root / "docs/adr").glob(f"{number:04}-*.md")):
                yield self.at(match.start(), f"there is no ADR {number}")

    def links(self):
        for match in LINK.finditer(CODE.sub(blank, self.text)):
            path, _, anchor = match.group(1).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = self.path.parent / path if path else self.path
            if not target.exists():
                yield self.at(match.start(), f"the link {match.group(1)} leads to no file")
            elif anchor and target.suffix == ".md" and anchor not in sections_of(target)[0]:
                yield self.at(match.start(), f"{target.name} has no heading for #{anchor}")


def files(root):
    inside = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES]
    return sorted(path for path in [*inside, *root.glob("*.md")] if not path.is_relative_to(root / LEFT_OUT))


def check(root):
    """(violations, the number of files that were read)."""
    found = files(root)
    return [line for path in found for line in File(root, path).violations()], len(found)


def main():
    found, count = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else f"{count} files cite documents and sections that there are")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
