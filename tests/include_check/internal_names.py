#!/usr/bin/python3
"""Checks that the sources of a CMake target could be compiled as one: what is internal to a source has its own name.

    internal_names.py ROOT       prints one line per violation; exit code 1 if there is one

Internal is what stands in an anonymous namespace, is static, or names a namespace or a macro in a source. Another
source of the target may not have the name as well, whatever the signature, and no header of the target may declare it
in a namespace around it: the sources of a batch (ISOSHARD_BATCH) see each other's names, and a call could come to mean
another function. Sources named *_test.cc are left out: each has a namespace of its own.
"""

import functools
import pathlib
import re
import sys
import typing

from source_lists import ENTRY, TOPS

TARGET = re.compile(r"isoshard_add_(?:library|executable|tests|benchmark)\((\w+)\s(.*?)\)\n", re.DOTALL)
INCLUDE = re.compile(r'^ *# *include "([^"]+)"', re.MULTILINE)
MACRO = re.compile(r"^ *# *define (\w+)", re.MULTILINE)
COMMENT_OR_LITERAL = re.compile(
    r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\b[0-9](?:\'?[\w.])*|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^ *#(?:\\\n|[^\n])*", re.MULTILINE)
TOKEN = re.compile(r"\w+|::|\[\[|\]\]|\S")
CLOSED_BY = {"(": ")", "[": "]", "[[": "]]", "{": "}", "<": ">"}
SPECIFIERS = {"const", "consteval", "constexpr", "constinit", "extern", "inline", "static", "thread_local"}


class Token(typing.NamedTuple):
    text: str
    line: int


class Declared(typing.NamedTuple):
    namespace: str
    internal: bool
    name: str
    line: int
    using: str = ""  # what a using-declaration brings; two that bring the same do no harm


def is_word(token):
    return re.fullmatch(r"[A-Za-z_]\w*", token.text) is not None


def tokens_of(text):
    """The tokens of C++ without comments, literals and directives."""

    def blank(match):
        return " " + "\n" * match.group().count("\n")

    lines = DIRECTIVE.sub(blank, COMMENT_OR_LITERAL.sub(blank, text)).split("\n")
    return [Token(token, number) for number, line in enumerate(lines, 1) for token in TOKEN.findall(line)]


def end_of_group(tokens, at):
    """The place behind the bracket that closes the one at `at`."""
    opened, depth = tokens[at].text, 0
    for place in range(at, len(tokens)):
        depth += (tokens[place].text == opened) - (tokens[place].text == CLOSED_BY[opened])
        if depth == 0:
            return place + 1
    return len(tokens)


def has_group(tokens, at):
    return at + 1 < len(tokens) and tokens[at + 1].text in CLOSED_BY


def end_of_declaration(tokens, at):
    """The place behind the declaration that begins at `at`: behind its `;`, or behind the body of a function."""
    function = True  # as far as one can see
    parameters = False
    while at < len(tokens):
        text = tokens[at].text
        if text == ";":
            return at + 1
        if text in ("template", "alignas", "__attribute__") and has_group(tokens, at):
            at = end_of_group(tokens, at + 1)
        elif text in ("(", "[", "[[", "{"):
            at = end_of_group(tokens, at)
            if text == "{" and function and parameters:
                return at
            parameters = parameters or text == "("
        else:
            function = function and text not in ("struct", "class", "union", "enum", "=")
            at += 1
    return at


def further_names(tokens):
    """The names behind the first one of `int a = 1, b = 2;`, from the first `=` or `,` on."""
    found, at = [], 0
    while at + 2 < len(tokens):
        if tokens[at].text in ("(", "{", "["):
            at = end_of_group(tokens, at)
            continue
        if tokens[at].text == "," and is_word(tokens[at + 1]) and tokens[at + 2].text in ("=", "{", ",", ";"):
            found.append(tokens[at + 1])
        at += 1
    return found


def declared_names(tokens):
    """The names that a declaration gives to its namespace; none for members, and none for operators."""
    at, word = 0, None
    while at < len(tokens):
        text = tokens[at].text
        if text in ("template", "alignas", "__attribute__", "requires"):
            at = end_of_group(tokens, at + 1) if has_group(tokens, at) else at + 1
        elif text == "[[" or (text == "<" and word):
            at = end_of_group(tokens, at)
        elif text in ("static_assert", "friend", "operator"):
            return []
        elif text == "(" and tokens[at + 1].text in ("*", "&"):  # what gives a pointer to a function
            at, word = at + 2, None
        elif text in ("=", ",") and word:
            return [word] + further_names(tokens[at:])
        elif text in ("(", "{", ";", "[", ":", "final"):
            break
        else:
            qualified = at > 0 and tokens[at - 1].text == "::"
            word = tokens[at] if is_word(tokens[at]) and text not in SPECIFIERS else word
            at += 1
    return [word] if word and not qualified else []


def using(tokens):
    """(names, what is brought) of a declaration that begins with `using`; enumerators are not looked for."""
    if tokens[2].text == "=":
        return [tokens[1]], ""
    brought = "".join(token.text for token in tokens[1:-1])
    return ([], "") if tokens[1].text in ("enum", "namespace") else ([tokens[-2]], brought)


def declarations(text):
    tokens, inside, at = tokens_of(text), [], 0
    while at < len(tokens):
        if tokens[at].text in ("}", ";"):
            inside, at = inside[: len(inside) - (tokens[at].text == "}")], at + 1
            continue
        is_namespace = tokens[at].text == "namespace"
        if is_namespace:
            end = next(place for place in range(at, len(tokens)) if tokens[place].text in "{=")
            if tokens[end].text == "{":
                inside, at = inside + ["".join(token.text for token in tokens[at + 1 : end])], end + 1
                continue
        end = end_of_declaration(tokens, at)
        declaration, brought = tokens[at:end], ""
        if is_namespace:
            names = [tokens[at + 1]]
        elif tokens[at].text == "using":
            names, brought = using(declaration)
        else:
            names = declared_names(declaration)
        internal = "" in inside or is_namespace or tokens[at].text == "static"
        around = "::".join(name for name in inside if name)
        yield from (Declared(around, internal, name.text, name.line, brought) for name in names)
        at = end


def macros(text):
    for match in MACRO.finditer(text):
        yield Declared("", True, match.group(1), text.count("\n", 0, match.start()) + 1)


@functools.cache
def parts(path):
    """What a file declares, the first of several declarations of a name, and what it includes."""
    text, found = path.read_text(encoding="utf-8"), {}
    for declared in [*declarations(text), *macros(text)]:
        found.setdefault((declared.namespace, declared.internal, declared.name), declared)
    return list(found.values()), INCLUDE.findall(text)


def headers_of(root, sources):
    found, waiting = set(), list(sources)
    while waiting:
        new = [file for file in parts(root / waiting.pop())[1] if file not in found and (root / file).is_file()]
        found.update(new)
        waiting += new
    return sorted(found)


def targets(root):
    """(target, its sources) of all source lists."""
    for top in TOPS:
        lists = (root / top / "CMakeLists.txt").read_text(encoding="utf-8") + "\n"
        for target, arguments in TARGET.findall(lists):
            entries = [ENTRY.fullmatch(line) for line in arguments.split("\n")]
            sources = [f"{top}/{entry.group(1)}" for entry in entries if entry]
            yield target, [source for source in sources if source.endswith(".cc") and not source.endswith("_test.cc")]


def clash(one, other):
    return not one.using or one.using != other.using


def visible(inner, outer):
    """Whether what a header declares in `outer` is seen in `inner`."""
    return outer == "" or f"{inner}::".startswith(f"{outer}::")


def check_target(root, target, sources):
    in_headers, first = {}, {}
    for header in headers_of(root, sources):
        for declared in parts(root / header)[0]:
            in_headers.setdefault(declared.name, []).append((declared, header))
    for source in sources:
        for name in parts(root / source)[0]:
            if not name.internal:
                continue
            place = f"{source}:{name.line}: {name.name} of {target}"
            other, where = first.setdefault(name.name, (name, source))
            if where != source and clash(name, other):
                yield f"{place} is internal to {where}, too"
            for other, where in in_headers.get(name.name, []):
                if visible(name.namespace, other.namespace) and clash(name, other):
                    yield f"{place} is declared by {where}, too"
                    break


def check(root):
    found, count = [], 0
    for target, sources in targets(root):
        found += check_target(root, target, sources)
        count += sum(declared.internal for source in sources for declared in parts(root / source)[0])
    return found, count


def main():
    found, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{count} internal names each belong to one source of their target")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
