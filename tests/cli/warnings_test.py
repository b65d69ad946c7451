#!/usr/bin/python3
"""Warnings of `check`: each rule has a file that must warn and a twin that must not; none changes an exit code."""

import json
import re
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, Case, run

RULES = ["W-empty", "W-overflow", "W-same", "W-sum", "W-unchecked", "W-unused-global", "W-unused-let", "W-unused-value",
         "W-zero-gradient"]
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


class UnusedLets(Case):
    def warned(self, *lines, size="4"):
        body = " {\n  %x = view @x [-]\n  return @y = %x [-]\n}\n"
        self.write("p.shard", "isoshard 1\nmesh @m [a=1]\n" + "\n".join(lines) + f"\nglobal @x : f32[{size}] input\n"
                   "program @p on @m" + body + "program @q" + body + "check @p == @q\n")
        code, _, err = self.run_here("check", "p.shard")
        self.assertEqual(HOLDS, code, err)
        return re.findall(r"nothing reads the let `(\w+)`; use it, or leave it out \[W-unused-let\]", err)

    def test_where(self):
        self.warned("let d = 4")
        self.assertIn("p.shard:3:5: warning: nothing reads the let `d`;", self.run_here("check", "p.shard")[2])

    def test_what_counts_as_a_read(self):
        self.assertEqual(["d"], self.warned("let d = 4"))
        self.assertEqual([], self.warned("let d = 4", size="d"))
        self.assertEqual(["e"], self.warned("let d = 4", "let e = 2 * d"))
        self.assertEqual([], self.warned("let d = 4", "let e = 2 * d", size="e / 2"))
        self.assertEqual(["act"], self.warned("let act in {silu, gelu}"))

    def test_branches_loops_and_fields(self):
        """A read in a branch that is not taken is one; the name of a field is none."""
        text = ("isoshard 1\nmesh @m [a=1]\nlet act in {silu, gelu}\nlet dims = 1\nlet deep = 2\nglobal @x : f32[4] input\n"
                "program @p {\n  %x.0 = view @x [-]\n  if act == gelu {\n    %z = multiply %x.0, deep\n  }\n"
                "  %s = reduce %x.0 {op=add, dims=[0]}\n  return @y = %s []\n}\n")
        self.write("p.shard", text + text[text.index("program @p"):].replace("@p", "@q") + "check @p == @q\n")
        err = self.run_here("check", "p.shard")[2]
        self.assertEqual(["dims"], re.findall(r"nothing reads the let `(\w+)`", err), err)

    def test_imported_files(self):
        """Their lets are no finding of the importer, whose lets they may read."""
        self.write("lib.shard", "isoshard 1\nlet own = 3\nlet other = 4\nfunc @f(%x: f32[d]) -> f32[d] {\n"
                   "  %y = multiply %x, own\n  return %y\n}\n")
        self.assertEqual(["e"], self.warned("let d = 4", "let e = 4", 'import "lib.shard"'))

    def test_a_sweep_warns_once(self):
        self.warned("let d = 4")
        self.assertEqual(1, self.run_here("check", "p.shard", "--sweep", "a=1,2")[2].count("[W-unused-let]"))


class ZeroGradients(Case):
    HEAD = "isoshard 1\nmesh @m [a=2]\nglobal @x : f32[4] input\nglobal @w : f32[4] param\nglobal @v : f32[4] param\n"

    def warned(self, line, wrt="[@w, @v]"):
        """Of `check grad` of a loss of %x, %w and %v; `line` makes %y."""
        def side(name, mesh, layout, partial):
            return (f"program @{name}{mesh} {{\n" + "".join(f"  %{g} = view @{g} [{layout}]\n" for g in "xwv") + f"  {line}\n"
                    f"  %l = reduce %y {{op=add, dims=[0]{partial}}}\n"
                    + ("  %s = all_reduce %l {axis=a, to=R}\n" if mesh else "  %s = negate(%l) * -1\n") + "  return @loss = %s []\n}\n")
        self.write("p.shard", self.HEAD + side("p", " on @m", "a", ", partial={a}") + side("q", "", "-", "")
                   + f"check grad(@p, wrt={wrt}) == grad(@q, wrt={wrt})\n")
        code, out, err = self.run_here("check", "p.shard")
        self.assertEqual(HOLDS, code, out + err)
        return sorted(re.findall(r"the gradient (@\w+ of .*) is 0 for all inputs", err))

    def test_no_path(self):
        self.assertEqual([], self.warned("%y = (%x * %w) * %v"))
        self.assertEqual(["@v of @p.grad and @q.grad"], self.warned("%y = (%x * %w) * %x"))

    def test_only_behind_a_stop_gradient(self):
        self.assertEqual(["@v of @p.grad and @q.grad"], self.warned("%y = stop_gradient(%v) * %w"))
        self.assertEqual([], self.warned("%y = stop_gradient(%v) * %w + %v"))

    def test_only_through_integers(self):
        self.assertEqual(["@v of @p.grad and @q.grad"], self.warned("%y = convert(convert(%v) {dtype=i32}) {dtype=f32} * %w"))

    def test_what_cancels_is_not_found(self):
        """It is 0 as a number, and nothing in how it is made says so."""
        self.assertEqual([], self.warned("%y = (%v - %v) * %w"))

    def test_of_a_func(self):
        text = (ROOT / "docs/rules/W-zero-gradient.wrong.shard").read_text()
        self.write("p.shard", text)
        err = self.run_here("check", "p.shard")[2]
        self.assertEqual(["p.shard:20:13", "p.shard:26:13"], re.findall(r"(\S+): warning: the gradient %dw is 0 for all inputs", err), err)


class Programs(Case):
    def test_a_copy_under_another_name_is_the_same(self):
        body = " {\n  %x = view @x [-]\n  %y = tanh %x\n  return @y = %y [-]\n}\n"
        self.write("p.shard", HEAD + "program @p" + body + "program @q" + body + "check @p == @q\n")
        code, _, err = self.run_here("check", "p.shard")
        self.assertEqual((HOLDS, ["W-same"]), (code, rules_of(err)))

    def test_gradients_name_a_program(self):
        code, _, err = run("check", "examples/gradient_check.shard")
        self.assertEqual((HOLDS, ""), (code, err))

    def test_a_program_that_draws_parameters_serves_its_own(self):
        """Only where there is such a one."""
        self.assertEqual((HOLDS, ""), run("check", "tp_dense", "--grad")[::2])
        self.write("p.shard", HEAD + "program @other_init {\n  %x = view @x [-]\n  return @y = %x [-]\n}\n"
                   "program @p on @m {\n  %x = view @x [a]\n  return @y = %x [a]\n}\n" + DENSE)
        self.assertIn("no check names @other_init", self.run_here("check", "p.shard")[2])

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
