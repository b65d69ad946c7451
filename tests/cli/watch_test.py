#!/usr/bin/python3
"""Long work: the progress line of a terminal, what Ctrl-C leaves known, what is announced before it starts."""

import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest

from isoshard import BINARY, HOLDS, ROOT, Case, ordinary_only, throwaway_counts

HEAD = "isoshard 1\nglobal @x : f32[256, 256] input\n"
DENSE = "program @q {\n  %x = view @x [-, -]\n  return @y = %x [-, -]\n}\n"


def loop(trips, op, name):
    return (f"program @{name} {{\n  %x = view @x [-, -]\n  %y = scan (%c = %x) trips {trips} {{\n    %n = {op}\n"
            "    yield (%n)\n  }\n  return @y = %y [-, -]\n}\n")


# 4000 products of 256 x 256 matrices: minutes in a ring.
PRODUCTS = loop(4000, "dot_general %c, %c {contract=[1]x[0]}", "p")
LONG = HEAD + PRODUCTS + loop(10, "negate %c", "quick") + DENSE + "check @quick == @q\ncheck @p == @q\n"


@ordinary_only
class Interrupt(Case):
    def interrupted(self, *arguments, after=1.0, until=None):
        """(exit code, stdout, stderr) of a command to which Ctrl-C comes, once `until` was printed."""
        with throwaway_counts() as counts, subprocess.Popen(
                [BINARY, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, **counts}) as process:
            out = b""
            while until is not None and until not in out:
                line = process.stdout.readline()
                self.assertNotEqual(b"", line, "it ended before it was interrupted")
                out += line
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            rest, err = process.communicate(timeout=60)
        return process.returncode, (out + rest).decode(), err.decode()

    def test_check_tells_what_is_known(self):
        self.write("p.shard", LONG)
        code, out, err = self.interrupted("check", "p.shard", until=b"EQUAL as formulas")
        self.assertEqual((130, ""), (code, re.sub(r"^note: .*\n", "", err)))
        first, second = out.split("\n\ncheck @p == @q")
        self.assertIn("EQUAL as formulas", first)
        # What rung A said of the first claim is not known of the second one.
        self.assertRegex(second, r"\A  \(p\.shard:\d+:1\)\nINTERRUPTED in [a-zA-Z ]+, after [0-9.]+ m?s\n\Z")

    def test_json(self):
        self.write("p.shard", LONG)
        code, out, _ = self.interrupted("check", "p.shard", "--json", after=2.0)
        report = json.loads(out)
        self.assertEqual((130, 130), (code, report["exit_code"]))
        self.assertEqual(["EQUAL"], [check["verdict"] for check in report["checks"]])
        self.assertEqual("@p == @q", report["interrupted"]["check"])

    def test_sweep_keeps_its_rows(self):
        code, out, err = self.interrupted("check", "tp_mlp", "--sweep", "data=1..100,model=1..8",
                                          until=b"data=1,model=2")
        self.assertEqual((130, ""), (code, err))
        self.assertRegex(out, r"\n  data=1,model=1  +1 +EQUAL")
        self.assertRegex(out.splitlines()[-1], r"\A800 meshes, \d+ checks: \d+ EQUAL; interrupted .* at data=\d+,model=\d, "
                                               r"\d+ of them not decided\Z")

    def test_sim(self):
        self.write("p.shard", HEAD + loop(200_000, "dot_general %c, %c {contract=[1]x[0]}", "p"))  # half a minute and more
        code, out, err = self.interrupted("sim", "p.shard", "--program", "p", "--outputs", "y.npz")
        self.assertEqual((130, ""), (code, out))
        self.assertRegex(err, r"error: interrupted after [0-9.]+ m?s of step 1 of 1; nothing was written\n\Z")
        self.assertFalse((self.folder / "y.npz").exists())

    def test_what_the_caller_ignores_stays_ignored(self):
        """As in a background job of a script."""
        process = subprocess.Popen([BINARY, "check", "tp_mlp", "--sweep", "model=1,2"], stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(HOLDS, process.wait(timeout=60))


@ordinary_only
class Progress(Case):
    def on_terminal(self, *arguments, seconds):
        """What is shown on a terminal of 80 columns until it is interrupted."""
        leader, follower = pty.openpty()
        with subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=follower) as process:
            os.close(follower)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        shown = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:
                break
            shown += part
        os.close(leader)
        return shown.decode()

    def test_one_check(self):
        self.write("p.shard", HEAD + PRODUCTS + DENSE + "check @p == @q\n")
        shown = self.on_terminal("check", "p.shard", seconds=5)
        lines = re.findall(r"\r\x1b\[K([^\r\n]+)", shown)
        self.assertTrue(lines, shown)
        self.assertRegex(lines[-1], r"\Ap\.shard: rung A, \d+ s, about \d+ (s|min|h) left of this run of @p")
        self.assertTrue(all(len(line) < 80 for line in lines), lines)
        self.assertTrue(shown.rstrip("\n").endswith("\r\x1b[K"), shown[-200:])

    def test_quiet(self):
        self.write("p.shard", LONG)
        self.assertEqual("", self.on_terminal("check", "p.shard", "--quiet", seconds=4))

    def test_a_long_run_is_announced(self):
        self.write("p.shard", LONG)
        shown = self.on_terminal("check", "p.shard", seconds=2)
        self.assertRegex(shown, r"note: p\.shard: @p may take about \d+ (s|min|h); smaller sizes")

    def test_a_short_one_is_not(self):
        done = subprocess.run([BINARY, "check", "tp_mlp"], cwd=ROOT, capture_output=True, check=False)
        self.assertEqual((HOLDS, b""), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main(verbosity=2)
