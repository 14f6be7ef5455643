"""The same as render.mjs for the pages of MkDocs (Python-Markdown) and for reStructuredText (docutils)."""
import io, json, re, sys
from html.parser import HTMLParser

import docutils.core, docutils.nodes, docutils.parsers.rst.roles as roles, docutils.parsers.rst.directives as directives
from docutils.parsers.rst import Directive
import markdown


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], []

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        if tag == "a" and at.get("href"):
            self.links.append(at["href"])
        if tag == "img" and at.get("src"):
            self.links.append(at["src"])
        if at.get("id"):
            self.anchors.append({"id": at["id"], "line": 0})
        if tag == "a" and at.get("name") and at.get("name") != at.get("id"):
            self.anchors.append({"id": at["name"], "line": 0})

    handle_startendtag = handle_starttag


EXTENSIONS = ["toc", "attr_list", "admonition", "tables", "footnotes", "def_list", "md_in_html", "pymdownx.superfences", "pymdownx.details",
              "pymdownx.tabbed"]


def mkdocs(text):
    page = Page()
    page.feed(markdown.markdown(text, extensions=EXTENSIONS, extension_configs={"pymdownx.tabbed": {"alternate_style": True}}))
    tabs = [a for a in page.anchors if not re.match(r"__tabbed|fn:|fnref:", a["id"])]
    return {"links": [l for l in page.links if not re.match(r"#fn(ref)?:", l)], "anchors": tabs}


TARGETED = {"doc": ".rst", "ref": "", "download": ""}


def role(name):
    def read(role_name, rawtext, text, lineno, inliner, options=None, content=None):
        m = re.match(r"^.*<([^<>]*)>$", text, re.S)
        return [docutils.nodes.reference(rawtext, text, sphinx=(name, m.group(1) if m else text))], []
    return read


class Unknown(Directive):
    """A directive of Sphinx: what stands in it is read."""
    has_content, optional_arguments, final_argument_whitespace = True, 100, True

    def run(self):
        node = docutils.nodes.container()
        if self.name == "toctree":
            for line in self.content:
                m = re.match(r"^(?:.*<([^<>]*)>|(\S.*))$", line.strip())
                if m and not line.strip().startswith(":"):
                    node += docutils.nodes.reference("", "", sphinx=("doc", m.group(1) or m.group(2)))
        elif self.name not in ("code-block", "literalinclude", "sourcecode"):
            self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def rst(text):
    for m in set(re.findall(r":([a-zA-Z][\w:+.-]*):`", text)):
        if m not in ("emphasis", "strong", "literal", "code", "sub", "sup"):
            roles.register_local_role(m, role(m))
    for m in set(re.findall(r"^\s*\.\. ([\w:-]+)::", text, re.M)):
        if m in ("toctree", "code-block", "literalinclude") or not directives.directive(m, None, docutils.utils.new_document(""))[0]:
            directives.register_directive(m, Unknown)
    doc = docutils.core.publish_doctree(text, settings_overrides={"doctitle_xform": False, "report_level": 5, "halt_level": 6, "warning_stream": io.StringIO(),
                                                                   "file_insertion_enabled": False, "raw_enabled": False})
    links = []
    for n in doc.findall(docutils.nodes.reference):
        name, to = n.get("sphinx", (None, None))
        if name == "doc":
            links.append(to.rstrip("/") + ("" if to.endswith(".rst") else ".rst"))
        elif not name and n.get("refuri"):
            links.append(n["refuri"])
    links += [n["uri"] for n in doc.findall(docutils.nodes.image)]
    # a title whose label has the same words gets a number, which nobody writes
    anchors = [{"id": i, "line": 0} for s in doc.findall(docutils.nodes.section) for i in s["ids"]
               if not re.match(r"^id\d+$", i) and re.sub(r"-\d+$", "", i) not in set(s["ids"]) - {i}]
    return {"links": links, "anchors": anchors}


for line in sys.stdin:
    ask = json.loads(line)
    try:
        out = {"mkdocs": mkdocs, "rst": rst}[ask["kind"]](ask["text"])
    except Exception as e:
        out = {"failed": repr(e)}
    print(json.dumps(out), flush=True)
