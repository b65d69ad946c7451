#!/usr/bin/python3
"""Pairs of texts that were made to fool the import, tests/data/stablehlo_attacks: the truth is what JAX computes."""

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, UNDECIDED, Case, run

DATA = ROOT / "tests/data/stablehlo_attacks"

# What was EQUAL and is not, or is with a condition; after them right pairs that were NOT EQUAL.
PAIRS = {
    "whilenext": (DOES_NOT_HOLD, "the counter is read once, by the step that the body reads"),
    "whilenext_down": (DOES_NOT_HOLD, "the same downwards"),
    "digit2_3": (DOES_NOT_HOLD, "a position that is a predicate in between"),
    "digit3_3": (DOES_NOT_HOLD, "the same by another way"),
    "negzero_atan2": (DOES_NOT_HOLD, "the angle of -0"),
    "negzero_tanh": (DOES_NOT_HOLD, "1 / -0"),
    "negzero_sub": (DOES_NOT_HOLD, "1 / (-0 - z)"),
    "i64b": (DOES_NOT_HOLD, "2^53 + 1 is no double"),
    "i64b2": (DOES_NOT_HOLD, "the same of the least"),
    "gather_ui32_0": (DOES_NOT_HOLD, "a start of 2^32 - 1 is beyond the end, not -1"),
    "gather_i64_0": (DOES_NOT_HOLD, "a start of 2^32"),
    "gather_ui64_0": (DOES_NOT_HOLD, "a start of 2^64 - 1"),
    "scatter_i64": (DOES_NOT_HOLD, "a start of 2^32 is dropped"),
    "names": (DOES_NOT_HOLD, "p['w-1'] is not p['w.1']"),
    "rng_full": (DOES_NOT_HOLD, "a start that makes no difference bounds nothing"),
    "scatter_set_empty": (BAD_INPUT, "windows that all lie on one element"),
    "redadd": (UNDECIDED, "a sum that begins with -0"),
    "red_open": (UNDECIDED, "the same on an open set"),
    "cumsum": (DOES_NOT_HOLD, "sums of XLA begin with +0, so that there is no -0 among them"),
    "cumsum_div": (DOES_NOT_HOLD, "the same, divided by"),
    "pool": (DOES_NOT_HOLD, "the same of windows over padding"),
    "pp_psumholediv": (DOES_NOT_HOLD, "what a permute leaves is +0, and a sum with it, too"),
    "pp_psumhole": (DOES_NOT_HOLD, "the same, of which an angle is taken"),
    "pp_scathole": (DOES_NOT_HOLD, "the same with a reduce_scatter"),
    "tr_zero": (BAD_INPUT, "x less x without its last bits is not 0"),
    "tr_eq": (BAD_INPUT, "x without its last bits is not x"),
    "tr_gelu": (BAD_INPUT, "exp of it in the place of exp of its square's part"),
    "whilenext_true": (HOLDS, "the counter is read once, by the step that the body reads"),
    "digit2_1": (HOLDS, "a position that is a predicate in between"),
    "gather_ui32_3": (HOLDS, "a start of 2^32 - 1 is beyond the end, not -1"),
}


class StableHloAttacks(Case):
    def test_each_pair_has_the_verdict_that_is_true(self):
        self.assertEqual({path.name[:-len("_a.mlir")] for path in DATA.glob("*_a.mlir")}, set(PAIRS))
        for name, (code, *says, what) in PAIRS.items():
            with self.subTest(name, what=what):
                found, out, err = run("check", DATA / f"{name}_a.mlir", DATA / f"{name}_b.mlir")
                self.assertEqual(code, found, out + err)
                for words in says:
                    self.assertRegex(out, rf"(?m)^ +assumes +{words} ")
                self.assertEqual("" if code != BAD_INPUT else "M-unsupported", "" if not err else err[err.index("[") + 1:err.index("]")])


if __name__ == "__main__":
    import unittest
    unittest.main()
