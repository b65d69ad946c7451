#!/usr/bin/python3
"""`isoshard sim` with arrays that do not fit: the exact message, exit code 2, and no output file."""

import io
import json
import os
import struct
import subprocess
import unittest
import zipfile

from isoshard import BAD_INPUT, BINARY, HOLDS, STRIDE, Case, throwaway_counts

PROGRAM = """isoshard 1
global @x : f32[2, 3] input
global @w : f32[3]    param
program @p {
  %x = view @x [-, -]
  %w = view @w [-]
  %y = dot_general %x, %w {contract=[1]x[0]}
  return @y = %y [-]
}
"""

KEYS = """isoshard 1
global @key : key[] key
program @p {
  %key = view @key []
  %new = rng_fold_in %key, 0
  update @key = %new []
}
"""

SMALL = """isoshard 1
global @a : i8[2]  input
global @b : u8[2]  input in 0..200
global @c : u64[2] input
program @p {
  %a = view @a [-]
  %b = view @b [-]
  %c = view @c [-]
  %x = add %a, 1
  %y = add %b, 100
  %z = multiply %c, 3
  return @x = %x [-]
  return @y = %y [-]
  return @z = %z [-]
}
"""

WORDS = """isoshard 1
global @c : u64[2] input in 0..1000
program @p {
  %c = view @c [-]
  return @c = %c [-]
}
"""

IDS = """isoshard 1
global @ids : i32[2, 2] input in 0..8, -1
global @t : i32[] state in 0..8
program @p {
  %ids = view @ids [-, -]
  %t = view @t []
  %new = add %t, 1
  update @t = %new []
  return @y = %ids [-, -]
}
"""


def npy(shape, descr="<f4", data=None):
    """The bytes of a .npy file, version 1.0."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    count = 1
    for size in shape:
        count *= size
    if data is None:
        data = struct.pack(f"<{count}f", *range(count)) if descr == "<f4" else bytes(count * int(descr[-1]))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def npz(**members):
    """The bytes of an archive of .npy files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name + ".npy", content)
    return out.getvalue()


DTYPES = ("|b1 (pred), |i1 (i8), |u1 (u8), <i4 (i32), <u4 (u32), <i8 (i64), <u8 (u64), |V1 (f8e4m3), |V1 (f8e5m2), "
          "|V2 (bf16), <f2 (f16), <f4 (f32), <f8 (f64), <u8 (key) [N-dtype]")
GOOD = npz(x=npy((2, 3)), w=npy((3,)))


class NpzInput(Case):
    def setUp(self):
        super().setUp()
        self.write("p.shard", PROGRAM)

    def rejects_archive(self, content, message):
        self.write("in.npz", content)
        self.rejects(f"error: in.npz: {message}\n", "sim", "p.shard", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertFalse((self.folder / "out.npz").exists())

    def test_good(self):
        """What the others break is accepted, and gives x w."""
        self.write("in.npz", GOOD)
        code, _, err = self.run_here("sim", "p.shard", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        with zipfile.ZipFile(self.folder / "out.npz") as archive:
            self.assertEqual(["y.npy"], archive.namelist())
            self.assertEqual((5.0, 14.0), struct.unpack("<2f", archive.read("y.npy")[-8:]))

    def test_keys(self):
        """A key is a u64, the first word in the low half, or as in JAX two u32: fold_in(PRNGKey(42), 0)."""
        self.write("keys.shard", KEYS)
        as_words = npy((2,), "<u4", struct.pack("<2I", 0, 42))
        as_key = npy((), "<u8", struct.pack("<2I", 0, 42))
        for key in (as_words, as_key):
            self.write("in.npz", npz(key=key))
            code, _, err = self.run_here("sim", "keys.shard", "--inputs", "in.npz", "--outputs", "out.npz")
            self.assertEqual((HOLDS, ""), (code, err))
            with zipfile.ZipFile(self.folder / "out.npz") as archive:
                self.assertEqual((1832780943, 270669613), struct.unpack("<2I", archive.read("key.npy")[-8:]))
        self.write("in.npz", npz(key=npy((3,), "<u4", struct.pack("<3I", 0, 42, 1))))
        self.rejects('error: in.npz: the array "key" is u32[3]; expected key[], the type of global @key [I-type]\n',
                     "sim", "keys.shard", "--inputs", "in.npz")
        code, out, _ = self.run_here("sim", "keys.shard", "--json")
        self.assertIsInstance(json.loads(out)["outputs"][0]["values"][0], int)

    def test_small_integers_and_u64(self):
        """Both ways; an array of another dtype is none of them, though it has as many bytes."""
        self.write("small.shard", SMALL)
        good = {"a": npy((2,), "|i1", struct.pack("<2b", 127, -1)), "b": npy((2,), "|u1", bytes((155, 156))),
                "c": npy((2,), "<u8", struct.pack("<2Q", (1 << 64) - 1, 1 << 63))}
        self.write("in.npz", npz(**good))
        code, _, err = self.run_here("sim", "small.shard", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        with zipfile.ZipFile(self.folder / "out.npz") as archive:
            for name, descr, form, expected in (("x", b"'|i1'", "<2b", (-128, 0)), ("y", b"'|u1'", "<2B", (255, 0)),
                                                ("z", b"'<u8'", "<2Q", ((1 << 64) - 3, 1 << 63))):
                content = archive.read(name + ".npy")
                self.assertIn(descr, content)
                self.assertEqual(expected, struct.unpack(form, content[-struct.calcsize(form):]))
        code, out, _ = self.run_here("sim", "small.shard", "--inputs", "in.npz", "--json")
        self.assertEqual([(1 << 64) - 3, 1 << 63], json.loads(out)["outputs"][2]["values"])
        for name, descr, dtype, wanted in (("a", "|u1", "u8", "i8"), ("b", "|i1", "i8", "u8"),
                                           ("b", "|b1", "pred", "u8"), ("c", "<i8", "i64", "u64"),
                                           ("c", "<u4", "u32", "u64")):
            self.write("in.npz", npz(**{**good, name: npy((2,), descr)}))
            self.rejects(f'error: in.npz: the array "{name}" is {dtype}[2]; expected {wanted}[2], the type of global '
                         f"@{name} [I-type]\n", "sim", "small.shard", "--inputs", "in.npz")

    def test_u64_outside_of_the_range(self):
        self.write("words.shard", WORDS)
        self.write("in.npz", npz(c=npy((2,), "<u8", struct.pack("<2Q", 5, (1 << 64) - 1))))
        code, _, err = self.run_here("sim", "words.shard", "--inputs", "in.npz")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn('the array "c" has 18446744073709551615 at [1]; expected integers in 0..1000', err)

    def test_missing_name(self):
        self.rejects_archive(
            npz(w=npy((3,))),
            'has no array "x" for the input global @x : f32[2,3]; it has w (leave --inputs out to draw everything) '
            "[I-missing]")

    def test_outside_of_the_range(self):
        self.write("ids.shard", IDS)
        for numbers, message in (((0, 7, -1, 3), None), ((0, 1, 2, 8), "8 at [1, 1]"), ((-2, 1, 9, 3), "-2 at [0, 0]")):
            self.write("in.npz", npz(ids=npy((2, 2), "<i4", struct.pack("<4i", *numbers)),
                                     t=npy((), "<i4", struct.pack("<i", 6))))
            code, _, err = self.run_here("sim", "ids.shard", "--inputs", "in.npz", "--steps", "3")
            if message is None:
                self.assertEqual(HOLDS, code)
                self.assertIn('ids.shard:3:8: warning: updated @t has 8 at [] after step 2; expected integers in 0..8 '
                              'at the start of every step [I-range]', err)
            else:
                self.assertEqual(BAD_INPUT, code)
                self.assertIn(f'ids.shard:2:8: error: in.npz: the array "ids" has {message}; expected integers in '
                              '0..8, -1, the range of global @ids [I-range]', err)

    def test_unknown_name(self):
        self.rejects_archive(
            npz(x=npy((2, 3)), w=npy((3,)), ww=npy((3,))),
            'the array "ww" is no global of the program; did you mean "w"? [I-unknown]')

    def test_wrong_dtype(self):
        self.rejects_archive(
            npz(x=npy((2, 3), "<f8"), w=npy((3,))),
            'the array "x" is f64[2,3]; expected f32[2,3], the type of global @x [I-type]')

    def test_unsupported_dtype(self):
        self.rejects_archive(
            npz(x=npy((2, 3), "<c8"), w=npy((3,))),
            'array "x" has dtype "<c8" (complex; store x.real and x.imag); expected one of ' +
            DTYPES)

    def test_big_endian(self):
        self.rejects_archive(
            npz(x=npy((2, 3), ">f4"), w=npy((3,))),
            'array "x" has dtype ">f4" (big-endian; convert with x.astype(\'<f4\')); expected one of ' + DTYPES)

    def test_object_array(self):
        self.rejects_archive(
            npz(x=npy((2, 3), "|O", data=b""), w=npy((3,))),
            'array "x" has dtype "|O" (Python objects; build it with a dtype); expected one of ' + DTYPES)

    def test_fortran_order(self):
        """[[0, 1, 2], [3, 4, 5]] column by column gives the same x w."""
        x = npy((2, 3), data=struct.pack("<6f", 0, 3, 1, 4, 2, 5)).replace(b"False,", b"True ,")
        self.write("in.npz", npz(x=x, w=npy((3,))))
        code, _, err = self.run_here("sim", "p.shard", "--inputs", "in.npz", "--outputs", "out.npz")
        self.assertEqual((HOLDS, ""), (code, err))
        with zipfile.ZipFile(self.folder / "out.npz") as archive:
            self.assertEqual((5.0, 14.0), struct.unpack("<2f", archive.read("y.npy")[-8:]))

    def test_bomb(self):
        """64 MiB of zeros in 64 KiB: refused before anything is inflated."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            archive.writestr("x.npy", npy((4096, 4096), data=bytes(1 << 26)))
        self.write("in.npz", out.getvalue())
        code, _, err = self.run_here("sim", "p.shard", "--inputs", "in.npz")
        self.assertEqual(BAD_INPUT, code)
        self.assertRegex(err, r'\Aerror: in\.npz: array "x" would inflate \d+ bytes to 67108992, 1000 times or more, '
                              r"which is refused; store it with numpy\.savez if this is meant \[N-inflate\]\n\Z")

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become somebody else")
    def test_unreadable(self):
        self.write("in.npz", GOOD)
        (self.folder / "in.npz").chmod(0o600)
        self.folder.chmod(0o755)
        with self.as_nobody() as nobody:
            self.rejects(
                "error: in.npz: cannot be opened (Permission denied); expected an archive written by numpy.savez [N-open]\n",
                "sim", "p.shard", "--inputs", "in.npz", **nobody)
            self.rejects(
                "error: out.npz: cannot be written (Permission denied) [N-write]\n",
                "sim", "p.shard", "--outputs", "out.npz", **nobody)

    def test_wrong_shape(self):
        self.rejects_archive(
            npz(x=npy((3, 2)), w=npy((3,))),
            'the array "x" is f32[3,2]; expected f32[2,3], the type of global @x [I-type]')

    def test_truncated_anywhere(self):
        """Every prefix of a good archive is rejected by name, none crashes."""
        for size in range(0, len(GOOD), STRIDE):
            self.write("in.npz", GOOD[:size])
            code, out, err = self.run_here("sim", "p.shard", "--inputs", "in.npz")
            with self.subTest(size=size):
                self.assertEqual((BAD_INPUT, ""), (code, out))
                self.assertRegex(err, r"\Aerror: in\.npz: .* \[N-(magic|truncated|archive)\]\n\Z")

    def test_truncated(self):
        self.rejects_archive(
            GOOD[: len(GOOD) // 2],
            "is truncated: it starts as a .npz archive, but the list of arrays at its end is missing [N-truncated]")

    def test_not_an_archive(self):
        self.rejects_archive(
            b"hello, world\n",
            'is not a .npz archive (it starts with "hello, w"); expected an archive written by numpy.savez [N-magic]')

    def test_empty(self):
        self.rejects_archive(b"", "is empty; expected an archive written by numpy.savez [N-magic]")

    def test_single_array(self):
        self.rejects_archive(
            npy((2, 3)),
            "is a single .npy array; expected an archive written by numpy.savez, as in numpy.savez(path, "
            "name=array) [N-magic]")

    def test_data_too_short(self):
        self.rejects_archive(
            npz(x=npy((2, 3), data=b"1234"), w=npy((3,))),
            'array "x" holds 4 bytes of data; expected 24 for f32[2,3]: it is truncated [N-size]')

    def test_missing_file(self):
        self.rejects(
            "error: none.npz: cannot be opened (No such file or directory); expected an archive written by "
            "numpy.savez [N-open]\n",
            "sim", "p.shard", "--inputs", "none.npz", "--outputs", "out.npz")

    def test_directory(self):
        (self.folder / "d.npz").mkdir()
        self.rejects(
            "error: d.npz: is a directory; expected an archive written by numpy.savez [N-open]\n",
            "sim", "p.shard", "--inputs", "d.npz")


class NpzOutput(Case):
    def setUp(self):
        super().setUp()
        self.write("p.shard", PROGRAM)

    def test_folder_that_does_not_exist(self):
        self.rejects(
            "error: none/out.npz: cannot be written (No such file or directory) [N-write]\n",
            "sim", "p.shard", "--outputs", "none/out.npz")

    def test_directory(self):
        (self.folder / "d.npz").mkdir()
        self.rejects(
            "error: d.npz: cannot be written (Is a directory) [N-write]\n",
            "sim", "p.shard", "--outputs", "d.npz")
        self.assertEqual([], os.listdir(self.folder / "d.npz"))

    def test_full_device(self):
        self.rejects(
            "error: /dev/full: cannot be written (No space left on device) [N-write]\n",
            "sim", "p.shard", "--outputs", "/dev/full")

    def test_full_disk_leaves_the_old_file(self):
        """Past a file size limit the write fails; what was there before is untouched, and no half file lies about."""
        self.write("out.npz", "old")
        with throwaway_counts() as counts:
            code, _, err = self.run_here("sim", "p.shard", "--outputs", "out.npz", prefix=("prlimit", "--fsize=64"),
                                         env=counts)
        self.assertEqual(BAD_INPUT, code)
        self.assertEqual("error: out.npz: cannot be written (File too large) [N-write]\n", err)
        self.assertEqual(b"old", (self.folder / "out.npz").read_bytes())
        self.assertEqual(["out.npz", "p.shard"], sorted(os.listdir(self.folder)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
