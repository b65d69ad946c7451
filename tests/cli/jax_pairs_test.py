#!/usr/bin/python3
"""Small pairs of JAX (tests/data/jax_pairs), each with wrong twins: the verdicts that JAX gives by running them."""

import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, STRIDE, Case, run

DATA = ROOT / "tests/data/jax_pairs"
NAMES = sorted(path.parent.name for path in DATA.glob("*/reference.mlir"))


class JaxPairs(Case):
    def test_right_programs_are_equal_and_wrong_twins_are_not(self):
        self.assertGreaterEqual(len(NAMES), 50)
        for name in NAMES[::STRIDE]:
            texts = sorted(path.stem for path in (DATA / name).glob("*.mlir"))
            self.assertEqual(["reference", "sharded", "wrong_1"], texts[:3])
            for text in texts[1:]:
                with self.subTest(f"{name}/{text}"):
                    code, out, err = run("check", DATA / name / f"{text}.mlir", DATA / name / "reference.mlir", "--no-warnings")
                    self.assertEqual((HOLDS if text == "sharded" else DOES_NOT_HOLD, ""), (code, err), out)

    def test_devices_that_disagree_where_others_meet_are_a_deadlock(self):
        places = {"cond_sum/wrong_3": ("11:12", "19:14"), "while_vmap_rows/wrong_2": ("10:14", "28:14")}
        for name, (condition, collective) in places.items():
            wrong = DATA / f"{name}.mlir"
            code, out, err = run("check", wrong, wrong.parent / "reference.mlir", "--no-warnings")
            self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
            last = out.splitlines()[-1]
            self.assertIn("NOT EQUAL: deadlock: the devices of `x` disagree on the condition", last)
            self.assertIn(f"wrong_{wrong.stem[-1]}.mlir:{condition}: rank", last)
            self.assertIn(f"come to the collective under it at {wrong}:{collective} and wait for ever", last)

    def test_what_may_write_a_place_twice_is_refused(self):
        text = (DATA / "cache_update/reference.mlir").read_text(encoding="utf-8")
        at = text.index("concatenate")
        twice = text[:at] + text[at:].replace(text[at:].split()[1].rstrip(","), text[at:].split()[2].rstrip(","), 1)
        self.write("twice.mlir", twice)
        code, _, err = self.run_here("show", "twice.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("at indices that may repeat (unique_indices = false, and no column of them counts), of which nothing says which update stays [M-unsupported]", err)


if __name__ == "__main__":
    unittest.main()
