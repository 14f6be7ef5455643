package codebase

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

func TestMentionPrefersTheFullerName(t *testing.T) {
	for _, c := range []struct {
		task, path string
		want       float64
	}{
		{"see src/auth/jwt.ts", "src/auth/jwt.ts", 1},
		{"see app/src/auth/jwt.ts:12", "src/auth/jwt.ts", .95},
		{"see auth/jwt.ts", "src/auth/jwt.ts", .95},
		{"see auth/jwt", "src/auth/jwt.ts", .85},
		{"see jwt.ts.", "src/auth/jwt.ts", .8},
		{`see src\auth\jwt.ts(12,5): error`, "src/auth/jwt.ts", 1},
		{"in django.db.models.Model", "django/db/models.py", .7},
		{"a.b", "src/c.ts", 0},
		{"nothing", "src/c.ts", 0},

		{"app/blog/[slug]/page.tsx fails", "app/blog/[slug]/page.tsx", 1},
		{"app/blog/[slug]/page.tsx fails", "app/shop/page.tsx", 0},
		{"blog/[slug]/page.tsx fails", "app/blog/[slug]/page.tsx", .95},
		{"`[id].tsx`", "pages/users/[id].tsx", .8},
		{"pages/docs/[[...path]].tsx.", "pages/docs/[[...path]].tsx", 1},
		{"app/(shop)/@modal/(.)photo/[id]/page.tsx:3", "app/(shop)/@modal/(.)photo/[id]/page.tsx", 1},
		{"src/routes/+page.svelte", "src/routes/+page.svelte", 1},
		{"app/routes/posts.$postId.tsx and app/routes/$id.tsx", "app/routes/$id.tsx", 1},
		{"packages/@scope/x/a.ts", "packages/@scope/x/a.ts", 1},
		{"[the file](src/auth/jwt.ts)", "src/auth/jwt.ts", 1},
		{"(src/auth/jwt.ts)", "src/auth/jwt.ts", 1},
		{"at f (src/auth/jwt.ts:10:5)", "src/auth/jwt.ts", 1},
		{"django.db.models(x).y", "django/db/models.py", .7},
		{"a/b[0].x", "a/b.ts", .85},

		{"codec::framed::Framed", "src/codec/framed.rs", .7},
		{"tokio_util::codec::framed::Framed", "src/codec/framed.rs", .7},
		{"crate::codec::framed", "src/codec/framed.rs", .7},
		{"net::Socket::close", "src/net/socket.cpp", .7},
		{"net::Socket", "src/net/other.cpp", 0},
	} {
		if got := mentionOf(c.path, mentionsIn(c.task).paths); got != c.want {
			t.Errorf("%q names %s: %v, want %v", c.task, c.path, got, c.want)
		}
	}
}

// mentionOf is how strongly the best of what a task names is a path.
func mentionOf(p string, asked []string) (best float64) {
	for _, a := range asked {
		best = max(best, mention(p, a))
	}
	return best
}

func TestPlacesAreFound(t *testing.T) {
	for _, c := range []struct {
		task string
		want []place
	}{
		{"src/a.go:12: undefined: x", []place{{path: "src/a.go", line: 12}}},
		{"panic\n\t/home/me/p/src/a.go:123 +0x1d", []place{{path: "home/me/p/src/a.go", line: 123}}},
		{`File "a/b.py", line 12, in f`, []place{{path: "a/b.py", line: 12}}},
		{"at f (src/a.ts:10:5)\n at g (src/b.ts:7:1)", []place{{path: "src/a.ts", line: 10}, {path: "src/b.ts", line: 7}}},
		{"src/a.ts(12,5): error TS2304", []place{{path: "src/a.ts", line: 12}}},
		{"at com.acme.Bar.run(Bar.java:31)", []place{{path: "bar.java", line: 31}}},
		{"  --> src/main.rs:4:9", []place{{path: "src/main.rs", line: 4}}},
		{"app/[id]/page.tsx:3", []place{{path: "app/[id]/page.tsx", line: 3}}},
		{"a.go: 12 apples, version 1.2:3rc", nil},
		{"a/b.go:123456789", nil},
	} {
		got := mentionsIn(c.task).places
		for i := range got {
			got[i] = place{path: got[i].path, line: got[i].line}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v; want %v", c.task, got, c.want)
		}
	}
}

// A task is read as what it is made of: stack traces, the innermost frame first, and what names one line.
func TestTasksAreReadAsWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		name, task string
		want       []place
		tests      bool
	}{
		{"python", "Traceback (most recent call last):\n  File \"/v/lib/a/main.py\", line 5, in run\n    go()\n" +
			"  File \"/v/lib/a/deep.py\", line 7, in go\n    raise X\nX: no\n",
			[]place{{path: "v/lib/a/deep.py", line: 7, trace: 1}, {path: "v/lib/a/main.py", line: 5, trace: 1}}, false},
		{"pytest", "src/a.py:82: in main\n    config = f()\nsrc/b.py:9: in f\n    g()\n",
			[]place{{path: "src/b.py", line: 9, trace: 1}, {path: "src/a.py", line: 82, trace: 1}}, false},
		{"go", "goroutine 1 [running]:\nx.(*T).deep(0x1)\n\t/m/x/deep.go:3 +0x1d\nmain.main()\n\t/m/main.go:9 +0x2\n",
			[]place{{path: "m/x/deep.go", line: 3, trace: 1}, {path: "m/main.go", line: 9, trace: 1}}, false},
		{"node", "TypeError: x\n    at f (/r/lib/f.js:34:20)\n    at /r/lib/g.js:4:2\n",
			[]place{{path: "r/lib/f.js", line: 34, trace: 1}, {path: "r/lib/g.js", line: 4, trace: 1}}, false},
		{"sanitizer", "    #0 0x7 in f /s/a.c:145\n    #1 0x5 in g /s/b.c:17 (x+0x8)\n",
			[]place{{path: "s/a.c", line: 145, trace: 1}, {path: "s/b.c", line: 17, trace: 1}}, false},
		{"two traces", "at f (a/f.js:1:2)\nat g (a/g.js:2:2)\n\n\n\n\nand then\nat h (a/h.js:3:2)\nat i (a/i.js:4:2)",
			[]place{{path: "a/f.js", line: 1, trace: 1}, {path: "a/g.js", line: 2, trace: 1},
				{path: "a/h.js", line: 3, trace: 2}, {path: "a/i.js", line: 4, trace: 2}}, false},
		{"compiler", "src/a.py:36: error: X\nsrc/b.go:6:9: warning: Y\n",
			[]place{{path: "src/a.py", line: 36}, {path: "src/b.go", line: 6}}, false},
		{"link", "see https://github.com/o/r/blob/143a59/lib/linter.js#L13-L26",
			[]place{{path: linked + "lib/linter.js", line: 13}}, false},
		{"difference", "--- a/src/x.c\n+++ b/src/x.c\n@@ -12,7 +12,9 @@ int f()\n x\n",
			[]place{{path: "src/x.c", line: 15}}, false},
		{"failing test", "FAILED tests/test_x.py::TestA::test_y - KeyError: 'z'", nil, false},
		{"test wanted", "Cover the parser: tests/test_x.py lacks cases", nil, true},
	} {
		read := parseTask(c.task)
		for i := range read.places {
			p := &read.places[i]
			*p = place{path: p.path, line: p.line, trace: p.trace}
		}
		if !slices.Equal(read.places, c.want) || read.tests != c.tests {
			t.Errorf("%s: %v, about tests %v; want %v, %v", c.name, read.places, read.tests, c.want, c.tests)
		}
	}
}

// Of a stack trace the innermost frame in the repository's own code counts most; a name that files share says little
// of each; a package that is installed elsewhere is the one here.
func TestMentionsAreWeighed(t *testing.T) {
	m := scan(t, jailtest.Folder(t, map[string]string{
		"src/pkg/main.py": "def run(): pass\n", "src/pkg/deep.py": "def go():\n    raise X\n",
		"tests/test_a.py": "def test_a(): pass\n",
		"a/models.py":     "A = 1\n", "b/models.py": "B = 1\n", "c/models.py": "C = 1\n", "d/other.py": "D = 1\n",
	}))
	for _, c := range []struct {
		task string
		want map[string]float64
	}{
		{"File \"/l/site-packages/pkg/main.py\", line 1, in run\n  go()\n" +
			"File \"/l/site-packages/pkg/deep.py\", line 2, in go\n" + "File \"/l/site-packages/lib/x.py\", line 2, in go\n",
			map[string]float64{"src/pkg/deep.py": 1, "src/pkg/main.py": .6}},
		{"at x (tests/test_a.py:1:1)\nat y (d/other.py:1:1)\nat z (src/pkg/main.py:1:1)",
			map[string]float64{"d/other.py": 1, "src/pkg/main.py": .6, "tests/test_a.py": 1}},
		{"as in https://github.com/o/r/blob/143a59/d/other.py#L1 (see gitlab.org/o/lib/-/blob/v1/lib/models.py)",
			map[string]float64{"d/other.py": 1}},
		{"a/models.py and models.py", map[string]float64{"a/models.py": 1, "b/models.py": .267, "c/models.py": .267}},
	} {
		p, err := m.newTaskPlan(t.Context(), c.task)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for i, chunk := range m.chunks {
			if s := p.signals[i][Mention]; s > 0 {
				got[chunk.Path] = math.Round(1000*s) / 1000
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%q: %v; want %v", c.task, got, c.want)
		}
	}
}

// Where a repository is says nothing about this one.
func TestWordsOfLinksDoNotCount(t *testing.T) {
	linked := parseTask("Trim as in https://github.com/mdn/content/blob/cf607/files/string/trim/index.md does")
	if plain := parseTask("Trim as in does"); len(linked.terms) != len(plain.terms) || linked.words != plain.words {
		t.Errorf("%d words of a link count: %v", linked.words-plain.words, linked.terms)
	}
}

// The symbol around a line that a task gives counts as spelled.
func TestLinesOfTracesNameTheirSymbols(t *testing.T) {
	files := map[string]string{
		"b.py":     "import os\n\nclass Reader:\n    def first(self):\n        return 1\n\n    def second(self):\n        return 2\n",
		"x/a.go":   "package x\n\nfunc Lonely() {\n\tpanic(1)\n}\n\nfunc Other() {}\n",
		"y/a.go":   "package y\n\nfunc Far() {\n\tpanic(1)\n}\n",
		"one/n.go": "package n\n\nfunc N1() {\n}\n", "two/n.go": "package n\n\nfunc N2() {\n}\n",
		"three/n.go": "package n\n\nfunc N3() {\n}\n", "four/n.go": "package n\n\nfunc N4() {\n}\n",
	}
	m := scan(t, jailtest.Folder(t, files))
	for _, c := range []struct {
		task string
		want []string
	}{
		{`File "b.py", line 8, crash`, []string{"second"}},
		{`File "b.py", line 4, crash`, []string{"first"}},
		{`File "b.py", line 1, crash`, nil},
		{`File "b.py", line 99, crash`, nil},
		{"crash at x/a.go:4", []string{"Lonely"}},
		{"crash at x/a.go:4 in Lonely", []string{"Lonely"}},
		{"crash at a.go:4", []string{"Lonely", "Far"}},
		{"crash at n.go:3", nil}, // too many files have the name
		{"crash at gone.go:3", nil},
	} {
		p, err := m.newTaskPlan(t.Context(), c.task)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range p.names {
			if len(m.Lookup(n.name)) > 0 {
				got = append(got, n.name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q spells %q; want %q", c.task, got, c.want)
		}
	}
}
