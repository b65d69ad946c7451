"""The package without JAX: files and texts, arrays, errors, signals, the command and the plugin of pytest."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import isoshard

SUM = """isoshard 1
mesh @m [x=2]
global @a : f32[4] input
program @sharded on @m {
  %a = view @a [x]
  %s = reduce %a {dims=[0], op=add, partial={x}}
  %r = all_reduce %s {axis=x, to=I}
  %o = multiply %r, SCALE
  return @y = %o []
}
program @reference {
  %a = view @a [-]
  %o = reduce %a {dims=[0], op=add}
  return @y = %o []
}
check @sharded == @reference
"""
RIGHT, WRONG = SUM.replace("SCALE", "1"), SUM.replace("SCALE", "2")


def test_equal_text():
    report = isoshard.check(RIGHT)
    assert report and report.verdict is isoshard.Verdict.EQUAL and report.verdict == "EQUAL"
    assert report.exit_code == 0 and report.counterexample == {} and report.seconds > 0
    assert report.outputs == [isoshard.Output("y", "f32[]", isoshard.Verdict.EQUAL, "")]
    assert str(report).endswith(report.headline) and "check @sharded == @reference" in report.text
    assert "rung A" in report.explain()
    assert json.loads(report.json)["exit_code"] == 0
    assert repr(report).startswith("<isoshard.Report EQUAL as formulas")
    assert "green" in report._repr_html_()


def test_wrong_text_has_a_counterexample():
    report = isoshard.check(WRONG)
    assert not report and report.verdict is isoshard.Verdict.NOT_EQUAL
    assert "expected" in report.outputs[0].message and "firebrick" in report._repr_html_()
    a = report.counterexample["a"]
    assert a.dtype == np.float32 and a.shape == (4,)
    sharded = isoshard.simulate(WRONG, inputs=report.counterexample, which="sharded")["y"]
    reference = isoshard.simulate(WRONG, inputs=report.counterexample, which="reference")["y"]
    assert sharded == pytest.approx(2 * reference)


def test_not_refuted_is_not_true(root):
    reports = isoshard.check_all(root / "tests/files/check/defined.shard")
    assert {bool(r) for r in reports if r.verdict is isoshard.Verdict.NOT_REFUTED} == {False}
    assert any(reports)


def test_files(root, cases):
    assert isoshard.check(root / "examples/tp_mlp.shard", mesh={"data": 3, "model": 2})
    folder = cases / "wrong_tp_grad_factor"
    report = isoshard.check(str(folder / "sharded.mlir"), str(folder / "reference.mlir"))
    assert report.verdict == "NOT EQUAL" and "4x" in report.headline
    assert not report.warnings
    texts = [(folder / name).read_text() for name in ("sharded.mlir", "reference.mlir")]
    assert "4x" in isoshard.check(*texts).headline


def test_the_older_form_needs_a_mesh(cases):
    texts = [cases / "ring_all_reduce" / f"{name}.jax0435.mlir" for name in ("sharded", "reference")]
    assert isoshard.check(*texts, mesh={"model": 4})
    with pytest.raises(isoshard.InputError):
        isoshard.check(*texts)


def test_models_take_settings():
    assert isoshard.check("tp_dense", settings={"mode": "scatter"}, mesh={"model": 2})
    with pytest.raises(isoshard.InputError, match="mood"):
        isoshard.check("tp_dense", settings={"mood": "scatter"})
    with pytest.raises(isoshard.InputError, match="settings"):
        isoshard.check("a.mlir", "b.mlir", settings={"d": 1})


def test_several_claims():
    twice = RIGHT + "check @reference == @sharded\n"
    with pytest.raises(isoshard.InputError, match="there are 2 claims"):
        isoshard.check(twice)
    assert isoshard.check(twice, claim=1)
    assert [bool(report) for report in isoshard.check_all(twice)] == [True, True]
    with pytest.raises(isoshard.InputError, match="no claim 2"):
        isoshard.check(twice, claim=2)


def test_errors_say_where():
    with pytest.raises(isoshard.InputError, match=r"^sharded:3:13: error: ") as error:
        isoshard.check("isoshard 1\nmesh @m [x=2]\nglobal @a : f99[4] input\n")
    (found,) = error.value.findings
    assert (found.file, found.line, found.column, found.is_error) == ("sharded", 3, 13, True)
    assert found.rule and found.message in found.text
    with pytest.raises(isoshard.InputError, match="no/such.mlir"):
        isoshard.check("no/such.mlir", "no/other.mlir")
    with pytest.raises(isoshard.InputError, match="no claim"):
        isoshard.check("module {}\n", mesh={}, kwargs={"x": 1})
    with pytest.raises(TypeError, match="int is no program"):
        isoshard.check(1)
    with pytest.raises(TypeError, match="sizes by axis"):
        isoshard.check(RIGHT, mesh=4)


def test_simulate():
    assert isoshard.simulate(WRONG, np.float32([1, 2, 3, 4]))["y"] == 20
    assert isoshard.simulate(WRONG, inputs={"a": [np.float32(1)] * 4})["y"] == 8
    assert isoshard.simulate(WRONG, np.float32([1, 2, 3, 4]), f64=True)["y"].dtype == np.float64
    assert isoshard.simulate(WRONG)["y"].shape == ()
    with pytest.raises(isoshard.InputError, match="I-type"):
        isoshard.simulate(WRONG, np.float32([1, 2, 3]))
    with pytest.raises(isoshard.InputError, match="given twice"):
        isoshard.simulate(WRONG, np.float32([1, 2, 3, 4]), inputs={"a": 1})
    with pytest.raises(isoshard.InputError, match="2 arrays for 1 globals"):
        isoshard.simulate(WRONG, 1, 2)
    with pytest.raises(TypeError, match="complex64"):
        isoshard.simulate(WRONG, np.complex64([1, 2, 3, 4]))


def test_dlpack_in_and_out():
    class Foreign:
        """An array of another library."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    y = isoshard.simulate(WRONG, Foreign(np.float32([1, 2, 3, 4])))["y"]
    assert np.from_dlpack(y) == 20


def test_big_endian_and_strided_arrays():
    a = np.arange(1, 9, dtype=">f4")[::2]
    assert isoshard.simulate(WRONG, a)["y"] == 2 * (1 + 3 + 5 + 7)


def test_progress_is_told_and_may_raise():
    parts = []
    assert isoshard.check(RIGHT, progress=parts.append)
    assert "rung A" in parts

    def stop(part):
        raise LookupError(part)

    with pytest.raises(LookupError, match="deadlock and race"):
        isoshard.check(RIGHT, progress=stop)


def test_control_c_stops(root):
    taken = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"  # what a shell starts behind & ignores it
    runs = f"isoshard.simulate({str(root / 'examples/sgd_step.shard')!r}, steps=10**6)"
    program = f"{taken}\nimport isoshard\nprint('go', flush=True)\n{runs}"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "go\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode != 0 and "KeyboardInterrupt" in errors, errors


def test_assert_equivalent():
    assert isoshard.assert_equivalent(RIGHT).verdict == "EQUAL"
    with pytest.raises(AssertionError, match="NOT EQUAL") as error:
        isoshard.assert_equivalent(WRONG)
    assert error.value.report.verdict == "NOT EQUAL"


def test_a_failure_in_pytest_is_the_report(tmp_path):
    file = tmp_path / "test_of_a_user.py"
    file.write_text(f"import isoshard\ndef test_it():\n    isoshard.assert_equivalent({WRONG!r})\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(file)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1, done.stdout
    assert f"{file}:3: not equivalent" in done.stdout and "NOT EQUAL: " in done.stdout
    assert "_checks.py" not in done.stdout and "Traceback" not in done.stdout


def test_the_command_comes_along():
    command = pathlib.Path(sys.executable).parent / "isoshard"
    printed = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed.startswith(f"isoshard {isoshard.__version__},")
    assert subprocess.run([command, "check", "no/such.shard"], capture_output=True).returncode == 2


def test_jax_is_not_imported():
    program = "import sys, isoshard; isoshard.check('tp_dense'); assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


def test_it_is_typed():
    folder = pathlib.Path(isoshard.__file__).parent
    assert (folder / "py.typed").is_file() and (folder / "_core.pyi").is_file()
