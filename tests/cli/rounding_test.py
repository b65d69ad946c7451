#!/usr/bin/python3
"""W-rounding: programs that are equal as formulas and whose comparisons, floors and integers are decided by rounding, and
right twins that decide by what is exact. Each side is lines that make %o of %x and %y, f32 of 16 x 4."""

import re
import unittest

from isoshard import HOLDS, Case

TOP = "  %m = reduce(%x) {op=max, dims=[1]}\n  %b = broadcast_in_dim(%m) {dims=[0], shape=[16, 4]}\n"

ROUNDING = {
    "equal but for rounding": ("  %o = select((%x + %y) - %y == %x, %x, %y)\n", "  %o = %x * 1\n"),
    "the reference decides so": ("  %o = %x * 1\n", "  %o = select((%x + %y) - %y == %x, %x, %y)\n"),
    "a sum from either end": ("  %s = %x + %y + 1\n  %t = 1 + %y + %x\n  %o = select(%s == %t, %x, %y)\n", "  %o = %x * 1\n"),
    "not less": ("  %o = select((%x + %y) - %y < %x, %y, %x)\n", "  %o = %x * 1\n"),
    "the floor of a whole number": ("  %o = floor((%x + %y) - (%x - 1) - %y)\n",
                                    "  %o = 0 * %x + 1\n"),
}

EXACT = {
    "a relu by comparison": ("  %o = select(%x > 0, %x, 0 * %x)\n", "  %o = maximum(%x, 0)\n"),
    "which is the largest": (TOP + "  %o = select(%x == %b, %x, %y)\n", TOP + "  %o = select(%x == %b, %x * 2 - %x, %y)\n"),
    "one number beside itself": ("  %o = select(%x == %x, %x, %y)\n", "  %o = %x * 1\n"),
    "a floor": ("  %o = floor(%x * 3) * 2\n", "  %f = floor(%x * 3)\n  %o = %f + %f\n"),
    "sums that cancel and decide nothing": ("  %o = (%x + %y) - %y\n", "  %o = %x * 1\n"),
    "equal but for rounding, and both sides are one": ("  %o = select((%x + %y) - %y == %x, %x, %x * 1)\n", "  %o = %x * 1\n"),
}


def program(name, body):
    return f"program @{name} {{\n  %x = view @x [-, -]\n  %y = view @y [-, -]\n{body}  return @o = %o [-, -]\n}}\n"


class Rounding(Case):
    def warnings(self, sides):
        head = "isoshard 1\nglobal @x : f32[16, 4] input\nglobal @y : f32[16, 4] input\n"
        self.write("p.shard", head + program("one", sides[0]) + program("other", sides[1]) + "check @one == @other\n")
        code, out, err = self.run_here("check", "p.shard")
        self.assertEqual(HOLDS, code, out + err)
        return re.findall(r"p.shard:(\d+):\d+: warning: rounding decides: .* \[W-rounding\]", err)

    def test_what_rounding_decides_is_told_at_its_line(self):
        for name, sides in ROUNDING.items():
            with self.subTest(name):
                found = self.warnings(sides)
                self.assertEqual(1, len(found))
                with open(self.folder / "p.shard", encoding="utf-8") as text:
                    self.assertRegex(text.readlines()[int(found[0]) - 1], "==|<|floor")

    def test_what_is_exact_is_not(self):
        for name, sides in EXACT.items():
            with self.subTest(name):
                self.assertEqual([], self.warnings(sides))


if __name__ == "__main__":
    unittest.main()
