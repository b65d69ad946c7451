#!/usr/bin/python3
"""Values without a name are told by their expression; those with one by their name (docs/adr/0104)."""

import json
import re
import unittest

from isoshard import DOES_NOT_HOLD, Case

HEAD = """isoshard 1
mesh @m [model=4]
global @x : f32[8, 16] input
global @w : f32[16, 8] param
"""
DENSE = """program @dense {
  %x = view @x [-, -]
  %w = view @w [-, -]
  return @y = tanh(dot_general(%x, %w) {contract=[1]x[0]}) [-, -]
}
check @sharded == @dense
"""


class Unnamed(Case):
    def check(self, returned, lines="", kind="program", more="", code=DOES_NOT_HOLD):
        self.write("p.shard", HEAD + more + f"{kind} @sharded on @m {{\n  %x = view @x [-, model]\n  %w = view @w [model, -]\n"
                   f"{lines}  return @y = {returned} [-, -]\n}}\n" + DENSE)
        done, out, err = self.run_here("check", "p.shard")
        self.assertEqual(code, done, out + err)
        self.assertIsNone(re.search(r"%\d", out.replace("%.", "")), out)
        return out

    def test_a_state_error(self):
        out = self.check("tanh(dot_general(%x, %w) {contract=[1]x[0], partial={model}})")
        self.assertIn("tanh: `dot_general(%x, %w) {contra...` is P over `model`", out)

    def test_a_cause(self):
        out = self.check("tanh(dot_general(%x, %w) {contract=[1]x[0]})", kind="untyped program")
        self.assertIn("NOT EQUAL: missing all_reduce of `dot_general(%x, %w) {contra...` over `model` before tanh", out)

    def test_where(self):
        out = self.check("tanh(all_reduce(dot_general(%x, %w) {contract=[1]x[0]}) {axis=model} * 2)", kind="untyped program")
        self.assertIn("where      `all_reduce(dot_general(%x, ...` (multiply) at p.shard:8:", out)

    def test_names_stay(self):
        out = self.check("tanh(%p)", "  %p = dot_general %x, %w {contract=[1]x[0]}\n", "untyped program")
        self.assertIn("NOT EQUAL: missing all_reduce of %p over `model` before tanh", out)

    def test_of_a_func(self):
        out = self.check("f(%x, %w)", kind="untyped program",
                         more="func @f(%a, %b) {\n  return tanh(dot_general(%a, %b) {contract=[1]x[0]})\n}\n")
        self.assertIn("missing all_reduce of `dot_general(%a, %b) {contra...` over `model` before tanh", out)

    def test_a_number_that_is_written_is_a_name(self):
        self.write("p.shard", HEAD + "untyped program @sharded on @m {\n  %0 = view @x [-, model]\n  %1 = view @w [model, -]\n"
                   "  %2 = dot_general %0, %1 {contract=[1]x[0]}\n  %3 = tanh %2\n  return @y = %3 [-, -]\n}\n" + DENSE)
        self.assertIn("missing all_reduce of %2 over `model` before tanh", self.run_here("check", "p.shard")[1])

    def test_a_scalar_that_is_broadcast_silently(self):
        """It is told as the scalar, not as the op around it."""
        self.write("p.shard", HEAD + "program @sharded on @m {\n  %x = view @x [-, model]\n  %w = view @w [model, -]\n"
                   "  %s = reduce %w {op=add, dims=[0, 1], partial={model}}\n"
                   "  %r = all_reduce(dot_general(%x, %w) {contract=[1]x[0], partial={model}}) {axis=model, to=R}\n"
                   "  return @y = %r + %s [-, -]\n}\n" + DENSE)
        self.assertIn("add: %r (R) and %s (P) do not combine over `model`", self.run_here("check", "p.shard")[1])

    def test_json_keeps_the_name(self):
        self.check("tanh(dot_general(%x, %w) {contract=[1]x[0]})", kind="untyped program")
        report = json.loads(self.run_here("check", "p.shard", "--json")[1])
        self.assertRegex(json.dumps(report), r'"value": "%\d"')


if __name__ == "__main__":
    unittest.main(verbosity=2)
