#!/usr/bin/python3
"""The site of the documents: a page for each, links that lead somewhere, broken ones told."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from isoshard import ROOT, Case


class Site(Case):
    def make(self, root):
        done = subprocess.run([sys.executable, "-B", ROOT / "docs/site.py", self.folder / "site", root], capture_output=True,
                              text=True, timeout=120, check=False)
        return done.returncode, done.stdout

    def test_every_document_is_a_page_and_every_link_leads_to_one(self):
        code, out = self.make(ROOT)
        documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        self.assertEqual((0, f"{len(documents)} pages in {self.folder / 'site'}\n"), (code, out))
        site = self.folder / "site"
        pages = {path: path.read_text() for path in site.rglob("*.html")}
        self.assertEqual(len(documents) + 1, len(pages), "and the list of decisions")
        for path, text in pages.items():
            for link in re.findall(r'(?:href|src)="([^"]*)"', text):
                if re.match(r"[a-z]+:", link):
                    continue
                there, _, anchor = link.partition("#")
                target = pathlib.Path(os.path.normpath(path.parent / there)) if there else path
                self.assertTrue(target.is_file(), f"{path.name}: {link}")
                if anchor:
                    self.assertIn(f' id="{anchor}"', pages[target], f"{path.name}: {link}")

    def test_code_is_escaped(self):
        self.write("README.md", "# A & `c<d>`\n\n```\n<script>x</script>\n```\n")
        self.minimal()
        self.make(self.folder)
        page = (self.folder / "site/index.html").read_text()
        self.assertIn("&lt;script&gt;x&lt;/script&gt;", page)
        self.assertIn("<code>c&lt;d&gt;</code>", page)

    def minimal(self):
        """The documents of the menu, empty."""
        menu = re.findall(r'"((?:docs/)?[\w/-]+\.md)"', (ROOT / "docs/site.py").read_text())
        self.assertGreater(len(menu), 20)
        for name in menu:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(f"# {name}\n")

    def test_broken_links_are_errors(self):
        missing = "docs/" + "nothing" + ".md"
        self.write("README.md", f"# A\n\n[x]({missing}) [y](docs/plan.md#not-there) [z](#a) ![p](no.svg) [o](https://example.org)\n"
                   "[in](docs/plan.md) `[code](nowhere.md)`\n")
        self.minimal()
        code, out = self.make(self.folder)
        self.assertEqual(1, code)
        self.assertEqual([f"README.md: the link {missing} leads to no file",
                          "README.md: the link docs/plan.md#not-there leads to no heading of docs/plan.md",
                          "README.md: the picture no.svg is not there"], out.splitlines())


if __name__ == "__main__":
    unittest.main(verbosity=2)
