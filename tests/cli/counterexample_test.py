#!/usr/bin/python3
"""`isoshard check --counterexample`: the input on which two programs differ, and what `sim` makes of it."""

import json
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, Case

PROGRAMS = """isoshard 1
mesh @m [p=2]
global @x : f32[4] input
global @pos : i32[] input in 0..64
program @a on @m {
  %x = view @x [p]
  %pos = view @pos []
  %late = compare %pos, 63 {direction=ge}
  %two = convert %late {dtype=f32}
  %wide = broadcast_in_dim %two {dims=[], shape=[2]}
  %y = WRONG %x, %wide
  return @y = %y [p]
}
program @b {
  %x = view @x [-]
  return @y = %x [-]
}
check @a == @b
"""


class Counterexample(Case):
    def outputs(self, program):
        code, out, err = self.run_here("sim", "p.shard", "--program", program, "--domain", "f64", "--inputs", "c.npz",
                                       "--json")
        self.assertEqual((HOLDS, ""), (code, err))
        return json.loads(out)["outputs"][0]["values"]

    def test_shows_the_difference(self):
        """The programs differ at one number of 64 only, and `sim` shows that they do there."""
        self.write("p.shard", PROGRAMS.replace("WRONG", "add"))
        code, out, err = self.run_here("check", "p.shard", "--counterexample", "c.npz")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertIn("counterexample  c.npz\n"
                      "  isoshard sim p.shard --program a --domain f64 --inputs c.npz\n"
                      "  isoshard sim p.shard --program b --domain f64 --inputs c.npz\n", out)
        self.assertIn("\nNOT EQUAL: ", out)
        for ours, expected in zip(self.outputs("a"), self.outputs("b")):
            self.assertAlmostEqual(1, ours - expected)

    def test_none(self):
        self.write("p.shard", PROGRAMS.replace("WRONG %x, %wide", "add %x, 0"))
        code, _, err = self.run_here("check", "p.shard", "--counterexample", "c.npz", "--no-warnings")
        self.assertEqual(HOLDS, code)
        self.assertEqual("warning: c.npz was not written: no claim has a counterexample that one step of its programs "
                         "shows [I-counterexample]\n", err)
        self.assertFalse((self.folder / "c.npz").exists())

    def test_not_written(self):
        self.write("p.shard", PROGRAMS.replace("WRONG", "add"))
        code, _, err = self.run_here("check", "p.shard", "--counterexample", "no/c.npz")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("error: no/c.npz: ", err)

    def test_not_for_made_programs(self):
        self.rejects("error: check --counterexample is for the programs of one file and mesh, which `sim` runs; leave "
                     "--grad out\n",
                     "check", "p.shard", "--grad", "--counterexample", "c.npz")


if __name__ == "__main__":
    unittest.main()
