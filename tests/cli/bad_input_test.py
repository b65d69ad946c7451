#!/usr/bin/python3
"""Bad command lines and files that are no programs: the exact message and exit code 2. What is wrong inside a file is
tested in tests/files/rejected."""

import os
import unittest

from isoshard import BAD_INPUT, BINARY, HOLDS, STRIDE, Case

PROGRAM = """isoshard 1
mesh @m [p=2]
global @x : f32[4, 3] input
program @a on @m {
  %x = view @x [p, -]
  return @y = %x [p, -]
}
program @b {
  %x = view @x [-, -]
  return @y = %x [-, -]
}
"""


class Commands(Case):
    def test_unknown_command(self):
        self.rejects('error: no command is called "chekc"; did you mean "check"?\n', "chekc", "x.shard")
        self.rejects('error: no command is called "frobnicate"; `isoshard --help` lists them\n', "frobnicate")

    def test_a_file_in_place_of_a_command(self):
        for name in ("gated.shard", "some.plan", "step.mlir"):
            self.rejects(f'error: no command is called "{name}"; did you mean `isoshard check {name}`?\n', name)

    def test_ops_by_names_that_others_have(self):
        self.rejects(
            'error: no op is called "psum"; here it is `all_reduce`, as in `%y = all_reduce %x {axis=model}`\n',
            "ops", "psum")
        self.rejects('error: no op is called "tahn"; did you mean tanh?\n', "ops", "tahn")
        self.rejects('error: no op is called "frobnicate"; `isoshard ops` lists them\n', "ops", "frobnicate")

    def test_python_is_pointed_at_its_interface(self):
        self.write("prog.py", "import jax\n# it is a program of JAX\n")
        self.rejects(
            "error: prog.py is Python, which no command reads; call isoshard.check in it, with functions of JAX "
            "(docs/python.md), or give the StableHLO texts that they lower to (docs/jax.md)\n", "check", "prog.py")

    def test_no_command(self):
        self.rejects("error: no command is given; `isoshard --help` lists them\n")

    def test_no_file(self):
        self.rejects(
            "error: check needs a FILE|NAME...; `isoshard check --help` explains it\n",
            "check")
        self.rejects("error: sim needs a FILE|NAME; `isoshard sim --help` explains it\n", "sim")
        self.rejects("error: make needs a NAME; `isoshard make --help` explains it\n", "make")

    def test_unknown_option(self):
        self.rejects(
            'error: check does not take "--mehs"; did you mean --mesh?\n',
            "check", "x.shard", "--mehs", "p=2")

        self.rejects(
            'error: sim does not take "--intputs=in.npz"; did you mean --inputs?\n',
            "sim", "x.shard", "--intputs=in.npz")
        self.rejects(
            'error: show does not take "--frobnicate"; `isoshard show --help` lists what it takes\n',
            "show", "x.shard", "--frobnicate")
        self.rejects(
            'error: version does not take "3" here; `isoshard version --help` lists what it takes\n',
            "version", "3")

    def test_option_values(self):
        self.rejects(
            'error: sim --domain: "f16" is not f32, bf16, f64 or ring; did you mean bf16?\n',
            "sim", "x.shard", "--domain", "f16")
        self.rejects(
            'error: sim --domain: "rign" is not f32, bf16, f64 or ring; did you mean ring?\n',
            "sim", "x.shard", "--domain", "rign")
        self.rejects(
            'error: show --color: "blue" is not auto, always or never; `isoshard show --help` explains it\n',
            "show", "x.shard", "--color", "blue")
        self.rejects(
            'error: sim --workers: "-1" is not an integer from 0 to 1024; `isoshard sim --help` explains it\n',
            "sim", "x.shard", "--workers", "-1")
        self.rejects(
            'error: sim --workers: "2.5" is not an integer from 0 to 1024; `isoshard sim --help` explains it\n',
            "sim", "x.shard", "--workers", "2.5")
        for seed in ("many", "18446744073709551616", ""):
            self.rejects(
                f'error: sim --seed: "{seed}" is not an integer from 0 to 18446744073709551615; `isoshard sim --help` '
                "explains it\n",
                "sim", "x.shard", "--seed", seed)

    def test_option_counts(self):
        self.rejects(
            "error: check --seed needs a value, N; `isoshard check --help` explains it\n",
            "check", "x.shard", "--seed")
        self.rejects(
            "error: check --mesh needs a value, AXIS=SIZE,...; `isoshard check --help` explains it\n",
            "check", "x.shard", "--mesh")
        self.rejects(
            "error: check --seed is given 2 times; expected once; `isoshard check --help` explains it\n",
            "check", "x.shard", "--seed", "1", "--seed", "2")
        self.rejects(
            "error: check --json takes no value; `isoshard check --help` explains it\n",
            "check", "x.shard", "--json=3")

    def test_mesh_takes_one_word(self):
        """What follows it is the file, in any order."""
        self.write("p.shard", PROGRAM)
        self.assertEqual(HOLDS, self.run_here("show", "--mesh", "p=4", "--color", "never", "p.shard")[0])
        self.assertEqual(HOLDS, self.run_here("show", "--mesh", "p=4", "p.shard")[0])

    def test_two_files(self):
        self.rejects(
            'error: sim takes one FILE|NAME, given are "a.shard" and "b.shard"; `isoshard sim --help` explains it\n',
            "sim", "a.shard", "b.shard")

    def test_names_of_a_file(self):
        self.write("p.shard", PROGRAM.replace("mesh", "let size = 4\nmesh"))
        self.rejects(
            "error: --mesh q=3: no mesh of the file has the axis `q`; the axes are p [E-axis]\n",
            "show", "p.shard", "--mesh", "q=3")
        self.rejects(
            "error: --mesh size=3: no mesh of the file has the axis `size`; it is a let, which --set sets "
            "and --sweep-set sweeps [E-axis]\n", "show", "p.shard", "--mesh", "size=3")
        self.rejects(
            "error: --set siez=3: the file has no `let siez`; did you mean `size`? [E-set]\n",
            "show", "p.shard", "--set", "siez=3")

    def test_unknown_model(self):
        self.rejects(
            'error: the catalogue has no model "tp_mpl"; did you mean tp_mlp? [C-model]\n',
            "check", "tp_mpl")
        self.rejects("error: no model is called tp_mpl; did you mean tp_mlp?\n", "models", "tp_mpl")
        self.rejects(
            'error: the catalogue has no model "nothing_like_it"; `isoshard models` lists them [C-model]\n',
            "make", "nothing_like_it")

    def test_model_settings(self):
        self.rejects(
            'error: tp_mlp: the model has no axis "modle"; did you mean model? [C-axis]\n',
            "make", "tp_mlp", "--mesh", "modle=2")
        self.rejects(
            "error: tp_mlp: axis `model` has size 0; expected at least 1 and less than 2^31 devices in all "
            "[C-size]\n",
            "make", "tp_mlp", "--mesh", "model=0")
        self.rejects(
            'error: --mesh model=99999999999999999999: "99999999999999999999" is too large; expected a size of at '
            "least 1, as in --mesh model=4\n",
            "make", "tp_mlp", "--mesh", "model=99999999999999999999")
        self.rejects(
            "error: tp_mlp: f = 840 is not divisible by 11, the size of `model`; try f = 836 or 847 [C-divide]\n",
            "make", "tp_mlp", "--mesh", "model=11")
        self.rejects(
            'error: tp_mlp: the model has no setting "dd"; did you mean d? [C-setting]\n',
            "make", "tp_mlp", "--set", "dd=2")
        self.rejects(
            'error: tp_mlp: `d` is "two"; expected an integer from 1 to 1000000 [C-value]\n',
            "make", "tp_mlp", "--set", "d=two")
        self.rejects(
            "error: tp_mlp: setting `d` is given twice; expected once [C-twice]\n",
            "make", "tp_mlp", "--set", "d=2,d=3")
        self.rejects(
            'error: tp_mlp: `activation` is "relu"; did you mean gelu? [C-value]\n',
            "make", "tp_mlp", "--set", "activation=relu")
        self.rejects(
            'error: --set "d": "d" is not NAME=VALUE; expected for example --set d=512\n',
            "make", "tp_mlp", "--set", "d")

    def test_program(self):
        self.write("p.shard", PROGRAM)
        self.rejects(
            "error: p.shard has no program @c; expected one of @a, @b\n",
            "show", "p.shard", "--program", "@c")
        self.rejects(
            "error: p.shard has several programs and no check; choose one of @a, @b with --program\n",
            "sim", "p.shard")


class Files(Case):
    def rejects_file(self, content, message):
        self.write("p.shard", content)
        for command in ("check", "show", "sim"):
            self.rejects(message, command, "p.shard")

    def test_missing(self):
        self.rejects('error: cannot read "none.shard": No such file or directory [P-file]\n', "check", "none.shard")
        self.rejects(
            'error: cannot read "none/none.shard": No such file or directory [P-file]\n',
            "check", "none/none.shard")

    def test_directory(self):
        (self.folder / "d.shard").mkdir()
        self.rejects(
            'error: cannot read "d.shard": it is a directory; expected a .shard file [P-file]\n',
            "check", "d.shard")
        self.rejects('error: cannot read ".": it is a directory; expected a .shard file [P-file]\n', "check", ".")

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become somebody else")
    def test_unreadable(self):
        self.write("p.shard", PROGRAM)
        (self.folder / "p.shard").chmod(0o600)
        self.folder.chmod(0o755)
        with self.as_nobody() as nobody:
            self.rejects('error: cannot read "p.shard": Permission denied [P-file]\n', "check", "p.shard", **nobody)

    def test_empty(self):
        self.rejects_file(
            "",
            "p.shard:1:1: error: the file is empty; expected the first line `isoshard 1` [P-empty]\n")

    def test_only_comments(self):
        self.rejects_file(
            "// nothing\n\n",
            "p.shard:1:1: error: the file is empty; expected the first line `isoshard 1` [P-empty]\n    // "
            "nothing\n    ^\n")

    def test_binary_garbage(self):
        self.rejects_file(
            bytes(range(256)),
            "p.shard:1:1: error: the byte 0x00 is a control character; expected a .shard file, which is UTF-8 text "
            "[P-encoding]\n              \n    ^\n")

    def test_an_executable(self):
        code, out, err = self.run_here("check", "./" + os.path.relpath(BINARY, self.folder))
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("[P-encoding]", err)
        self.assertLess(len(err), 1000)

    def test_nul_bytes(self):
        self.rejects_file(
            "isoshard 1\nlet a = 1\0\n",
            "p.shard:2:10: error: the byte 0x00 is a control character; expected a .shard file, which is UTF-8 text "
            "[P-encoding]\n    let a = 1 \n             ^\n")

    def test_latin1(self):
        self.rejects_file(
            "isoshard 1\nlet a = 1 // gr\xf6\xdfe\n".encode("latin-1"),
            "p.shard:2:16: error: the byte 0xf6 is not UTF-8; expected a .shard file, which is UTF-8 text "
            "[P-encoding]\n    let a = 1 // gr��e\n                   ^\n")

    def test_endless(self):
        self.rejects(
            'error: cannot read "/dev/zero": it is larger than 1 GiB; expected a .shard file [P-file]\n',
            "check", "/dev/zero")

    def test_windows_line_ends_are_fine(self):
        self.write("p.shard", PROGRAM.replace("\n", "\r\n"))
        code, out, err = self.run_here("show", "p.shard")
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertTrue(out.startswith("isoshard 1\n"))

    def test_cut_anywhere(self):
        """A prefix of a good file is bad input or complete, never a crash."""
        for size in range(0, len(PROGRAM), STRIDE):
            self.write("p.shard", PROGRAM[:size])
            with self.subTest(size=size):
                self.assertIn(self.run_here("show", "p.shard")[0], (HOLDS, BAD_INPUT))


if __name__ == "__main__":
    unittest.main(verbosity=2)
