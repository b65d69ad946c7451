"""Reads tests/zoo: an entry is a documented bug as a program or, where it is one of order, as a Plan, the same mended, and
what isoshard says of both."""

import pathlib
import re

ZOO = pathlib.Path(__file__).resolve().parent
# The entries of the zoo: numbers of the collection of documented bugs.
NUMBERS = [*range(1, 7), *range(15, 21), 23, 26, 27, *range(30, 35), 37, 38, 39, 41, *range(45, 49)]
ONE = ("number", "bug", "source", "hides", "do", "jax", "seconds")
OPTIONAL = ("exit",)
MANY = ("hidden", "also")
PROGRAMS = ("wrong.shard", "wrong.untyped.shard", "wrong.plan")


class Run:
    """`--set parts=1 | why`: options of `isoshard check`, and what they show."""

    def __init__(self, line):
        options, _, self.why = (part.strip() for part in line.partition("|"))
        self.options = options.split()

    def __str__(self):
        return " ".join(self.options)


class Entry:
    """A folder `<number>_<name>`; `problems` lists what expected.txt lacks or says twice."""

    def __init__(self, folder):
        self.folder, self.name, self.problems = folder, folder.name, []
        self.values, self.runs, self.reports = {}, {key: [] for key in MANY}, {}
        head, *parts = re.split(r"^== (.*)\n", (folder / "expected.txt").read_text(), flags=re.MULTILINE)
        for line in head.splitlines():
            self._read(line)
        self.problems += [f"expected.txt: no `{key}:`" for key in ONE if not self.values.get(key)]
        self.is_plan = (folder / "wrong.plan").exists()
        if not self.runs["hidden"] and not self.is_plan:
            self.problems.append("expected.txt: no `hidden:`; name sizes at which the bug does not show")
        self.reports = dict(zip(parts[::2], parts[1::2]))

    def _read(self, line):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key not in ONE + MANY + OPTIONAL or key in self.values:
            self.problems.append(f"expected.txt: `{line}` is no `key: value` with one of the keys {', '.join(ONE + MANY)}, once")
        elif key in MANY:
            self.runs[key].append(Run(value))
        else:
            self.values[key] = value

    def __getattr__(self, key):
        if key not in ONE:
            raise AttributeError(key)
        return self.values[key]

    def text(self, file):
        return (self.folder / file).read_text()

    def wrong(self):
        """The wrong programs: as their authors would write it, and without states where states reject it already."""
        return [file for file in PROGRAMS if (self.folder / file).exists()]

    def right(self):
        return "right.plan" if self.is_plan else "right.shard"

    def exit_code(self):
        """Of `isoshard check` of the wrong program: 1, or 2 where reading a Plan finds it."""
        return int(self.values.get("exit", 1))

    def judged_by_values(self):
        """The wrong program that only its values can reject: states do not depend on sizes."""
        return self.wrong()[-1]

    def mechanism(self):
        """The comment at the head of the wrong program, as one paragraph without WRONG."""
        lines = self.text(self.wrong()[0]).splitlines()[1:]
        end = next(at for at, line in enumerate(lines) if not line.startswith("//"))
        text = " ".join(line[2:].strip() for line in lines[:end]).removeprefix("WRONG: ")
        return text[:1].upper() + text[1:]

    def sizes(self):
        """Sizes of meshes and values of `let`s that are numbers, sorted: what two entries may not share."""
        code = re.sub(r"//.*", "", self.text(self.wrong()[0]))
        meshes = re.findall(r"^(?:mesh|plan @\w+ on) [^\[]*\[([^\]]*)\]", code, re.MULTILINE)
        axes = [size for mesh in meshes for size in re.findall(r"= *(\d+)", mesh)]
        return tuple(sorted(map(int, axes + re.findall(r"^let \w+ = (\d+) *$", code, re.MULTILINE))))


def folders():
    return sorted(path for path in ZOO.iterdir() if re.match(r"\d\d_", path.name))


def entries():
    return [Entry(folder) for folder in folders()]
