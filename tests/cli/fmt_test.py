#!/usr/bin/python3
"""`isoshard fmt`: in place, checking, standard input; never a half-written or lost file."""

import os
import subprocess
import tempfile
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, Case, run, throwaway_counts

UGLY = "isoshard   1\r\nlet a=1// one\r\nprogram   @p{ }\r\n"
PRETTY = "isoshard 1\nlet a = 1  // one\nprogram @p {}\n"


class Fmt(Case):
    def content(self, name):
        return (self.folder / name).read_bytes().decode()

    def test_in_place(self):
        self.write("a.shard", UGLY)
        self.write("b.shard", PRETTY)
        before = os.stat(self.folder / "b.shard")
        self.assertEqual((HOLDS, "", ""), self.run_here("fmt", "a.shard", "b.shard"))
        self.assertEqual(PRETTY, self.content("a.shard"))
        after = os.stat(self.folder / "b.shard")
        self.assertEqual((before.st_mtime_ns, before.st_ino), (after.st_mtime_ns, after.st_ino), "it is not rewritten")
        self.assertEqual(["a.shard", "b.shard"], sorted(os.listdir(self.folder)))

    def test_check(self):
        self.write("a.shard", UGLY)
        self.write("b.shard", PRETTY)
        self.assertEqual((DOES_NOT_HOLD, "a.shard\n", ""), self.run_here("fmt", "--check", "a.shard", "b.shard"))
        self.assertEqual((HOLDS, "", ""), self.run_here("fmt", "--check", "b.shard"))
        self.assertEqual(UGLY, self.content("a.shard"))

    def filter(self, text, *options):
        with tempfile.TemporaryFile() as file:
            file.write(text.encode())
            file.seek(0)
            return self.run_here("fmt", *options, "-", stdin=file)

    def test_standard_input(self):
        self.assertEqual((HOLDS, PRETTY, ""), self.filter(UGLY))
        self.assertEqual((HOLDS, PRETTY, ""), self.filter(PRETTY))
        self.assertEqual((DOES_NOT_HOLD, "<stdin>\n", ""), self.filter(UGLY, "--check"))
        piped = subprocess.run([BINARY, "fmt", "-"], input=UGLY.encode(), capture_output=True, check=True)
        self.assertEqual(PRETTY, piped.stdout.decode())

    def test_errors_leave_the_file(self):
        self.write("a.shard", "isoshard 1\nlet   a =\n")
        self.write("b.shard", UGLY)
        self.rejects(
            "a.shard:3:1: error: found the end of the file; expected a number, a name, size(axis) or a parenthesis "
            '[P-expected]\nerror: cannot read "none.shard": No such file or directory [P-file]\n',
            "fmt", "a.shard", "b.shard", "none.shard")
        self.assertEqual("isoshard 1\nlet   a =\n", self.content("a.shard"))
        self.assertEqual(PRETTY, self.content("b.shard"), "the others are formatted")
        self.assertEqual(
            (BAD_INPUT, "", "<stdin>:1:1: error: the file is empty; expected the first line `isoshard 1` [P-empty]\n"),
            self.filter(""))

    def test_meaning_is_not_looked_at(self):
        self.assertEqual((HOLDS, "isoshard 1\nlet a = 1/0\n", ""), self.filter("isoshard 1\nlet a=1/0"))

    def test_layouts(self):
        """Ranges stand close behind their layout; offsets and products within entries are written closely, too."""
        for ugly, pretty in (("view @W[ model ,- ] [ 0 : 8 ,: ]only p=0", "view @W [model, -][0:8, :] only p=0"),
                             ("view  @W [-]  [0 :n/2]times 2", "view @W [-][0:n/2] times 2"),
                             ("view @W [stack   p,uneven  q-1, r/g of size( r )/g] [0:1,:,  2*k:size(m)]incomplete",
                              "view @W [stack p, uneven q-1, r/g of size(r)/g][0:1, :, 2*k:size(m)] incomplete")):
            before = "isoshard 1\nprogram @p {\n%x=" + ugly + "\n}\n"
            after = "isoshard 1\nprogram @p {\n  %x = " + pretty + "\n}\n"
            self.assertEqual((HOLDS, after, ""), self.filter(before))
            self.assertEqual((HOLDS, after, ""), self.filter(after))

    def test_full_disk(self):
        self.write("a.shard", UGLY)
        with open("/dev/full", "wb") as full, open(self.folder / "a.shard", "rb") as file:
            done = subprocess.run([BINARY, "fmt", "-"], stdin=file, stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(BAD_INPUT, done.returncode)

    def test_no_room_for_the_result(self):
        """A limit on the size of files stands for a full disk: the old file stays whole."""
        self.write("a.shard", UGLY + "// " + "x" * 9000 + "\n")
        before = self.content("a.shard")
        with throwaway_counts() as counts:
            code, out, err = self.run_here("fmt", "a.shard", prefix=("prlimit", "--fsize=4096"), env=counts)
        self.assertEqual((BAD_INPUT, "", 'error: cannot write "a.shard": File too large\n'), (code, out, err))
        self.assertEqual(before, self.content("a.shard"))
        self.assertEqual(["a.shard"], os.listdir(self.folder))

    def test_examples_are_formatted(self):
        files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").rglob("*.shard"))
        self.assertGreater(len(files), 3)
        self.assertEqual((HOLDS, "", ""), run("fmt", "--check", *files))


if __name__ == "__main__":
    unittest.main(verbosity=2)
