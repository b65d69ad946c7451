#!/usr/bin/python3
"""`check --sweep`: which meshes a text means, the table, the JSON, and that one bad mesh does not end the sweep."""

import json
import os
import pty
import re
import subprocess
import unittest

from isoshard import BAD_INPUT, BINARY, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, ordinary_only, run

# `size(model)` terms of a sum without the division by it: right on one device only, and only where 12 divides.
PROGRAM = """isoshard 1
mesh @m [data=1, model=1]
global @x : f32[12] input
untyped program @a on @m {
  %x = view @x [model]
  %s = all_gather %x {axis=model, dim=0}
  %y = multiply %s, (size(model))
  return @y = %y [-]
}
program @b {
  %x = view @x [-]
  return @y = %x [-]
}
check @a == @b
"""


def rows(table):
    """The lines between heading and summary, split where two spaces or more are."""
    return [re.split(r" {2,}", line.strip()) for line in table.splitlines()[2:-1]]


class Sweep(Case):
    def meshes(self, *sweeps):
        """The meshes in the order of the rows."""
        arguments = [argument for sweep in sweeps for argument in ("--sweep", sweep)]
        code, out, err = run("check", "examples/tp_mlp.shard", *arguments)
        self.assertEqual((HOLDS, ""), (code, err))
        return [row[0] for row in rows(out)]

    def test_rows_are_the_same_for_any_number_of_workers(self):
        self.write("p.shard", PROGRAM)
        tables = set()
        for workers in (1, 2, 5):
            code, out, _ = self.run_here("check", "p.shard", "--sweep", "model=1..13", "--workers", workers, "--strict")
            self.assertEqual(BAD_INPUT, code)  # of the meshes that do not divide
            tables.add(re.sub(r" [0-9.]+ m?s\b *", " ", out))
        self.assertEqual(1, len(tables), tables)
        self.assertIn("13 meshes, 6 checks: ", tables.pop())

    def test_ranges_are_inclusive(self):
        self.assertEqual([f"model={n}" for n in range(1, 5)], self.meshes("model=1..4"))
        self.assertEqual(["model=3"], self.meshes("model=3..3"))

    def test_lists(self):
        self.assertEqual(["model=1", "model=3", "model=2"], self.meshes("model=1,3,2"))
        self.assertEqual(["model=1", "model=2", "model=6"], self.meshes("model=1..2,6"))

    def test_several_axes(self):
        expected = [f"data={d},model={m}" for d in (1, 2) for m in (1, 3)]
        self.assertEqual(expected, self.meshes("data=1..2,model=1,3"))
        self.assertEqual(expected, self.meshes("data=1..2", "model=1,3"))

    def test_table(self):
        code, out, err = run("check", "examples/tp_mlp.shard", "--sweep", "model=1..3", "--mesh", "data=2")
        self.assertEqual((HOLDS, ""), (code, err))
        out = re.sub(r"[0-9.]+ m?s\n", "TIME\n", out)
        self.assertEqual(
            "sweep examples/tp_mlp.shard\n"
            "  mesh     devices  verdict    rung  lanes  error     time\n"
            "  model=1  2        EQUAL      A     3      <= 2^-69  TIME\n"
            "  model=2  4        EQUAL      A     3      <= 2^-69  TIME\n"
            "  model=3  6        EQUAL      A     3      <= 2^-69  TIME\n"
            "3 meshes, 3 checks: 3 EQUAL\n", out)

    def test_a_mesh_that_does_not_divide_is_counted(self):
        self.write("p.shard", PROGRAM)
        code, out, err = self.run_here("check", "p.shard", "--sweep", "model=5,1,7,1")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertEqual(["model=1", "model=1"], [row[0] for row in rows(out)])
        self.assertTrue(out.endswith(
            "\n4 meshes, 2 skipped (sizes do not divide, --strict lists them), 2 checks: 2 EQUAL\n"), out)

    def test_meshes_that_all_do_not_divide_are_an_error(self):
        """Nothing was decided."""
        self.write("p.shard", PROGRAM)
        code, out, err = self.run_here("check", "p.shard", "--sweep", "model=5,7")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("[T-divide]", err)

    def test_other_errors_are_rows(self):
        """An axis of size 4 is no entry of what a layout names: that is an error on some meshes, not a size."""
        self.write("p.shard", PROGRAM.replace("  %s =", "  if size(model) == 2 { %z = nothing %x }\n  %s ="))
        code, out, _ = self.run_here("check", "p.shard", "--sweep", "model=1,2")
        self.assertEqual((BAD_INPUT, ["EQUAL", "error"]), (code, [row[2] for row in rows(out)]))

    def test_rows_come_as_they_are_known(self):
        with subprocess.Popen([BINARY, "check", "tp_mlp", "--sweep", "data=1..100"], cwd=ROOT,
                              stdout=subprocess.PIPE) as process:
            lines = [process.stdout.readline().decode() for _ in range(3)]
            running = process.poll() is None
            process.kill()
        self.assertTrue(lines[2].startswith("  data=1 "), lines)
        self.assertTrue(running)

    def test_checks_and_meshes_are_counted_apart(self):
        out = run("check", "examples/wrong/unscaled_mean.shard", "--sweep", "data=2,4")[1]
        self.assertEqual("2 meshes, 4 checks: 2 EQUAL, 2 NOT EQUAL", out.splitlines()[-1])

    def test_with_strict_a_mesh_that_does_not_fit_is_a_row(self):
        self.write("p.shard", PROGRAM)
        code, out, err = self.run_here("check", "p.shard", "--sweep", "model=5,1", "--strict")
        self.assertEqual((BAD_INPUT, ""), (code, err))
        bad, good = rows(out)
        self.assertEqual(["model=5", "-", "error", "-", "-", "-", "-"], bad[:7])
        self.assertRegex(bad[7], r"\Ap.shard:5:8: view: .*12.*5, the size of .* \[T-divide\]\Z")
        self.assertEqual(["model=1", "1", "EQUAL"], good[:3])
        self.assertTrue(out.endswith("\n2 meshes, 1 check: 1 error, 1 EQUAL\n"))

    def test_worst_exit_code(self):
        self.write("p.shard", PROGRAM)
        self.assertEqual(HOLDS, self.run_here("check", "p.shard", "--sweep", "data=1..3")[0])
        self.assertEqual(DOES_NOT_HOLD, self.run_here("check", "p.shard", "--sweep", "model=1..3")[0])
        self.assertEqual(DOES_NOT_HOLD, self.run_here("check", "p.shard", "--sweep", "model=1..6")[0])
        self.assertEqual(BAD_INPUT, self.run_here("check", "p.shard", "--sweep", "model=1..6", "--strict")[0])

    def test_why_a_row_does_not_hold(self):
        self.write("p.shard", PROGRAM)
        _, out, _ = self.run_here("check", "p.shard", "--sweep", "model=2")
        (row,) = rows(out)
        self.assertEqual(["model=2", "2", "NOT EQUAL", "A", "2", "-"], row[:6])
        self.assertRegex(row[7], r"^NOT EQUAL: .*2x too large")

    def test_several_claims_have_a_column(self):
        _, out, _ = run("check", "examples/wrong/unscaled_mean.shard", "--sweep", "data=2")
        self.assertEqual([("data=2", "@right == @dense", "EQUAL"), ("data=2", "@wrong == @dense", "NOT EQUAL")],
                         [(row[0], row[1], row[3]) for row in rows(out)])

    def test_no_check(self):
        self.write("p.shard", PROGRAM.replace("check @a == @b\n", ""))
        code, out, _ = self.run_here("check", "p.shard", "--sweep", "model=1..2")
        self.assertEqual(UNDECIDED, code)
        self.assertEqual(["no check", "no check"], [row[2] for row in rows(out)])

    def test_what_is_wrong_everywhere_is_told_once(self):
        self.rejects('error: cannot read "none.shard": No such file or directory [P-file]\n', "check", "none.shard",
                     "--sweep", "model=1..8")

    def test_models_and_several_inputs(self):
        code, out, err = run("check", "ring_matmul", "examples/ring_matmul.shard", "--sweep", "model=1..2")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertEqual(2, len(re.findall(r"(?m)^sweep ", out)))

    def test_json(self):
        self.write("p.shard", PROGRAM)
        code, out, err = self.run_here("check", "p.shard", "--sweep", "model=1,2,5", "--json")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        skipped = json.loads(out)["sweep"][2]
        self.assertEqual((True, HOLDS, []), (skipped["skipped"], skipped["exit_code"], skipped["checks"]))
        code, out, err = self.run_here("check", "p.shard", "--sweep", "model=1,2,5", "--json", "--strict")
        self.assertEqual((BAD_INPUT, ""), (code, err))
        report = json.loads(out)
        self.assertEqual((1, BAD_INPUT), (report["isoshard"], report["exit_code"]))
        self.assertEqual([{"model": 1}, {"model": 2}, {"model": 5}], [entry["mesh"] for entry in report["sweep"]])
        self.assertEqual([HOLDS, DOES_NOT_HOLD, BAD_INPUT], [entry["exit_code"] for entry in report["sweep"]])
        self.assertEqual(["EQUAL", "NOT EQUAL"], [entry["checks"][0]["verdict"] for entry in report["sweep"][:2]])
        self.assertEqual([], report["sweep"][2]["checks"])
        (error,) = report["sweep"][2]["diagnostics"]
        self.assertEqual(("error", "T-divide", "p.shard:5:8"), (error["severity"], error["rule"], error["location"]))

    @ordinary_only
    def test_progress_is_wiped(self):
        """On a terminal a sweep of more than two seconds tells how far it is, on a line that is gone at the end."""
        leader, follower = pty.openpty()
        with subprocess.Popen([BINARY, "check", "tp_mlp", "--sweep", "model=1..8"], cwd=ROOT,
                              stdout=subprocess.DEVNULL, stderr=follower) as process:
            os.close(follower)
            shown = ""
            while True:
                try:
                    shown += os.read(leader, 1000).decode()
                except OSError:  # the other end is closed
                    break
            self.assertEqual(HOLDS, process.wait(timeout=120))
        os.close(leader)
        self.assertRegex(shown, r"\A(\r\x1b\[K(mesh \d of 8, model=\d[^\r]*)?)*\Z")
        self.assertTrue(shown == "" or shown.endswith("\r\033[K"), shown)


# Widths that must divide by 2, and a word.
LETS = """isoshard 1
mesh @m [a=2]
let d = 4
let act in {tanh, twice}
global @x : f32[d] input
func @act(%x) {
  if act == twice {
    %y = %x * 2
  } else {
    %y = tanh(%x)
  }
  return %y
}
program @p on @m {
  return @y = act(view @x [a]) [a]
}
program @q {
  return @y = tanh(view @x [-]) [-]
}
check @p == @q
"""


class SweepSet(Case):
    def setUp(self):
        super().setUp()
        self.write("p.shard", LETS)

    def test_numbers_ranges_and_words(self):
        code, out, err = self.run_here("check", "p.shard", "--sweep-set", "d=4,6..8", "--sweep-set", "act=tanh,twice")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertEqual([(f"d={d},act={act}", verdict) for d in (4, 6, 8)
                          for act, verdict in (("tanh", "EQUAL"), ("twice", "NOT EQUAL"))],
                         [(row[0], row[2]) for row in rows(out)])
        self.assertTrue(out.endswith("\n8 rows, 2 skipped (sizes do not divide, --strict lists them), "
                                     "6 checks: 3 EQUAL, 3 NOT EQUAL\n"), out)

    def test_with_meshes_and_other_settings(self):
        code, out, err = self.run_here("check", "p.shard", "--sweep-set", "d=4,8", "--sweep", "a=1,4", "--set", "act=tanh")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertEqual(["a=1,d=4", "a=1,d=8", "a=4,d=4", "a=4,d=8"], [row[0] for row in rows(out)])
        self.assertEqual(["sizes and settings", "devices"], re.split(r" {2,}", out.splitlines()[1].strip())[:2])

    def test_settings_of_models(self):
        code, out, _ = run("check", "tp_mlp", "--sweep-set", "activation=silu,gelu", "--mesh", "data=1,model=2")
        self.assertEqual((HOLDS, ["activation=silu", "activation=gelu"]), (code, [row[0] for row in rows(out)]))

    def test_what_a_setting_cannot_be_is_a_row(self):
        code, out, _ = self.run_here("check", "p.shard", "--sweep-set", "act=tanh,relu")
        self.assertEqual((BAD_INPUT, ["EQUAL", "error"]), (code, [row[2] for row in rows(out)]))
        self.assertIn("[E-set]", out)

    def test_json(self):
        code, out, _ = self.run_here("check", "p.shard", "--sweep-set", "d=4,act=tanh", "--sweep", "a=2", "--json")
        (entry,) = json.loads(out)["sweep"]
        self.assertEqual((HOLDS, {"a": 2}, {"d": "4", "act": "tanh"}), (code, entry["mesh"], entry["set"]))

    def test_messages(self):
        example = "; expected for example --sweep-set d=64,128,act=silu,gelu\n"
        for text, message in {
            "d": '"d": "d" is not NAME=VALUES',
            "=3": '"=3": "=3" names no setting',
            "d=": '"d=": "" is no value and no range of integers',
            "d=1..x": '"d=1..x": "1..x" is no value and no range of integers',
            "d=3..1": '"d=3..1": the range 3..1 is empty',
            "d=1,d=2": '"d=1,d=2": the name `d` is given twice',
            "d=-9223372036854775808..9223372036854775807":
                '"d=-9223372036854775808..9223372036854775807": that is more than 10000 values of `d`',
        }.items():
            with self.subTest(text=text):
                self.rejects(f"error: --sweep-set {message}{example}", "check", "p.shard", "--sweep-set", text)
        self.rejects("error: --sweep-set asks for more than 10000 rows; expected fewer values\n", "check", "p.shard",
                     "--sweep", "a=1..1000", "--sweep-set", "d=1..1000")
        self.rejects("error: --strict is about the rows of --sweep; leave it out\n", "check", "p.shard", "--strict")


class BadSweep(Case):
    def rejects_sweep(self, sweep, message):
        self.rejects(f"error: --sweep {message}\n", "check", "tp_mlp", "--sweep", sweep)

    def test_messages(self):
        example = "; expected for example --sweep data=1..3,model=1,2,4"
        for sweep, message in {
            "model": '"model": "model" is not AXIS=SIZES',
            "": '"": "" is not AXIS=SIZES',
            "=3": '"=3": "=3" names no axis',
            "model=": '"model=": "" is no size of at least 1 and no range of sizes',
            "model=0..3": '"model=0..3": "0..3" is no size of at least 1 and no range of sizes',
            "model=1...3": '"model=1...3": "1...3" is no size of at least 1 and no range of sizes',
            "model=1..": '"model=1..": "1.." is no size of at least 1 and no range of sizes',
            "model=1,,2": '"model=1,,2": "" is no size of at least 1 and no range of sizes',
            "model=99999999999999999999":
                '"model=99999999999999999999": "99999999999999999999" is no size of at least 1 and no range of sizes',
            "model=3..1": '"model=3..1": the range 3..1 is empty',
            "model=1,model=2": '"model=1,model=2": the axis `model` is given twice',
            "model=1..9223372036854775807":
                '"model=1..9223372036854775807": that is more than 10000 sizes of `model`',
        }.items():
            with self.subTest(sweep=sweep):
                self.rejects_sweep(sweep, message + example)

    def test_too_many_meshes(self):
        self.rejects_sweep("data=1..1000,model=1..1000", "asks for more than 10000 meshes; expected fewer sizes")

    def test_an_axis_of_mesh_too(self):
        self.rejects("error: tp_mlp: axis `model` is given twice; expected once [C-twice]\n",
                     "check", "tp_mlp", "--mesh", "model=2", "--sweep", "model=1..2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
