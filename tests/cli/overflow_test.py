#!/usr/bin/python3
"""Attacks on W-overflow: programs that are equal as formulas, ten pairs of which one side overflows f32 where the other
one does not, and ten that both stand or both fall. Each side is a line or more that make %y of %x, f32 of ROWS x 4."""

import re
import unittest

from isoshard import HOLDS, Case

MAX = "  %m = reduce(%s) {op=max, dims=[1]}\n  %mb = broadcast_in_dim(%m) {dims=[0], shape=[ROWS, 4]}\n"
SUM = "  %z = reduce(%e) {op=add, dims=[1]}\n  %zb = broadcast_in_dim(%z) {dims=[0], shape=[ROWS, 4]}\n"
CAUSAL = ("  %i = iota {dtype=i32, shape=[ROWS, 4], dim=1}\n  %k = compare %i, 2 {direction=lt}\n"
          "  %s = select %k, %x, HIDDEN\n")


def plain(scores="  %s = %x * 1\n"):
    return scores + "  %e = exponential(%s)\n" + SUM + "  %y = %e / %zb\n"


def shifted(scores="  %s = %x * 1\n"):
    return scores + MAX + "  %e = exponential(%s - %mb)\n" + SUM + "  %y = %e / %zb\n"


def lse(top):
    inner = "%s - %mb" if top else "%s"
    return ("  %s = %x * 1\n" + MAX * top + f"  %e = exponential({inner})\n" + SUM +
            "  %y = log(%zb)" + " + %mb" * top + "\n")


MASKED = CAUSAL.replace("HIDDEN", "-1e30")
INFINITE = CAUSAL.replace("HIDDEN", "-1e38")

OVERFLOWS = {
    "softmax without the maximum": (plain(), shifted()),
    "the reference is the one without": (shifted(), plain()),
    "masked softmax without the maximum": (plain(MASKED), shifted(MASKED)),
    "log-sum-exp without the maximum": (lse(False), lse(True)),
    "softmax of doubled scores": (plain("  %s = %x * 2\n"), shifted("  %s = %x * 2\n")),
    "a sigmoid of exponentials": ("  %e = exponential(%x)\n  %y = %e / (%e + 1)\n",
                                  "  %e = exponential(%x * -1)\n  %y = 1 / (1 + %e)\n"),
    "exp of a large constant": ("  %c = constant {value=100, dtype=f32, shape=[ROWS, 4]}\n  %e = exponential(%c)\n"
                                "  %y = %x * %e / %e\n", "  %y = %x * 1\n"),
    "a product of exponentials": ("  %y = exponential(%x) * exponential(%x * -1) * %x\n", "  %y = %x * 1\n"),
    "division by a tiny number": ("  %y = %x / 1e-38 * 1e-38\n", "  %y = %x * 1\n"),
    "a square of large factors": ("  %a = %x * 1e20\n  %y = %a * %a * 1e-40\n", "  %y = %x * %x\n"),
}

STANDS = {
    "softmax": (shifted(), shifted()),
    "masked softmax": (shifted(MASKED), shifted(MASKED)),
    "masked with the largest f32": (shifted(INFINITE), shifted(INFINITE)),
    "both without the maximum": (plain(), plain()),
    "log-sum-exp": (lse(True), lse(True)),
    "a sigmoid": ("  %e = exponential(%x * -1)\n  %y = 1 / (1 + %e)\n",
                  "  %e = exponential(%x * -1)\n  %y = 3 / (3 + 3 * %e)\n"),
    "a bell": ("  %q = %x * %x\n  %y = exponential(%q * -1)\n", "  %q = %x * -1 * %x\n  %y = exponential(%q)\n"),
    "division by an epsilon": ("  %y = %x / (%x * %x + 1e-6)\n", "  %q = %x * %x\n  %y = 1 / (%q + 1e-6) * %x\n"),
    "a fourth power": ("  %y = %x * %x * %x * %x\n", "  %q = %x * %x\n  %y = %q * %q\n"),
    "large factors that both have": ("  %y = %x * 1e20 * 1e-20\n", "  %y = %x * (1e20) * 1e-20 + %x - %x\n"),
}


def program(name, body, rows, mesh, layout):
    text = body.replace("ROWS", rows)
    return f"program @{name}{mesh} {{\n  %x = view @x [{layout}, -]\n{text}  return @y = %y [{layout}, -]\n}}\n"


class Attacks(Case):
    def rules(self, sides):
        text = "isoshard 1\nmesh @m [p=2]\nglobal @x : f32[4, 4] input\n"
        text += program("sharded", sides[0], "2", " on @m", "p") + program("dense", sides[1], "4", "", "-")
        self.write("p.shard", text + "check @sharded == @dense\n")
        code, out, err = self.run_here("check", "p.shard")
        self.assertEqual(HOLDS, code, out + err)
        return sorted(set(re.findall(r"\[(W-overflow)\]", err)))

    def test_what_overflows_on_one_side_is_told(self):
        for name, sides in OVERFLOWS.items():
            with self.subTest(name):
                self.assertEqual(["W-overflow"], self.rules(sides))

    def test_what_stands_or_falls_on_both_is_not(self):
        for name, sides in STANDS.items():
            with self.subTest(name):
                self.assertEqual([], self.rules(sides))


if __name__ == "__main__":
    unittest.main(verbosity=2)
