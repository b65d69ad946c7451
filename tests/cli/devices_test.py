#!/usr/bin/python3
"""`--devices N`: a size of -1 in --mesh is what the other axes leave."""

import unittest

from isoshard import HOLDS, Case


class Devices(Case):
    def test_an_open_size(self):
        code, out, err = self.run_here("sim", "tp_mlp", "--mesh", "data=-1,model=4", "--devices", "8", "--set", "d=4,f=8")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertIn("@tp_mlp on 8 virtual devices", out)

    def test_devices_alone_are_compared(self):
        self.assertEqual(HOLDS, self.run_here("show", "tp_mlp", "--mesh", "data=2,model=4", "--devices", "8")[0])
        self.rejects(
            "error: --devices 6: the mesh @m of @tp_mlp is (data=2, model=4), 8 devices; name all of its axes in --mesh, one "
            "of them with size -1 [C-devices]\n", "show", "tp_mlp", "--devices", "6")

    def test_sizes_that_do_not_fit(self):
        for sizes, needs in (("data=-1,model=3", "a multiple of 3"), ("data=-1,model=16", "a multiple of 16"),
                             ("data=-1,model=9999999999", "2^31 or more")):
            shown = sizes.replace(",", ", ")
            self.rejects(
                f"error: --mesh: the mesh ({shown}) needs {needs} devices, and there are 8; expected sizes whose product is "
                "8, or one size of -1 for what the others leave [C-devices]\n", "show", "tp_mlp", "--mesh", sizes,
                "--devices", "8")

    def test_two_open_sizes(self):
        self.rejects("error: --mesh: the mesh (data=-1, model=-1) has 2 sizes of -1; expected at most one [C-size]\n",
                     "show", "tp_mlp", "--mesh", "data=-1,model=-1", "--devices", "8")

    def test_open_without_devices(self):
        self.rejects("error: --mesh data=-1: -1 is what the other axes leave; expected --devices N as well [C-devices]\n",
                     "show", "tp_mlp", "--mesh", "data=-1,model=2")


if __name__ == "__main__":
    unittest.main()
