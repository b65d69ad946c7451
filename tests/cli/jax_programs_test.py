#!/usr/bin/python3
"""Thirty programs as JAX's users write them (examples/jax), each with its reference and two wrong twins: verdicts and lines."""

import functools
import json
import os
import unittest

from isoshard import DOES_NOT_HOLD, HOLDS, ROOT, STRIDE, Case, ordinary_only, run

DATA = ROOT / "tests/data/jax_programs"
CASES = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*/case.json"))}
NIGHTLY = bool(os.environ.get("ISOSHARD_NIGHTLY"))

# {program/text}: some seconds with sanitizers; the nightly tests check them.
SLOW = set()
if os.environ.get("ISOSHARD_SANITIZE"):
    SLOW |= {f"{name}/wrong_{i}" for name in ("conv_halo_grad", "contrastive_clip", "flax_encoder_dp", "grad_accumulation_adamw", "ring_attention",
                                              "three_axes", "tp_transformer_sgd", "vocab_parallel_lm") for i in (1, 2)}
    SLOW |= {"moe_top1_aux_loss/sharded", "moe_top1_aux_loss/wrong_2", "moe_top2_capacity/sharded", "ring_attention/sharded"}
LINES = 16  # of wrong twins whose report names a line that was changed, at least


def texts(name):
    return ["sharded"] + [wrong["text"] for wrong in CASES[name]["wrong"]]


@functools.cache
def check(name, text):
    return run("check", DATA / name / f"{text}.mlir", DATA / name / "reference.mlir")


class JaxPrograms(Case):
    def verdict(self, name, text):
        code, out, err = check(name, text)
        right = HOLDS if text == "sharded" else DOES_NOT_HOLD
        self.assertEqual((right, ""), (code, err), out)

    def test_the_programs_are_thirty_with_two_wrong_twins_each(self):
        self.assertEqual(30, len(CASES))
        for name, case in CASES.items():
            self.assertEqual(["wrong_1", "wrong_2"], [wrong["text"] for wrong in case["wrong"]])
            self.assertTrue((ROOT / f"examples/jax/{name}.py").exists())
        for pair in SLOW:
            name, _, text = pair.partition("/")
            self.assertIn(text or "sharded", texts(name))

    def test_verdicts_are_those_that_jax_gives_by_running_the_programs(self):
        for name in list(CASES)[::STRIDE]:
            for text in texts(name):
                if f"{name}/{text}" in SLOW and not NIGHTLY:
                    continue
                with self.subTest(f"{name}/{text}"):
                    self.verdict(name, text)

    @ordinary_only
    def test_reports_name_the_line_that_was_changed(self):
        found = 0
        for name, case in CASES.items():
            for wrong in case["wrong"]:
                if f"{name}/{wrong['text']}" in SLOW:
                    continue
                out = check(name, wrong["text"])[1]
                found += any(f"examples/jax/{name}.py:{line}:" in out for line in wrong["lines"])
        self.assertGreaterEqual(found, LINES)


if __name__ == "__main__":
    unittest.main()
