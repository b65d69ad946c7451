#!/usr/bin/python3
"""`explain`: every rule of docs/rules.md, and the examples of docs/rules break the rule they are named for, or not."""

import re
import unittest

from isoshard import BAD_INPUT, HOLDS, ROOT, Case, run

ROW = re.compile(r"^\| `([\w-]+)` \| (.*) \|$", re.MULTILINE)
# The rules of the language that have no example yet: most of them say all in their message.
WITHOUT = """
E-any-shape E-block E-capture E-check E-devices E-divide E-dtype E-einsum E-field E-field-value E-import
E-index E-init E-integer E-limit E-map E-mesh E-number E-option E-overflow E-program E-range E-recursion
E-result E-return E-role E-set E-size E-steps E-update E-word E-yield P-action P-brace P-empty P-encoding
P-file P-function P-json P-nesting P-number P-output P-string P-version T-annotation T-argmax T-bits
T-bitcast T-block T-call T-clamp T-compare T-concatenate T-constant T-convert T-convert-state T-convolution
T-dim T-dot T-dtype T-entry T-float T-gather T-index T-iota T-key T-numeric T-output T-owner T-pad T-permute
T-permute-order T-pipeline T-pred T-precision T-reduce T-reinterpret T-reshape T-rng T-scan T-scatter
T-select T-signed T-size T-slice T-stack T-starts T-top-k T-transpose T-vjp
""".split()
EXAMPLES = sorted((ROOT / "docs/rules").glob("*.shard"))


class Explain(Case):
    def test_a_state_rule(self):
        code, out, err = run("explain", "S-linear")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertTrue(out.startswith("S-linear (States): the operands of a sum, difference or concatenation"), out)
        wrong, right = out.split("\nWrong:\n")[1].split("\nRight:\n")
        self.assertIn("%y = add %s, %w", wrong)
        self.assertIn("%y = add %t, %w", right)

    def test_a_rule_without_an_example_says_so(self):
        code, out, _ = run("explain", "P-empty")
        self.assertEqual((HOLDS, "P-empty (Text: syntax): the file is empty\n\nThere is no example of this rule.\n"),
                         (code, out))

    def test_every_row_of_the_page(self):
        code, out, _ = run("explain")
        page = [rule for rule, _ in ROW.findall((ROOT / "docs/rules.md").read_text())]
        self.assertEqual((HOLDS, page), (code, re.findall(r"(?m)^  ([\w-]+)$", out)))
        for rule in page[::25]:
            self.assertEqual(HOLDS, run("explain", rule)[0])

    def test_unknown(self):
        self.assertEqual((BAD_INPUT, "", 'error: no rule is called "S-linaer"; did you mean S-linear?\n'),
                         run("explain", "S-linaer"))
        self.assertEqual((BAD_INPUT, "", 'error: no rule is called "nothing"; `isoshard explain` lists them\n'),
                         run("explain", "nothing"))


class Examples(Case):
    def test_all_state_and_warning_rules_have_one(self):
        rows = [rule for rule, _ in ROW.findall((ROOT / "docs/rules.md").read_text())]
        wanted = {rule for rule in rows if rule.startswith(("S-", "W-"))} - {"S-pipeline", "S-vjp"}
        wanted.remove("W-left-out")  # only texts of JAX have callbacks
        self.assertEqual(set(), wanted - {path.name.removesuffix(".wrong.shard") for path in EXAMPLES})
        self.assertEqual([path.name for path in EXAMPLES if path.name.endswith(".wrong.shard")],
                         [path.name.replace(".right.", ".wrong.") for path in EXAMPLES if ".right." in path.name])

    def test_which_rules_of_the_language_have_none(self):
        rows = [rule for rule, _ in ROW.findall((ROOT / "docs/rules.md").read_text())]
        have = {path.name.split(".")[0] for path in EXAMPLES}
        self.assertEqual(WITHOUT, [rule for kind in "EPT" for rule in rows if rule[0] == kind and rule not in have],
                         "give a new rule an example in docs/rules, and take one that has some from the list")

    def test_the_wrong_one_breaks_the_rule_and_its_twin_none(self):
        self.assertGreater(len(EXAMPLES), 50)
        for path in EXAMPLES:
            rule, kind, _ = path.name.split(".")
            with self.subTest(path=path.name):
                code, out, err = run("check", path)
                if kind == "right":
                    self.assertEqual((HOLDS, ""), (code, err), out)
                else:
                    found = re.findall(r"\[([A-Z]-[\w-]+)\]", out + err)
                    self.assertEqual({rule}, set(found), out + err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
