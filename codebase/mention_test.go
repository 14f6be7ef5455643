package codebase

import (
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
		if got := mention(c.path, mentionsIn(c.task).paths); got != c.want {
			t.Errorf("%q names %s: %v, want %v", c.task, c.path, got, c.want)
		}
	}
}

func TestPlacesAreFound(t *testing.T) {
	for _, c := range []struct {
		task string
		want []place
	}{
		{"src/a.go:12: undefined: x", []place{{"src/a.go", 12}}},
		{"panic\n\t/home/me/p/src/a.go:123 +0x1d", []place{{"home/me/p/src/a.go", 123}}},
		{`File "a/b.py", line 12, in f`, []place{{"a/b.py", 12}}},
		{"at f (src/a.ts:10:5)\n at g (src/b.ts:7:1)", []place{{"src/a.ts", 10}, {"src/b.ts", 7}}},
		{"src/a.ts(12,5): error TS2304", []place{{"src/a.ts", 12}}},
		{"at com.acme.Bar.run(Bar.java:31)", []place{{"bar.java", 31}}},
		{"  --> src/main.rs:4:9", []place{{"src/main.rs", 4}}},
		{"app/[id]/page.tsx:3", []place{{"app/[id]/page.tsx", 3}}},
		{"a.go: 12 apples, version 1.2:3rc", nil},
		{"a/b.go:123456789", nil},
	} {
		if got := mentionsIn(c.task).places; !slices.Equal(got, c.want) {
			t.Errorf("%q: %v; want %v", c.task, got, c.want)
		}
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
