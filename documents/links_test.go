package documents

import (
	"strings"
	"testing"
)

// TestLinks reads the links of documents: each is the text that names a file, and the file.
func TestLinks(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"docs/a.md", "[a](<my page.md>) [b](my%20page.md)", "my page.md=docs/my page.md my%20page.md=docs/my page.md"},
		{"docs/a.md", "[a](<my page.md#top> \"t\") [b]( ./x.md 'my t' ) [c](y.md (t))",
			"my page.md=docs/my page.md ./x.md=docs/x.md y.md=docs/y.md"},
		{"docs/a.md", "[a](x_(y).md) [b](x\\_y.md) [c](a&amp;b.md) [d](<a(b.md>)",
			"x_(y).md=docs/x_(y).md x\\_y.md=docs/x_y.md a&amp;b.md=docs/a&b.md a(b.md=docs/a(b.md"},
		{"docs/a.md", "[![i](p%20q.png)](../x.md?raw=1) ![j](<p q.png>)", "p%20q.png=docs/p q.png ../x.md=x.md p q.png=docs/p q.png"},
		{"docs/a.md", "[l]: <my page.md> 'My'\n  [m]: caf%C3%A9.md#x\n[^n]: x.md", "my page.md=docs/my page.md caf%C3%A9.md=docs/café.md"},
		{"docs/a.md", "`[a](x.md)` and ``[b](y.md)`` [c](z.md", ""},
		{"docs/a.md", "[a](100%.md) [b](a b.md) [c](<a\nb.md>) [d]()", "100%.md=docs/100%.md"},
		{"docs/a.md", "[a](%2e%2e/%2e%2e/etc/passwd) [b](..\\\\..\\\\x) [c](/docs/b%20c.md)", "..\\\\..\\\\x=docs/..\\..\\x /docs/b%20c.md=docs/b c.md"},
		{"docs/a.md", "[a](https://git.example.org/a/b/blob/main/my%20page.md#L3)",
			"https://git.example.org/a/b/blob/main/my%20page.md=my page.md"},
		{"docs/a.md", "[a](https://git.example.org/a/c/blob/main/README.md) [b](https://git.example.org/a/b/blob/v1.2/x.md)", ""},
		{"docs/a.md", "[a](https://git.example.org/A/B/-/tree/main/x/) [b](https://raw.example.com/a/b/main/y.md)",
			"https://git.example.org/A/B/-/tree/main/x/=x https://raw.example.com/a/b/main/y.md=y.md"},
		{"docs/a.md", "[a\nb](x.md) and [c [d]\ne](y.md)", "x.md=docs/x.md y.md=docs/y.md"},
		{"docs/a.md", "xref:guide.adoc[g] :doc:`x` <<a.adoc>>", ""},

		{"docs/a.adoc", "See xref:guide.adoc#_set_up[the guide], link:my%20page.adoc[p] and <<b/c.adoc#x,c>>.",
			"guide.adoc=docs/guide.adoc my%20page.adoc=docs/my page.adoc b/c.adoc=docs/b/c.adoc"},
		{"docs/modules/ROOT/pages/x/a.adoc", "xref:b.adoc[] xref:m:c.adoc#x[] xref:./d.adoc[] _xref::g.adoc[g]_ " +
			"xref:other::e.adoc[] xref:o:m:f.adoc[]",
			"b.adoc=docs/modules/ROOT/pages/b.adoc m:c.adoc=docs/modules/m/pages/c.adoc ./d.adoc=docs/modules/ROOT/pages/x/d.adoc " +
				":g.adoc=docs/modules/ROOT/pages/g.adoc"},
		{"modules/m/pages/a.adoc", "include::partial$p.adoc[]\n  include::ROOT:example$e.rb[]",
			"partial$p.adoc=modules/m/partials/p.adoc ROOT:example$e.rb=modules/ROOT/examples/e.rb"},
		{"docs/a.adoc", "[source]\n.Java\n----\nxref:no.adoc[]\n----\nxref:yes.adoc[] <<a.b>> <<c#d>>", "yes.adoc=docs/yes.adoc c=docs/c"},
		{"docs/a.adoc", "<<_set_up>> <<id,text>> xref:id[t] xref:#id[t] xref:mod:page.adoc[]", ""},
		{"docs/a.adoc", "include::parts/p.adoc[leveloffset=1]\n  include::../x.adoc[]", "parts/p.adoc=docs/parts/p.adoc ../x.adoc=x.adoc"},
		{"docs/a.adoc", "----\nxref:no.adoc[]\ninclude::src/a.go[]\n----\nxref:yes.adoc[]", "src/a.go=docs/src/a.go yes.adoc=docs/yes.adoc"},
		{"docs/a.adoc", "....\nxref:no.adoc[]\n----\n....\nTerm::\n  xref:yes.adoc[]\n////\nxref:no.adoc[]\n////", "yes.adoc=docs/yes.adoc"},

		{"docs/a.adoc", "Home\n-----\n\nxref:yes.adoc[]\n\nPart\n++++\nxref:too.adoc[]", "yes.adoc=docs/yes.adoc too.adoc=docs/too.adoc"},
		{"docs/a.rst", ":doc:`guide` :doc:`The guide <sub/guide>` :doc:`../x`", "guide=docs/guide.rst sub/guide=docs/sub/guide.rst ../x=x.rst"},
		{"docs/a.rst", "`t <g.rst>`_ `u <my%20g.rst>`_\n\n.. _t: h.rst\n.. _u: t_\n`v <t_>`_", "g.rst=docs/g.rst my%20g.rst=docs/my g.rst h.rst=docs/h.rst"},
		{"docs/a.rst", ".. include:: parts/p.rst\n.. literalinclude:: ../src/a.py\n   :lines: 1-2",
			"parts/p.rst=docs/parts/p.rst ../src/a.py=src/a.py"},
		{"docs/a.rst", ".. code-block:: rst\n\n   .. include:: no.rst\n   :doc:`no`\n\n:doc:`yes`", "yes=docs/yes.rst"},
		{"docs/a.rst", ":download:`x.zip` :ref:`label` :ref:`text <label>`", "x.zip=docs/x.zip"},
		{"docs/a.rst", ".. a comment :doc:`no`\n   :doc:`no`\n\n   :doc:`no`\n\n:doc:`yes`\n\n..\n   :doc:`no`\n:doc:`b`\n\n..\n\n   :doc:`c`",
			"yes=docs/yes.rst b=docs/b.rst c=docs/c.rst"},
		{"docs/a.rst", ".. note:: :doc:`a`\n   :doc:`b`\n.. [1] :doc:`c`\n.. |x| replace:: :doc:`d`", "a=docs/a.rst b=docs/b.rst c=docs/c.rst d=docs/d.rst"},
		{"docs/a.adoc", "// xref:no.adoc[]\nxref:a.adoc[] // xref:b.adoc[]\n////\nxref:no.adoc[]\n\n== No\n////\n/// xref:c.adoc[]",
			"a.adoc=docs/a.adoc b.adoc=docs/b.adoc c.adoc=docs/c.adoc"},
		{"docs/a.mdx", "{/* [a](no.md) */} [b](yes.md) {/*\n\n[a](no.md)\n*/}\n\n{/*\n\n[a](no.md)\n*/}\n[c](too.md)", "yes.md=docs/yes.md no.md=docs/no.md too.md=docs/too.md"},
		{"docs/a.md", "a %% [a](no.md) %% [b](yes.md)\n\n[//]: # ([a](no.md))\n\n%%\n[a](no.md)\n\n%%", "yes.md=docs/yes.md"},
		{"docs/a.txt", ":doc:`guide` [a](<b c.md>)", "guide=docs/guide.txt b c.md=docs/b c.md"},
	} {
		d := Parse(c.path, c.text)
		d.repository = []string{"a/b"}
		var got []string
		for _, f := range d.Linked() {
			got = append(got, f.At.Of(d.Text)+"="+f.Path)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s %q\ngot  %s\nwant %s", c.path, c.text, s, c.want)
		}
	}
}

// TestLabels finds what the place of "|" leads to inside of documents that are no Markdown.
func TestLabels(t *testing.T) {
	other := Parse("docs/other.rst", "Other\n=====\n\n.. _far-label:\n\nFar\n---\n\n.. _Spaced Label:\n\nLast\n----\n")
	for _, c := range []struct{ path, text, want string }{
		{"docs/a.adoc", "= A\n\n<<_set|_up>>\n\n== Set up\n", "docs/a.adoc Set up"},
		{"docs/a.adoc", "= A\n\n<<own|,the text>>\n\n[[own]]\n== Set up\n", "docs/a.adoc Set up"},
		{"docs/a.adoc", "= A\n\nxref:ow|n[t]\n\n[#own]\n== Set up\n", "docs/a.adoc Set up"},
		{"docs/a.adoc", "= A\n\nxref:#ow|n[t]\n\n[discrete#own]\n== Set up\n", "docs/a.adoc Set up"},
		{"docs/a.adoc", "= A\n\n<<gone|>>\n", ""},
		{"docs/a.rst", "A\n=\n\n:ref:`Far-|label`\n", "docs/other.rst Far"},
		{"docs/a.rst", "A\n=\n\n:ref:`text <far-|label>`\n", "docs/other.rst Far"},
		{"docs/a.rst", "A\n=\n\n:ref:`Spaced| Label`\n", "docs/other.rst Last"},
		{"docs/a.rst", "A\n=\n\n:ref:`own|`\n\n.. _own:\n\nHere\n----\n", "docs/a.rst Here"},
		{"docs/a.rst", "A\n=\n\n:ref:`gone|`\n", ""},
		{"docs/a.md", "# A\n\n:ref:`far-|label`\n", ""},
	} {
		place := strings.Index(c.text, "|")
		d := Parse(c.path, strings.Replace(c.text, "|", "", 1))
		s := &Set{docs: []*Document{d, other}}
		got := ""
		if at, ok := d.LabelAt(place); ok {
			if in, section := s.Labelled(d, at.Of(d.Text)); section != nil {
				got = in.Path + " " + section.Heading.Of(in.Text)
			}
		}
		if got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.path, c.text, got, c.want)
		}
	}
}
