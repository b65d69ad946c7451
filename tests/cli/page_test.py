#!/usr/bin/python3
"""Pages and pictures of the command line: well-formed, complete, for themselves, never half-written."""

import json
import os
import re
import unittest
import xml.etree.ElementTree

from isoshard import BAD_INPUT, DOES_NOT_HOLD, HOLDS, ROOT, Case, ordinary_only, run

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
PIPELINE = "examples/pipeline_1f1b.shard"


def tree(text):
    return xml.etree.ElementTree.fromstring(text)


def words(element):
    return "".join(element.itertext())


class Pages(Case):
    def page(self, *arguments):
        code, out, err = run("show", "--html", *arguments)
        self.assertEqual((HOLDS, ""), (code, err))
        return out

    def test_every_example_is_a_page_of_its_own(self):
        for path in sorted((ROOT / "examples").glob("*.shard")) + sorted((ROOT / "examples/plans").glob("*.plan")):
            with self.subTest(path.name):
                text = self.page(path.relative_to(ROOT))
                page = tree(text)
                self.assertLess(len(text), 5_000_000)
                links = [e.get(name) for e in page.iter() for name in ("src", "href") if e.get(name)]
                self.assertEqual([], [link for link in links if not link.startswith("#")], "asks for nothing")
                self.assertNotRegex(text, r"url\(|@import|fetch\(|XMLHttpRequest")
                ids = [e.get("id") for e in page.iter() if e.get("id")]
                self.assertEqual(len(ids), len(set(ids)))
                data = json.loads(page.find(f".//{XHTML}script[@id='isoshard-data']").text)
                self.assertEqual(len(data), len(page.findall(f".//{XHTML}section")))

    def test_values_are_those_of_the_program(self):
        page = tree(self.page("examples/tp_mlp.shard"))
        _, text, _ = run("show", "examples/tp_mlp.shard", "--json")
        made = [v["name"] for p in json.loads(text)["programs"] for op in p["body"]["ops"] for v in op["results"]]
        rows = page.findall(f".//{XHTML}tr[@data-i]")
        shown = [words(row.find(f"{XHTML}th")) for row in rows]
        self.assertEqual(["%" + name for name in made], [name for name in shown if name[0] == "%"])
        self.assertEqual(["@y", "@y"], [name for name in shown if name[0] == "@"])
        row = rows[shown.index("%p")]
        self.assertEqual(["V", "P"], [words(b) for b in row.iter(f"{XHTML}b")])

    def test_names_that_would_break_a_page(self):
        self.write('a<b>"&.shard', (ROOT / "examples/tp_mlp.shard").read_text())
        code, out, err = self.run_here("show", "--html", './a<b>"&.shard')
        self.assertEqual((HOLDS, ""), (code, err))
        self.assertEqual('./a<b>"&.shard', words(tree(out).find(f".//{XHTML}h1")))

    def test_check_shows_the_first_wrong_value(self):
        code, out, err = run("check", "examples/wrong/missing_all_reduce.shard", "--html", self.folder / "a.html")
        self.assertEqual((DOES_NOT_HOLD, ""), (code, err))
        self.assertIn("NOT EQUAL", out)
        page = tree((self.folder / "a.html").read_text())
        wrong = [e for e in page.iter(f"{XHTML}tr") if "wrong" in e.get("class", "").split()]
        self.assertEqual(["%y"], [words(row.find(f"{XHTML}th")) for row in wrong])
        link = page.find(f".//{XHTML}section[@class='claim']/{XHTML}p/{XHTML}a")
        self.assertEqual("#" + wrong[0].get("id"), link.get("href"))
        near = [words(e.find(f"{XHTML}th")) for e in page.iter(f"{XHTML}tr") if "near" in e.get("class", "").split()]
        self.assertEqual(["%e", "%p", "@y"], near)

    @ordinary_only
    def test_every_wrong_program_has_one_wrong_value(self):
        wrong = sorted((ROOT / "examples/wrong").glob("*.shard")) + sorted((ROOT / "tests/zoo").glob("*/wrong.shard"))
        self.assertGreater(len(wrong), 50)
        for path in wrong:
            with self.subTest(path.relative_to(ROOT)):
                code, _, _ = run("check", path.relative_to(ROOT), "--html", self.folder / "a.html")
                self.assertEqual(DOES_NOT_HOLD, code)
                text = (self.folder / "a.html").read_text()
                claims = tree(text).findall(f".//{XHTML}section[@class='claim']")
                failing = [c for c in claims if "fails" in c.find(f"{XHTML}a").get("class")]
                self.assertEqual(len(failing), text.count('class="value wrong"'))

    def test_a_right_program_has_no_wrong_value(self):
        code, _, _ = run("check", "examples/tp_mlp.shard", "--html", self.folder / "a.html")
        self.assertEqual(HOLDS, code)
        text = (self.folder / "a.html").read_text()
        self.assertIn("EQUAL as formulas", text)
        self.assertNotRegex(text, r'class="value (wrong|near)"')

    def test_deadlocks_of_plans_are_on_the_page(self):
        code, _, _ = run("check", "examples/plans/wrong/crossing_sends.plan", "--html", self.folder / "a.html")
        self.assertEqual(DOES_NOT_HOLD, code)
        self.assertIn("DEADLOCK", words(tree((self.folder / "a.html").read_text()).find(f".//{XHTML}section")))

    def test_what_is_refused(self):
        self.write("a.shard", "isoshard 1\nprogram @p {\n")
        code, out, err = self.run_here("show", "--html", "a.shard", "-o", "a.html")
        self.assertEqual((BAD_INPUT, ""), (code, out))
        self.assertIn("a.shard:", err)
        self.assertFalse((self.folder / "a.html").exists())
        for options in (("--html", "--plan"), ("--svg", "--json"), ("--html", "--svg"), ("--grid", "--types")):
            code, _, err = run("show", "tp_mlp", *options)
            self.assertEqual(BAD_INPUT, code)
            self.assertIn("excludes", err)
        code, _, err = run("check", "tp_mlp", "--sweep", "model=1..2", "--html", self.folder / "a.html")
        self.assertEqual((BAD_INPUT, "error: check --html is a page of one mesh and --sweep checks many; leave one of "
                          "them out\n"), (code, err))
        self.rejects('error: --grid: @tp_mlp has no `pipeline`, whose schedule would be shown; `show --svg` and `show '
                     '--html` draw queues of any program\n', "show", "--grid", "tp_mlp")
        code, _, err = self.run_here("show", "--html", "tp_mlp", "-o", "no/such/folder.html")
        self.assertEqual(BAD_INPUT, code)
        self.assertIn('cannot write "no/such/folder.html"', err)

    def test_output_files(self):
        for options in ((), ("--plan",), ("--types",), ("--json",), ("--html",), ("--svg",)):
            code, out, err = self.run_here("show", "tp_mlp", *options)
            self.assertEqual((HOLDS, ""), (code, err))
            self.assertEqual((HOLDS, "", ""), self.run_here("show", "tp_mlp", *options, "-o", "a"))
            self.assertEqual(out, (self.folder / "a").read_text())
            self.assertEqual(["a"], [path.name for path in self.folder.iterdir()])

    def test_a_check_that_cannot_start_writes_no_page(self):
        self.write("a.shard", "isoshard 1\nprogram @p {\n")
        self.assertEqual(BAD_INPUT, self.run_here("check", "a.shard", "--html", "a.html")[0])
        self.assertFalse((self.folder / "a.html").exists())


class Pictures(Case):
    def test_svg(self):
        for source in (PIPELINE, "tp_mlp", "examples/scan_layers.shard", "examples/plans/ring_product.plan"):
            code, out, err = run("show", "--svg", source)
            self.assertEqual((HOLDS, ""), (code, err))
            picture = tree(out)
            self.assertEqual(f"{SVG}svg", picture.tag)
            plan = run("show", "--plan", "--json", source)[1]
            cells = [g for g in picture.iter(f"{SVG}g") if "local" in g.get("class", "").split()]
            local = [i for i in json.loads(plan)["plans"][0]["instructions"] if i["kind"] == "local"]
            self.assertEqual(len(local), len(cells), source)

    def test_the_picture_of_the_readme(self):
        code, out, err = run("show", "--svg", "--grid", "examples/pipeline_zero_bubble.shard")
        self.assertEqual((HOLDS, ""), (code, err))
        path = ROOT / "docs/pipeline.svg"
        if os.environ.get("ISOSHARD_BLESS"):
            path.write_text(out)
        self.assertEqual(out, path.read_text(), "ISOSHARD_BLESS=1 writes it")

    def test_grid(self):
        code, out, err = run("show", "--grid", PIPELINE, env={"COLUMNS": ""})
        self.assertEqual((HOLDS, ""), (code, err))
        rows = [line.split() for line in out.splitlines() if line.startswith("pp=")]
        self.assertEqual([f"pp={i}" for i in range(4)], [row[0] for row in rows])
        self.assertEqual(64, sum(cell != "." for row in rows for cell in row[1:]))
        folded = run("show", "--grid", PIPELINE, env={"COLUMNS": "50"})[1]
        self.assertLessEqual(max(map(len, folded.splitlines()[1:])), 50)
        self.assertEqual(sorted(re.findall(r"\d[FB]\d", out)), sorted(re.findall(r"\d[FB]\d", folded)))
        self.assertNotIn("\x1b", out)
        coloured = run("show", "--grid", PIPELINE, "--color", "always", env={"COLUMNS": ""})[1]
        self.assertEqual(out, re.sub(r"\x1b\[[\d;]*m", "", coloured).replace("\x1b", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
