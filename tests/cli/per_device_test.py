#!/usr/bin/python3
"""`isoshard sim --per-device`: outputs as every device holds them."""

import sys
import unittest

try:
    import numpy
except ImportError:
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

from isoshard import HOLDS, Case

GATHER = """isoshard 1
mesh @m [data=2, model=3]
global @x : f32[4, 6] input
program @p on @m {
  %x = view @x [data, model]
  return @x = %x [data, model]
}
"""

UNEVEN = """isoshard 1
mesh @m [data=2]
global @x : f32[5] input
program @p on @m {
  %x = view @x [uneven data]
  return @x = %x [uneven data] : f32[5]
}
"""

REPLICAS = """isoshard 1
mesh @m [data=2, model=2]
global @x : f32[4] input
program @p on @m {
  %x = view @x [data]
  return @x = %x [data]
}
"""


class PerDevice(Case):
    def outputs(self, *arguments):
        code, out, err = self.run_here("sim", *arguments, "--per-device", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        return dict(numpy.load(self.folder / "out.npz")), out

    def given(self, x):
        numpy.savez(self.folder / "in.npz", x=x.astype(numpy.float32))

    def test_blocks_in_the_order_of_positions(self):
        x = numpy.arange(24).reshape(4, 6)
        self.given(x)
        arrays, out = self.outputs(self.write("p.shard", GATHER), "--inputs", "in.npz")
        blocks = [x[2 * d:2 * d + 2, 2 * t:2 * t + 2] for d in range(2) for t in range(3)]
        numpy.testing.assert_array_equal(arrays["x"], numpy.stack(blocks))
        self.assertIn("@x  f32[6,2,2]", out)

    def test_replicas_are_all_given(self):
        x = numpy.arange(4)
        self.given(x)
        arrays, _ = self.outputs(self.write("p.shard", REPLICAS), "--inputs", "in.npz")
        numpy.testing.assert_array_equal(arrays["x"], [[0, 1], [0, 1], [2, 3], [2, 3]])

    def test_first_parameters(self):
        whole, _ = self.run_here("sim", "tp_dense", "--init", "--outputs", "whole.npz"), None
        self.assertEqual(HOLDS, whole[0], whole[2])
        arrays, _ = self.outputs("tp_dense", "--init")
        kernel = numpy.load(self.folder / "whole.npz")["module/sharded/kernel"]
        numpy.testing.assert_array_equal(arrays["module/sharded/kernel"], kernel[:, None])

    def test_ring_elements_keep_their_lanes(self):
        self.given(numpy.arange(4))
        arrays, _ = self.outputs(self.write("p.shard", REPLICAS), "--inputs", "in.npz", "--domain", "ring")
        self.assertEqual((2, 4, 2), arrays["x"].shape)

    def test_blocks_of_several_shapes(self):
        self.given(numpy.arange(5))
        self.rejects(
            "error: --per-device: @x: the device at position 1 holds f32[2], the one at position 0 f32[3]; expected one "
            "block of one shape on each device; leave --per-device out [I-per-device]\n",
            "sim", self.write("p.shard", UNEVEN), "--inputs", "in.npz", "--per-device", "--outputs", "out.npz")
        self.assertFalse((self.folder / "out.npz").exists())


if __name__ == "__main__":
    unittest.main()
