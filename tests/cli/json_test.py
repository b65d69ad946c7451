#!/usr/bin/python3
"""A module as JSON: `show --json` writes it, and no command takes it for a program."""

import json
import unittest

from isoshard import BAD_INPUT, HOLDS, Case, run

REFUSED = ("a .json file is no program: `isoshard show --json` writes JSON and nothing reads it; expected the .shard "
           "file that it was made from, or what `isoshard show` prints without --json")


class Json(Case):
    def show(self, name, *arguments):
        """What `show --json` prints, which is written to `name` as well."""
        code, out, err = run("show", "--json", *arguments)
        self.assertEqual((HOLDS, ""), (code, err))
        self.write(name, out)
        return json.loads(out)

    def test_a_file(self):
        module = self.show("m.json", "examples/tp_mlp.shard")
        self.assertEqual([1, "module"], [module["isoshard"], module["kind"]])
        self.assertEqual(["m"], [mesh["name"] for mesh in module["meshes"]])
        check = module["checks"][0]
        self.assertEqual("examples/tp_mlp.shard", check["location"].split(":")[0])
        for side in ("left", "right"):
            self.assertEqual("program", module["programs"][check[side]]["kind"])

    def test_a_mesh_of_its_own(self):
        module = self.show("m.json", "tp_mlp", "--mesh", "data=1,model=3")
        self.assertEqual([{"name": "data", "size": 1}, {"name": "model", "size": 3}], module["meshes"][0]["axes"])

    def test_state_errors(self):
        """A program with wrong states is shown, with the errors at its ops."""
        module = self.show("m.json", "examples/wrong/missing_all_reduce.shard")
        errors = [(op["op"], [error["rule"] for error in op["state_errors"]])
                  for program in module["programs"] for op in program["body"]["ops"] if "state_errors" in op]
        self.assertEqual([("add", ["S-linear"])], errors)

    def test_one_program(self):
        """Programs that it does not call are null; indices stay as they are."""
        module = self.show("all.json", "examples/tp_mlp.shard")
        left = module["checks"][0]["left"]
        name = module["programs"][left]["name"]
        one = self.show("one.json", "examples/tp_mlp.shard", "--program", name)
        self.assertEqual(module["programs"][left], one["programs"][left])
        self.assertIsNone(one["programs"][module["checks"][0]["right"]])
        self.assertEqual([], one["checks"])

    def test_no_command_reads_it(self):
        self.show("m.json", "examples/tp_mlp.shard")
        self.show("plan.json", "examples/tp_mlp.shard", "--plan")
        for command in (["check"], ["sim"], ["sim", "--memory"], ["show"], ["check", "--mesh", "model=8"],
                        ["check", "--set", "d=8"], ["check", "--sweep", "model=1..3"]):
            for name in ("m.json", "plan.json"):
                with self.subTest(command=command, name=name):
                    self.rejects(f"{name}:1:1: error: {REFUSED} [P-json]\n    {{\n    ^\n", *command, name)
        self.write("empty.json", "")
        self.rejects(f"empty.json:1:1: error: {REFUSED} [P-json]\n", "check", "empty.json")
        self.rejects("error: cannot read \"none.json\": No such file or directory [P-file]\n", "check", "none.json")

    def test_the_right_twin_is_read(self):
        """What the message tells to use instead."""
        code, out, err = run("show", "examples/tp_mlp.shard")
        self.assertEqual((HOLDS, ""), (code, err))
        self.write("m.shard", out)
        code, out, err = self.run_here("check", "m.shard")
        self.assertEqual((HOLDS, ""), (code, err))

    def test_the_refusal_as_json(self):
        self.show("m.json", "examples/tp_mlp.shard")
        code, out, _ = self.run_here("check", "m.json", "--json")
        self.assertEqual(BAD_INPUT, code)
        self.assertEqual([("error", "P-json", REFUSED)],
                         [(d["severity"], d["rule"], d["message"]) for d in json.loads(out)["diagnostics"]])

    def test_formatting_is_refused(self):
        self.show("m.json", "examples/tp_mlp.shard")
        before = (self.folder / "m.json").read_bytes()
        self.rejects("error: \"m.json\" is JSON, which `isoshard show --json` writes in one form; fmt takes .shard "
                     "files\n", "fmt", "m.json")
        self.assertEqual(before, (self.folder / "m.json").read_bytes())


if __name__ == "__main__":
    unittest.main()
