#!/usr/bin/env python3
"""Makes a site of the pages of this repository, and checks it: ci/site/build.py FOLDER

The pages are those that README.md leads to, each at its own path, so that links between them hold. Other files that pages
lead to are copied; what is a folder leads to the repository's host. The site is FOLDER/site; it works offline.

The exit status is 1 where a link or an anchor leads nowhere, where a page is in no menu, or where a page loads something
from another host. Each is printed with its page.
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HERE = os.path.join(ROOT, "ci", "site")
LINK = re.compile(r"(\]\(|(?:src|href)=\")([^)\s\"#]+)(#[^)\s\"]*)?(?=[)\"])")


def stage(pages):
    """Copies the pages that README.md leads to, and what they show; returns the Markdown pages."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    known = set(listed.stdout.split("\n"))
    host = tomllib.load(open(os.path.join(HERE, "zensical.toml"), "rb"))["project"]["repo_url"]
    queue, seen = ["README.md"], set()
    while queue:
        path = queue.pop()
        if path in seen:
            continue
        seen.add(path)
        target = os.path.join(pages, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not path.endswith(".md"):
            shutil.copy(os.path.join(ROOT, path), target)
            continue

        def follow(link):
            raw = link[2].removeprefix(f"{host}/raw/main/")  # a page that is read in a shop of extensions names pictures so
            to = raw if raw != link[2] else os.path.normpath(os.path.join(os.path.dirname(path), link[2]))
            if to in known:
                queue.append(to)
                if raw != link[2]:
                    return link[1] + os.path.relpath(raw, os.path.dirname(path) or ".")
            elif os.path.isdir(os.path.join(ROOT, to)):
                return f"{link[1]}{host}/tree/main/{to}"
            return link[0]

        text = open(os.path.join(ROOT, path), encoding="utf-8").read()
        parts = re.split(r"(^```.*?^```|`[^`\n]+`)", text, flags=re.M | re.S)  # links of examples stay as they are
        parts[::2] = [LINK.sub(follow, part) for part in parts[::2]]
        open(target, "w", encoding="utf-8").write("".join(parts))
    return {path for path in seen if path.endswith(".md")}


class Page(html.parser.HTMLParser):
    """The anchors, links and loaded addresses of a page."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(open(file, encoding="utf-8").read())

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.anchors.update(a[name] for name in ("id", "name") if a.get(name))
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        self.loads += [a[name] for name in ("src", "href") if a.get(name) and tag != "a" and a.get("rel") != "canonical"]


def check(site):
    """Lists what is wrong with the pages of a site."""
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                pages[os.path.join(folder, name)] = Page(os.path.join(folder, name))
    for file, page in sorted(pages.items()):
        if os.path.basename(file) == "404.html":  # its links begin at the server's root
            continue
        for link in page.links + page.loads:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loads:
                    yield file, f"loads {link}"
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(file), urllib.parse.unquote(url.path))) if url.path else file
            to = os.path.join(to, "index.html") if os.path.isdir(to) else to
            if not os.path.exists(to):
                yield file, f"leads to {link}, which is not there"
            elif url.fragment and to in pages and urllib.parse.unquote(url.fragment) not in pages[to].anchors | {"__skip"}:
                yield file, f"leads to {link}, which has no such anchor"


def main(out):
    pages = stage(os.path.join(out, "pages"))
    version = re.search(r'const release = "(.+)"', open(os.path.join(ROOT, "cmd", "brv-lsp", "serve.go"), encoding="utf-8").read())[1]
    config = open(os.path.join(HERE, "zensical.toml"), encoding="utf-8").read()
    open(os.path.join(out, "zensical.toml"), "w", encoding="utf-8").write(
        config.replace("[project]\n", f'[project]\ncopyright = "brv-lsp {version}, Apache-2.0"\n', 1))
    subprocess.run([sys.executable, "-m", "zensical", "build", "--clean"], cwd=out, check=True)
    site = os.path.join(out, "site")
    wrong = [f"{os.path.relpath(file, site)} {what}" for file, what in check(site)]
    for path in sorted(pages):
        if f'"{path}"' not in config and not path.startswith("bench/"):
            wrong.append(f"{path} is in no menu of ci/site/zensical.toml")
    print("\n".join(wrong + [f"{len(pages)} pages, {len(wrong)} findings"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
