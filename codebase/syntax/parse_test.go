//go:build cgo

package syntax

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// FuzzParse checks on small inputs of every language that no span leaves the
// source and that parsing is a function of the source.
func FuzzParse(f *testing.F) {
	for i := range languages() {
		for _, src := range []string{
			"package a; func (s *S) F() {}", "export const A = () => <B/>;", "class A(B):\n  '''d'''\n  def f(self): pass",
			"impl<T> X for Y<T> { fn f() {} }\nuse a::{b, c::{self, D as E}};", "((((", "/** d */ function f", "\xff\"`'",
		} {
			f.Add(i, src)
		}
	}
	f.Fuzz(func(t *testing.T, which int, src string) {
		langs := languages()
		lang := langs[((which%len(langs))+len(langs))%len(langs)]
		if len(src) > 2000 || refuse([]byte(src)) != "" {
			return
		}
		p := newParser()
		defer p.close()
		req := Request{Path: "fuzz", Language: lang, Source: []byte(src)}
		first := p.parse(req, parseLimit)
		checkSpans(t, first, src)
		second := p.parse(req, parseLimit)
		if !first.Slow && !second.Slow && !reflect.DeepEqual(first, second) {
			t.Errorf("second parse differs")
		}
	})
}

// TestLuaForgetsTheFileBefore reads files that end inside a string, each followed
// by one that reads differently to a scanner that is still in there.
func TestLuaForgetsTheFileBefore(t *testing.T) {
	p := newParser()
	defer p.close()
	read := func(src string) File {
		return p.parse(Request{Path: "a.lua", Language: Lua, Source: []byte(src)}, parseLimit)
	}
	for open, next := range map[string]string{
		`("`: `a\x--`, `('x`: "\\\n", `('`: "[=[]]'", `"x"=)`: "]]--'[=[",
	} {
		read("x = ''\n")
		want := read(next)
		read(open)
		if got := read(next); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, after %q: %+v", next, want, open, got)
		}
	}
}

func checkSpans(t *testing.T, f File, src string) {
	t.Helper()
	inside := func(s Span) bool { return 0 <= s.Start && s.Start <= s.End && s.End <= len(src) }
	for _, s := range f.Symbols {
		if !inside(s.Range) || !inside(s.NameAt) || !inside(s.Body) || !inside(s.DocAt) || !s.Range.Contains(s.NameAt) {
			t.Errorf("symbol %+v leaves the source", s)
		}
		if s.Line != 1+strings.Count(src[:s.NameAt.Start], "\n") {
			t.Errorf("symbol %s: line %d", s.Name, s.Line)
		}
		if utf8.ValidString(src) && !utf8.ValidString(s.Signature+s.Doc) {
			t.Errorf("symbol %s: cut inside a rune", s.Name)
		}
	}
	for _, r := range f.References {
		if !inside(r.At) {
			t.Errorf("reference %+v leaves the source", r)
		}
	}
	for _, i := range f.Imports {
		if !inside(i.At) {
			t.Errorf("import %+v leaves the source", i)
		}
	}
}

func TestVersionFollowsTheQueries(t *testing.T) {
	files := func(name, text string) fstest.MapFS {
		return fstest.MapFS{"queries/a.scm": {Data: []byte("(a)")}, "queries/" + name: {Data: []byte(text)}}
	}
	seen := map[string]string{Version: "the program's"}
	for name, fs := range map[string]fstest.MapFS{
		"two": files("b.scm", "(b)"), "renamed": files("c.scm", "(b)"), "changed": files("b.scm", "(c)"), "moved": files("b.scm", ""),
	} {
		v := version(fs)
		if v != version(fs) || len(v) != 16 {
			t.Errorf("%s: %q is no version", name, v)
		}
		if other, ok := seen[v]; ok {
			t.Errorf("%s has the version of %s", name, other)
		}
		seen[v] = name
	}
}
