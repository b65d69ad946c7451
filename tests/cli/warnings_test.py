#!/usr/bin/python3
"""Warnings of `check`: each rule has a file that must warn and a twin that must not; none changes an exit code."""

import json
import re
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, Case, run

RULES = ["W-empty", "W-overflow", "W-same", "W-sum", "W-unchecked", "W-unused-global", "W-unused-value"]
HEAD = "isoshard 1\nmesh @m [a=2]\nglobal @x : f32[4] input\n"
DENSE = "program @q {\n  %x = view @x [-]\n  return @y = %x [-]\n}\ncheck @p == @q\n"


def rules_of(stderr):
    return sorted(set(re.findall(r"\[(W-[a-z-]+)\]", stderr)))


class Examples(Case):
    def test_each_rule_has_a_file_and_a_twin(self):
        for rule in RULES:
            with self.subTest(rule=rule):
                code, out, err = run("check", f"docs/rules/{rule}.wrong.shard")
                self.assertEqual((HOLDS, [rule]), (code, rules_of(err)))
                self.assertIn(" warning: ", err)
                self.assertNotIn("[W-", out)
                self.assertEqual((HOLDS, ""), run("check", f"docs/rules/{rule}.right.shard")[::2])

    def test_where_and_what(self):
        """The trial of a new user: an unused global, value and program."""
        self.write("p.shard", HEAD + "global @unused : f32[4] param\nprogram @p on @m {\n  %x = view @x [a]\n"
                   "  %dead = tanh %x\n  return @y = %x [a]\n}\nprogram @never {\n  %x = view @x [-]\n"
                   "  return @y = %x [-]\n}\n" + DENSE)
        code, _, err = self.run_here("check", "p.shard")
        self.assertEqual(HOLDS, code)
        self.assertEqual(
            ["p.shard:4:8: warning: no program reads @unused; add a `view` of it, or leave it out [W-unused-global]",
             "p.shard:7:11: warning: %dead reaches no output of @p; return it, or leave it out [W-unused-value]",
             "p.shard:10:9: warning: no check names @never, so nothing was decided about it [W-unchecked]"],
            [line for line in err.splitlines() if "warning" in line])


class UnusedValues(Case):
    def warned(self, body, head=HEAD):
        self.write("p.shard", head + "program @p on @m {\n" + body + "}\n" + DENSE)
        code, _, err = self.run_here("check", "p.shard")
        self.assertEqual(HOLDS, code, err)
        return [line.split(" ")[2] for line in err.splitlines() if "[W-unused-value]" in line]

    def test_only_the_end_of_a_chain(self):
        self.assertEqual(["%c"], self.warned("  %x = view @x [a]\n  %b = tanh %x\n  %c = tanh %b\n"
                                             "  return @y = %x [a]\n"))

    def test_the_last_turn_of_a_loop_may_compute_for_a_next_one(self):
        self.assertEqual([], self.warned(
            "  %x.{0} = view @x [a]\n  %s.{0} = multiply %x.0, 1\n  for i in 0..2 {\n"
            "    %z.{i} = multiply %x.{i}, 0\n    %s.{i+1} = add %s.{i}, %z.{i}\n    %x.{i+1} = collective_permute %x.{i} {axis=a, shift=0}\n  }\n"
            "  return @y = %s.2 [a]\n"))

    def test_one_of_several_results_is_enough(self):
        self.assertEqual([], self.warned("  %x = view @x [a]\n  %v, %i = top_k %x {k=1}\n  %z = multiply %v, 0\n"
                                         "  %b = broadcast_in_dim %z {dims=[0], shape=[2]}\n  %y = add %x, %b\n"
                                         "  return @y = %y [a]\n"))

    def test_a_func_that_is_called_twice(self):
        """What one call leaves unused the other one uses."""
        head = HEAD + ("func @two(%x: f32[2]) on @m -> f32[2], f32[2] {\n  %a = multiply %x, 1\n"
                       "  %b = multiply %x, 1\n  return %a, %b\n}\n")
        self.assertEqual([], self.warned("  %x = view @x [a]\n  %a, %b = call @two(%x)\n  %c, %d = call @two(%b)\n"
                                         "  return @y = %c [a]\n", head))
        self.assertEqual(["%c,"], self.warned("  %x = view @x [a]\n  %a, %b = call @two(%x)\n"
                                              "  %c, %d = call @two(%b)\n  return @y = %a [a]\n", head))

    def test_assert_equal_is_a_use(self):
        self.assertEqual([], self.warned(
            "  %x = view @x [a]\n  %w = view @w [-] as I{a}\n  %r = reinterpret %w {axis=a, to=R}\n"
            "  %v = reinterpret %r {axis=a, to=V}\n  %e = assert_equal %v {axis=a}\n  return @y = %x [a]\n",
            HEAD + "global @w : f32[4] param\n"))


class Programs(Case):
    def test_a_copy_under_another_name_is_the_same(self):
        body = " {\n  %x = view @x [-]\n  %y = tanh %x\n  return @y = %y [-]\n}\n"
        self.write("p.shard", HEAD + "program @p" + body + "program @q" + body + "check @p == @q\n")
        code, _, err = self.run_here("check", "p.shard")
        self.assertEqual((HOLDS, ["W-same"]), (code, rules_of(err)))

    def test_gradients_name_a_program(self):
        code, _, err = run("check", "examples/gradient_check.shard")
        self.assertEqual((HOLDS, ""), (code, err))

    def test_no_check_is_no_warning(self):
        """A file without checks is an error already."""
        self.write("p.shard", HEAD + DENSE.replace("check @p == @q\n", ""))
        self.assertEqual([], rules_of(self.run_here("check", "p.shard")[2]))


class Overflow(Case):
    def test_both_overflow(self):
        text = (ROOT / "docs/rules/W-overflow.wrong.shard").read_text()
        dense = text.index("program @dense")
        plain = text[:dense] + text[dense:].replace("exponential %d", "exponential %x")
        plain = re.sub(r"  %[mbd] = .*\n", "", plain)
        self.write("p.shard", plain)
        self.assertEqual((HOLDS, ""), self.run_here("check", "p.shard")[::2])

    def test_programs_that_differ_have_a_verdict(self):
        text = (ROOT / "docs/rules/W-overflow.wrong.shard").read_text()
        self.write("p.shard", text.replace("%y = divide %e, %t", "%y = multiply %e, %t", 1))
        code, _, err = self.run_here("check", "p.shard")
        self.assertEqual((DOES_NOT_HOLD, []), (code, rules_of(err)))


class Options(Case):
    WRONG = "docs/rules/W-unused-value.wrong.shard"

    def test_no_warnings(self):
        self.assertEqual((HOLDS, ""), run("check", self.WRONG, "--no-warnings")[::2])

    def test_quiet(self):
        self.assertEqual((HOLDS, "", ""), run("check", self.WRONG, "--quiet"))
        self.assertEqual((DOES_NOT_HOLD, "", ""), run("check", "examples/wrong/unscaled_mean.shard", "-q"))
        code, out, err = run("check", "none.shard", "-q")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("[P-file]", err)

    def test_json(self):
        code, out, _ = run("check", self.WRONG, "--json")
        (warning,) = json.loads(out)["diagnostics"]
        self.assertEqual((HOLDS, "warning", "W-unused-value"), (code, warning["severity"], warning["rule"]))

    def test_a_sweep_warns_once(self):
        code, _, err = run("check", self.WRONG, "--sweep", "p=1,2,4")
        self.assertEqual((HOLDS, 1), (code, err.count("[W-unused-value]")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
