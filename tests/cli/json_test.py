#!/usr/bin/python3
"""A module as JSON: `show --json` writes it and every command that takes a file takes it, by its suffix."""

import json
import unittest

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, Case, run


class Json(Case):
    def show(self, path, name, *options):
        code, out, err = run("show", "--json", path, *options)
        self.assertEqual((HOLDS, ""), (code, err))
        return self.write(name, out)

    def verdict(self, *arguments, **options):
        """The exit code of `check` and what it says, without times and excerpts of the source, which JSON lacks."""
        code, out, err = run("check", "--json", *arguments, **options)
        self.assertEqual("", err)
        def without(fields):
            return {key: value for key, value in fields.items() if key not in ("seconds", "input")}
        return code, json.loads(out, object_hook=without)["checks"]

    def test_same_verdicts(self):
        """Right and wrong examples: the same exit code and report, with the places in the .shard file."""
        for path, expected in (("examples/tp_mlp.shard", HOLDS), ("examples/scan_layers.shard", HOLDS),
                               ("examples/wrong/missing_all_reduce.shard", DOES_NOT_HOLD)):
            with self.subTest(path=path):
                name = self.show(path, "m.json")
                code, checks = self.verdict(path)
                self.assertEqual(expected, code)
                self.assertEqual((code, checks), self.verdict(name, cwd=self.folder))

    def test_not_equal(self):
        self.show("examples/wrong/missing_all_reduce.shard", "wrong.json")
        code, out, err = self.run_here("check", "wrong.json")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertIn("@y f32[24,20]  NOT EQUAL", out)
        self.assertIn("error: add: %p (P) and %e (I) do not combine over `model`", out)

    def test_show_and_sim(self):
        """The JSON of a model on a mesh of its own is shown as the model is, and simulates to the same numbers."""
        mesh = ("--mesh", "data=1,model=3")
        self.show("tp_mlp", "m.json", *mesh)
        for options in (["show"], ["show", "--types"], ["show", "--plan"], ["show", "--json"]):
            with self.subTest(options=options):
                self.assertEqual(run(*options, "tp_mlp", *mesh), self.run_here(*options, "m.json"))
        model, module = run("sim", "--json", "tp_mlp", *mesh), self.run_here("sim", "--json", "m.json")
        self.assertEqual((HOLDS, HOLDS), (model[0], module[0]))
        self.assertEqual(json.loads(model[1])["outputs"], json.loads(module[1])["outputs"])

    def test_sizes_are_fixed(self):
        self.show("examples/tp_mlp.shard", "m.json")
        message = ("error: --mesh does not apply to \"m.json\": a JSON module is elaborated and its sizes are fixed; "
                   "elaborate the .shard file anew, as in `isoshard show --json FILE.shard --mesh ...` [E-option]\n")
        self.rejects(message, "check", "m.json", "--mesh", "model=8")
        self.rejects(message, "check", "m.json", "--sweep", "model=1..3")

    def test_errors_have_places(self):
        self.show("examples/tp_mlp.shard", "m.json")
        text = (self.folder / "m.json").read_text().replace('"op": "all_reduce"', '"op": "all_redcue"', 1)
        self.write("m.json", text)
        line = text[:text.index("all_redcue")].count("\n") + 1
        self.rejects(f"m.json:{line}:19: error: there is no op \"all_redcue\"; did you mean `all_reduce`? [E-op]\n"
                     "                \"op\": \"all_redcue\",\n                      ^^^^^^^^^^^^\n", "check", "m.json")
        self.rejects("error: cannot read \"none.json\": No such file or directory [P-file]\n", "check", "none.json")

    def test_formatting_is_refused(self):
        self.show("examples/tp_mlp.shard", "m.json")
        before = (self.folder / "m.json").read_bytes()
        self.rejects("error: \"m.json\" is JSON, which `isoshard show --json` writes in one form; fmt takes .shard "
                     "files\n", "fmt", "m.json")
        self.assertEqual(before, (self.folder / "m.json").read_bytes())

    def test_plans_are_only_written(self):
        self.show("examples/tp_mlp.shard", "plan.json", "--plan")
        code, _, err = self.run_here("check", "plan.json")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn("plan.json:1:1: error: `kind` is missing; expected \"module\"", err)


if __name__ == "__main__":
    unittest.main()
