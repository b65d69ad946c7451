#!/usr/bin/python3
"""Plan files: `isoshard show`, `sim` and `check` read what `show --plan` prints and what is written by hand."""

import re
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, run

PLANS = sorted((ROOT / "examples" / "plans").glob("*.plan"))
WRONG = {  # the exit code of `check`, and what it says
    "missing_token": (BAD_INPUT, r":18:7: error: #3 dot_general reads %block and does not wait for #5, which makes it "
                                 r"in the iteration before on another queue \[L-order\]"),
    "missing_send": (BAD_INPUT, r":37:5: error: #\d+ recv receives message 2 from rank 1 to rank 0, which nobody "
                                r"sends \[L-match\]"),
    "crossing_sends": (DOES_NOT_HOLD, "DEADLOCK in one launch order: rank 0 waits for rank 1, which waits for rank 0; 2 of 2 "
                                      "ranks cannot go on; values: EQUAL as formulas"),
    "sends_before_receives": (DOES_NOT_HOLD, "DEADLOCK: rank 0 waits for rank 1, which waits for rank 0; 2 of 2 ranks "
                                             "cannot go on"),
    "given_another_token": (BAD_INPUT, r":31:5: error: #36 dot_general reads %h.2 and does not wait for #27, which makes it on "
                                       r"another queue \[L-order\](.|\n)*:72:5: note: "),
    "argument_of_another_call": (DOES_NOT_HOLD, "NOT EQUAL"),
    "wrong_shift": (DOES_NOT_HOLD, "NOT EQUAL: the ring runs the wrong way: collective_permute at "),
}

# Plans that people made to fool `check`, each wrong but for the last one: the exit code, and what the verdict begins with.
ATTACKS = {
    "shift": (UNDECIDED, "COULD NOT DECIDE"),  # collectives behind a message on their communicator
    "zeroloop": (UNDECIDED, "COULD NOT DECIDE"),  # behind one in a loop that never runs
    "relu": (UNDECIDED, "COULD NOT DECIDE"),  # one group loops where the other one does not
    "padx2": (DOES_NOT_HOLD, "NOT EQUAL: padding of %a reaches @y where it is NaN"),
    "sw_sqrt_four": (DOES_NOT_HOLD, "NOT EQUAL: @y is nan where the reference is a number"),  # on fewer devices than the program
    "sw_div_four": (DOES_NOT_HOLD, "NOT EQUAL: @y is nan where the reference is a number"),
    "sw_rep1": (DOES_NOT_HOLD, "NOT EQUAL"),
    "cone1": (HOLDS, "EQUAL as formulas"),
}

COPY = """isoshard-plan 1
plan @copy on @m [x=2]
global @a : f32[4] input
output @y: f32[4]

ranks all [0..2] {
  queue compute
    #0 %a = load @a [x of 2] : f32[2]
    #1 store %a {output=@y, block=[x of 2]}
}
"""
DENSE = """isoshard 1
global @a : f32[4] input
program @copy {
  %a = view @a [-]
  return @y = %a [-]
}
program @twice {
  %a = view @a [-]
  %y = add %a, %a
  return @y = %y [-]
}
program @other {
  %a = view @a [-]
  return @z = %a [-]
}
check @copy == @copy
"""
# Rank 1 receives before rank 0 sends, by the numbers.
LATE = """isoshard-plan 1
plan @late on @m [x=2]
global @a : f32[4] input
output @y: f32[4]
communicator x on up
ranks first [0] {
  queue compute
    #1 %a = load @a [-] : f32[4]
  queue up
    #3 send %a {group=x, dst=1}  after #1
}
ranks second [1] {
  queue compute
    #2 store %a {output=@y, block=[-]}  after #0
  queue up
    #0 %a = recv {group=x, src=0} : f32[4]
}
"""


class Examples(unittest.TestCase):
    def test_all_are_here(self):
        self.assertEqual(["one_f_one_b", "one_f_one_b_in_functions", "one_f_one_b_in_pairs", "ring_all_reduce",
                          "ring_product", "tied_embeddings"], [plan.stem for plan in PLANS])
        wrong = (ROOT / "examples" / "plans" / "wrong").glob("*.plan")
        self.assertEqual(sorted(WRONG), sorted(plan.stem for plan in wrong))

    def test_equal_to_their_programs(self):
        for plan in PLANS:
            code, out, err = run("check", plan)
            self.assertEqual((HOLDS, ""), (code, err), plan)
            self.assertTrue(out.splitlines()[-1].startswith("EQUAL as formulas"), out)

    def test_wrong_ones_are_rejected(self):
        for name, (expected, says) in WRONG.items():
            code, out, err = run("check", f"examples/plans/wrong/{name}.plan")
            self.assertEqual(expected, code, name)
            self.assertRegex(out + err, says)

    def test_attacks_fail(self):
        for name, (expected, verdict) in ATTACKS.items():
            code, out, _ = run("check", f"tests/cli/plan_attacks/{name}.plan")
            self.assertEqual(expected, code, name)
            self.assertTrue(out.splitlines()[-1].startswith(verdict), out)

    def test_reuse_adds_no_deadlock_to_queues_side_by_side(self):
        file = "tests/cli/plan_attacks/planned_deadlock.plan"
        for more in [[], ["--planned"], ["--planned", "--interleave-seed", "3"]]:
            code, out, err = run("sim", file, *more)
            self.assertEqual((HOLDS, ""), (code, err), more)

    def test_buffers_that_help_one_order_only(self):
        _, out, _ = run("check", "tests/cli/plan_attacks/depth_two_orders.plan", "--against", "tests/cli/plan_attacks/d2.shard@dense")
        self.assertIn("deadlock in every order of launches; with queues side by side none with buffers for 1 message", out)

    def test_the_double_buffered_ring_is_simulated(self):
        code, out, err = run("sim", "examples/plans/ring_product.plan", "--domain", "ring")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertIn("@ring on 4 virtual devices", out)


class Text(Case):
    def test_show_is_a_fixpoint(self):
        for path in PLANS:
            code, once, err = run("show", path)
            self.assertEqual((HOLDS, ""), (code, err))
            again = self.run_here("show", self.write("again.plan", once))
            self.assertEqual((HOLDS, once, ""), again)

    def test_what_show_prints_of_a_program_is_read_and_equal_to_it(self):
        for name in ["tp_mlp", "pipeline_1f1b", "scan_layers", "uneven_rows"]:
            file = f"examples/{name}.shard"
            source = (ROOT / file).read_text(encoding="utf-8")
            program = re.search(r"^check @(\w+)", source, re.M)[1]
            code, plan, _ = run("show", file, "--plan", "--program", program)
            self.assertEqual(HOLDS, code)
            self.write("p.plan", plan)
            dense = re.search(r"^check @\w+ == @([\w.]+)", source, re.M)[1]
            if "." in dense:  # made for the check only
                continue
            code, out, err = self.run_here("check", "p.plan", "--against", f"{ROOT / file}@{dense}")
            self.assertEqual((HOLDS, ""), (code, err), name)
            self.assertIn("EQUAL as formulas", out)

    def test_json(self):
        code, out, _ = self.run_here("show", self.write("p.plan", COPY), "--json")
        self.assertEqual(HOLDS, code)
        self.assertIn('"kind": "plan"', out)


class Claims(Case):
    def setUp(self):
        super().setUp()
        self.write("dense.shard", DENSE)

    def check(self, text, *arguments):
        return self.run_here("check", self.write("p.plan", text), *arguments)

    def test_a_file_that_is_not_there(self):
        code, out, err = self.check(COPY + 'check plan == @copy in "missing.shard"\n')
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertRegex(err, r'p\.plan:11:1: error: cannot read ".*missing\.shard": .* \[P-file\]')

    def test_a_line_of_the_file(self):
        code, out, err = self.check(COPY + 'check plan == @copy in "dense.shard"\n')
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertIn("check @copy == @copy  (p.plan:11:1)", out)
        code, out, err = self.check(COPY + 'check plan == @twice in "dense.shard"\n')
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertIn("NOT EQUAL", out)

    def test_the_command_line(self):
        self.assertEqual(HOLDS, self.check(COPY, "--against", "dense.shard@copy")[0])
        self.assertEqual(DOES_NOT_HOLD, self.check(COPY, "--against", "dense.shard@twice")[0])

    def test_no_claim_decides_nothing(self):
        code, out, err = self.check(COPY)
        self.assertEqual((UNDECIDED, ""), (code, out))
        self.assertIn("p.plan has no `check` line, so nothing was decided; add `check plan == @program in", err)

    def test_what_does_not_fit(self):
        for claim, says in [("dense.shard@none", "dense.shard has no program @none [E-program]"),
                            ("dense.shard@other", "gives @y, @other does not; expected the same outputs and updates"),
                            ("none.shard@copy", "none.shard"),
                            ("dense.shard", "expected a file or model and a program of it")]:
            code, out, err = self.check(COPY, "--against", claim)
            self.assertEqual(BAD_INPUT, code, claim)
            self.assertIn(says, err)

    def test_globals_are_those_of_the_program(self):
        text = COPY.replace("f32[4] input", "f32[4] param")
        code, _, err = self.check(text, "--against", "dense.shard@copy")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("check: @a is f32[4] param in the Plan and f32[4] input in the program", err)
        self.assertIn("[C-globals]", err)

    def test_messages_in_issue_order(self):
        code, _, err = self.check(LATE, "--against", "dense.shard@copy")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("recv may get %a of another group of ranks, which is made behind it in issue order", err)
        self.assertIn("[C-issue-order]", err)
        self.assertEqual(HOLDS, self.run_here("sim", "p.plan")[0])
        early = LATE.replace("#0", "#9").replace("#2 store", "#10 store")
        code, out, err = self.check(early, "--against", "dense.shard@copy")
        self.assertEqual((HOLDS, ""), (code, err))

    def test_idle_ranks_have_a_group(self):
        text = COPY.replace("[x=2]", "[x=3]").replace("[0..2]", "[0, 1]")
        code, _, err = self.check(text, "--against", "dense.shard@copy")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("no group of ranks has position 2", err)
        text += "ranks idle [2] {\n}\n"
        self.assertEqual(HOLDS, self.check(text, "--against", "dense.shard@copy")[0])
        self.assertEqual(DOES_NOT_HOLD, self.check(text, "--against", "dense.shard@twice")[0])

    def test_options_that_plans_do_not_take(self):
        self.write("p.plan", COPY)
        for arguments, says in [(["show", "p.plan", "--types"], "--types: a Plan has no states"),
                                (["sim", "p.plan", "--mesh", "x=3"], "--mesh: p.plan is a Plan, which is for one mesh"),
                                (["sim", "p.plan", "--key", "1"], "--key: p.plan is a Plan"),
                                (["check", "p.plan", "--set", "a=1"], "--set: p.plan is a Plan"),
                                (["check", "p.plan", "--grad"], "--grad: p.plan is a Plan"),
                                (["check", "p.plan", "--sweep", "x=1..2"], "p.plan is a Plan, which `show`"),
                                (["check", "dense.shard", "--against", "dense.shard@copy"],
                                 "--against: dense.shard is no Plan")]:
            code, out, err = self.run_here(*arguments)
            self.assertEqual(BAD_INPUT, code, arguments)
            self.assertIn(says, err + out)


class Simulation(Case):
    def test_given_arrays_and_memory(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("python3-numpy is not installed")
        self.write("p.plan", COPY)
        a = numpy.arange(4, dtype=numpy.float32)
        numpy.savez(self.folder / "in.npz", a=a)
        code, _, err = self.run_here("sim", "p.plan", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        numpy.testing.assert_array_equal(a, numpy.load(self.folder / "out.npz")["y"])
        numpy.savez(self.folder / "in.npz", b=a)
        code, _, err = self.run_here("sim", "p.plan", "--inputs", "in.npz")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("[I-missing]", err)
        code, out, _ = self.run_here("sim", "p.plan", "--memory")
        self.assertEqual(HOLDS, code)
        self.assertIn("@copy, memory of each of 2 devices", out)

    def test_buffers_keep_the_bits(self):
        examples = [ROOT / "examples" / f"{name}.shard" for name in
                    ("tp_mlp", "pipeline_1f1b", "pipeline_scanned", "scan_layers", "ring_both_ways")]
        for path in examples + [p for p in PLANS if p.stem not in WRONG]:
            _, out, warnings = run("sim", path, "--outputs", self.folder / "plain.npz")
            self.assertNotIn("planned", out)
            for seed in range(3):
                code, out, err = run("sim", path, "--planned", "--interleave-seed", str(seed), "--outputs",
                                     self.folder / "planned.npz")
                self.assertEqual((HOLDS, warnings), (code, err), path)
                self.assertRegex(out, r"\ncomputed in planned buffers, [0-9.]+ \w+ of all devices\n")
                same = (self.folder / "plain.npz").read_bytes() == (self.folder / "planned.npz").read_bytes()
                self.assertTrue(same, path)

    def test_buffers_are_for_values_as_they_are_written(self):
        self.write("p.plan", COPY)
        for domain in ("f64", "ring"):
            code, out, err = self.run_here("sim", "p.plan", "--planned", "--domain", domain)
            self.assertEqual((BAD_INPUT, ""), (code, out))
            self.assertIn(f"--planned --domain {domain}: buffers have the bytes of each value's dtype", err)
        self.assertEqual(BAD_INPUT, self.run_here("sim", "p.plan", "--planned", "--memory")[0])
        code, out, _ = self.run_here("sim", "p.plan", "--planned", "--json")
        self.assertEqual(HOLDS, code)
        self.assertIn('"arena_bytes": 512', out)


if __name__ == "__main__":
    unittest.main()
