#!/usr/bin/python3
"""`sim --inputs` of an archive that lacks params says that they are drawn."""

import json
import unittest

from isoshard import BAD_INPUT, HOLDS, Case

MAKES = ("isoshard 1\nglobal @a : f32[4] input\nglobal @b : f32[4] input\nprogram @make {\n  %a = view @a [-]\n"
         "  %b = view @b [-]\n  return @x = %a [-]\n  return @w = %b [-]\n}\n")
READS = ("isoshard 1\nglobal @x : f32[4] input\nglobal @w : f32[4] param\nglobal @unread : f32[4] param\n"
         "program @p {\n  %x = view @x [-]\n  %w = view @w [-]\n  %y = add %x, %w\n  return @y = %y [-]\n}\n")


class Drawn(Case):
    def setUp(self):
        super().setUp()
        self.write("make.shard", MAKES)
        self.write("p.shard", READS)

    def archive(self, *names):
        text = "".join(line for line in MAKES.splitlines(True)
                       if "return" not in line or line.split()[1][1:] in names)
        self.write("make.shard", text)
        self.assertEqual(HOLDS, self.run_here("sim", "make.shard", "--outputs", "in.npz")[0])

    def test_a_param_that_is_not_there(self):
        self.archive("x")
        code, out, err = self.run_here("sim", "p.shard", "--inputs", "in.npz", "--seed", "7")
        self.assertEqual((HOLDS, "note: in.npz has no @w, a param, which is drawn from --seed 7 [I-drawn]\n"), (code, err))
        self.assertIn("@y  f32[4]", out)

    def test_all_are_there(self):
        """Those that nothing reads are not asked for."""
        self.archive("x", "w")
        self.assertEqual((HOLDS, ""), self.run_here("sim", "p.shard", "--inputs", "in.npz")[::2])

    def test_without_an_archive_nothing_is_told(self):
        self.assertEqual((HOLDS, ""), self.run_here("sim", "p.shard")[::2])

    def test_an_input_that_is_not_there_stays_an_error(self):
        self.archive("w")
        code, _, err = self.run_here("sim", "p.shard", "--inputs", "in.npz")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("[I-missing]", err)

    def test_json(self):
        self.archive("x")
        code, out, _ = self.run_here("sim", "p.shard", "--inputs", "in.npz", "--json")
        (note,) = json.loads(out)["diagnostics"]
        self.assertEqual((HOLDS, "note", "I-drawn"), (code, note["severity"], note["rule"]))

    def test_quiet(self):
        self.archive("x")
        self.assertEqual((HOLDS, "", ""), self.run_here("sim", "p.shard", "--inputs", "in.npz", "--quiet"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
