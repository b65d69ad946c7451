#!/usr/bin/python3
"""Texts of JAX with which somebody showed that isoshard was wrong (tests/data/jax_attacks/README.md)."""

import sys
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, run

try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

DATA = ROOT / "tests/data/jax_attacks"

# What JAX gives for [100, -200, 1000, 0], in f32.
VALUES = {
    "op_softplus": [100, 0, 1000, 0.6931472],
    "op_log_sigmoid": [0, -200, 0, -0.6931472],
    "op_softplus_gradient": [1, 0, 1, 0.5],
    "op_cumlogsumexp": [100, 100, 1000, 1000],
    "op_functions": [
        0.091160364, -0.18384854, 1.2839589, 0, 0.091034368, -0.1828216, 1.0395875, 0,
        1.0041351, 1.0165745, 1.4424777, 1, 1.5607967, -1.5657964, 1.5697963, 0,
        1.4797616, 1.7536315, 0.4296996, 1.5707964, 5.2983422, -5.9914708, 7.6009026, 0,
        5.3082433, 5.9964457, 7.6019015, 0, 0.091160782, -0.18386239, 1.5222614, 0,
        0, 0, 1, 1, 200, -400, 2000, 0,
        0.090909094, -0.1, 0.50000006, 0, 0, 0, 1, 0,
        1, 0, 1, 1,
    ],
}


class JaxAttacks(Case):
    def check(self, name):
        return run("check", DATA / f"{name}.l.mlir", DATA / f"{name}.r.mlir")

    def test_updates_keep_the_signs_of_their_zeros(self):
        for name, expected in [("zero_of_set_ne", HOLDS), ("zero_of_set_recip_ne", HOLDS), ("zero_of_set_one", HOLDS),
                               ("zero_of_set_eq", DOES_NOT_HOLD), ("zero_of_set_recip_eq", DOES_NOT_HOLD)]:
            with self.subTest(name):
                code, out, err = self.check(name)
                self.assertEqual((expected, ""), (code, err), out)

    def test_a_verdict_names_the_numbers_that_the_import_has_decided_by(self):
        for name, words in [("range_of_lookup", "@arg2 in 0..5"), ("range_of_negative", "@arg2 in 0..5")]:
            with self.subTest(name):
                code, out, err = self.check(name)
                self.assertEqual((HOLDS, ""), (code, err), out)
                self.assertIn(f"EQUAL as formulas for {words} (rung", out)
        code, out, _ = self.check("range_of_program")  # of lookups of the reference only
        self.assertEqual(DOES_NOT_HOLD, code, out)

    def test_guards_of_what_data_mask_are_left_alone(self):
        for name in ("guard_of_mask", "guard_of_row"):
            with self.subTest(name):
                code, out, err = self.check(name)
                self.assertEqual((UNDECIDED, ""), (code, err), out)

    def test_a_pad_may_cut_off_what_it_has_put_there(self):
        np.savez(self.folder / "in.npz", arg0=np.array([7], np.float32))
        code, _, err = self.run_here("sim", DATA / "pad_beyond.mlir", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        with np.load(self.folder / "out.npz", allow_pickle=False) as outputs:
            self.assertEqual([[1.25] * n for n in (1, 2, 4)], [outputs[name].tolist() for name in outputs.files])
        text = (DATA / "pad_beyond.mlir").read_text(encoding="utf-8")
        self.assertIn("low = [-2], high = [2]", text)
        self.write("wrong.mlir", text.replace("low = [-2], high = [2]", "low = [-4], high = [2]"))
        code, _, err = self.run_here("show", "wrong.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("a pad that cuts off more than there is", err)

    def test_extremes_of_predicates(self):
        for name, expected in [("predicates", HOLDS), ("predicates_first", DOES_NOT_HOLD), ("predicates_larger", DOES_NOT_HOLD)]:
            with self.subTest(name):
                code, out, err = self.check(name)
                self.assertEqual((expected, ""), (code, err), out)

    def test_functions_that_do_not_overflow_stay_so(self):
        np.savez(self.folder / "in.npz", arg0=np.array([100, -200, 1000, 0], np.float32))
        for name, expected in VALUES.items():
            with self.subTest(name):
                code, _, err = self.run_here("sim", DATA / f"{name}.mlir", "--inputs", "in.npz", "--outputs", "out.npz")
                self.assertEqual((HOLDS, ""), (code, err))
                with np.load(self.folder / "out.npz", allow_pickle=False) as outputs:
                    np.testing.assert_allclose(outputs[outputs.files[0]], expected, rtol=1e-6, atol=1e-30)

    def test_who_overflows_is_told_and_nobody_else(self):
        code, _, err = self.check("overflow_not_warned")
        self.assertEqual(HOLDS, code)
        self.assertIn("overflows in @overflow_not_warned only", err)
        code, _, err = self.check("softplus_warned_as_overflowing")
        self.assertEqual((HOLDS, ""), (code, err))

    def test_places_of_the_largest_are_different_in_one_row_only(self):
        texts = sorted(DATA.glob("repeated_*.mlir"))
        self.assertEqual(9, len(texts))
        for text in texts:
            with self.subTest(text.stem):
                code, _, err = run("show", text)
                self.assertEqual(BAD_INPUT, code)
                self.assertIn("a scatter that sets at indices that may repeat", err)

    def test_what_chooses_as_argmax_for_few_numbers_only_is_none(self):
        texts = sorted(DATA.glob("chosen_*.mlir"))
        self.assertEqual(3, len(texts))
        for text in texts:
            with self.subTest(text.stem):
                code, _, err = run("show", text)
                self.assertEqual(BAD_INPUT, code)
                self.assertRegex(err, "a reduction of several operands that is no argmax or argmin over an iota|"
                                 "a sort that is not by less or greater of the elements of one array")

    def test_infinities_that_no_constant_of_the_text_shows(self):
        for name, expected in [("greatest_of_nothing_ok", HOLDS), ("greatest_of_nothing_wrong", DOES_NOT_HOLD), ("greatest_of_nothing_wrong2", DOES_NOT_HOLD),
                               ("greatest_of_nothing_wrong4", DOES_NOT_HOLD), ("infinity_in_f8_isnan", DOES_NOT_HOLD), ("infinity_in_f8_finite", DOES_NOT_HOLD)]:
            with self.subTest(name):
                reference = "greatest_of_nothing" if name.startswith("g") else "infinity_in_f8"
                code, out, _ = run("check", DATA / f"{name}.l.mlir", DATA / f"{reference}.r.mlir")
                self.assertEqual(expected, code, out)

    def test_an_index_where_other_axes_are_left_to_the_compiler(self):
        for name, expected in [("partly_manual_index", HOLDS), ("partly_manual_weighted", DOES_NOT_HOLD)]:
            with self.subTest(name):
                code, out, err = self.check(name)
                self.assertEqual((expected, ""), (code, err), out)
        text = (DATA / "partly_manual_index.l.mlir").read_text(encoding="utf-8")
        self.write("other.mlir", text.replace("dense<3> : tensor<ui32>", "dense<1> : tensor<ui32>", 1))  # over both axes
        code, _, err = self.run_here("show", "other.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("not supported: a manual computation inside of another, but of an index over its axes [M-unsupported]", err)

    def test_functions_may_have_any_name_and_orders_two_dimensions(self):
        for name, op in [("call_of_lambda", "multiply"), ("inverse_of_rows", "gather")]:
            code, out, _ = run("show", DATA / f"{name}.mlir")
            self.assertEqual(HOLDS, code)
            self.assertIn(op, out)

    def test_conditions_that_name_themselves_or_one_part_very_often(self):
        code, _, err = run("show", DATA / "crash_condition_of_itself.mlir")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("crash_condition_of_itself.mlir:8:26: error: nothing before defines %7; the text may be cut or mixed up [M-value]", err)
        code, out, err = run("show", DATA / "hang_and_chain_24.mlir")
        self.assertEqual((HOLDS, ""), (code, err), out)


if __name__ == "__main__":
    unittest.main()
