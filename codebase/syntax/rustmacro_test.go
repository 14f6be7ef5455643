//go:build cgo

package syntax

import (
	"fmt"
	"strings"
	"testing"
)

func parseRust(t *testing.T, src string) File {
	t.Helper()
	p := newParser()
	defer p.close()
	f := p.parse(Request{Path: "a.rs", Language: Rust, Source: []byte(src)}, parseLimit)
	checkSpans(t, f, src)
	return f
}

func TestMacroBodiesAreBounded(t *testing.T) {
	var nested strings.Builder
	for i := range 2 * maxMacroDepth {
		fmt.Fprintf(&nested, "cfg_x! { mod m%d;\n", i)
	}
	nested.WriteString(strings.Repeat("}", 2*maxMacroDepth))
	for name, c := range map[string]struct {
		src     string
		want    int
		partial string
	}{
		"deep": {nested.String(), maxMacroDepth, ""},
		"many": {strings.Repeat("cfg_x! { mod m; }\n", 2*maxMacroBodies), maxMacroBodies, errMacros.Error()},
	} {
		f := parseRust(t, c.src)
		if len(f.Imports) != c.want || f.Partial != c.partial {
			t.Errorf("%s: %d imports, want %d; partial %q", name, len(f.Imports), c.want, f.Partial)
		}
	}
}

func TestWhatLooksLikeItems(t *testing.T) {
	for text, want := range map[string]bool{
		"mod a;": true, " /* a */ // b\n #[cfg(a = [1])] pub use a;": true, "#![unix]\nuse a;": true,
		"cfg_x! { }": true, "macro_rules! a {}": true, "unsafe impl A {}": true,
		"": false, "model a": false, "#[cfg(": false, "/* use": false, "// use": false, "x => y": false, "!": false,
	} {
		if got := looksLikeItems([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPathAttribute(t *testing.T) {
	for text, want := range map[string]string{
		`#[path = "a.rs"]`: "[a.rs]", `#[ path="../a b.rs" ]`: "[../a b.rs]",
		`#[cfg_attr(unix, path = "u.rs")]`:             "[u.rs]",
		`#[cfg_attr(feature = "path", path = "u.rs")]`: "[u.rs]",
		`#[cfg_attr(docs, doc(alt_path = "x"))]`:       "[]",
		`#[doc = "path = \"x\""]`:                      "[]", `#[path]`: "[]", `#[path =]`: "[]", `path = "x"`: "[]",
	} {
		if got := fmt.Sprint(pathAttribute(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
