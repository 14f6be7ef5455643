package pack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// harbour is code of which one file of many is about cranes, and a long one holds one function of many parts.
func harbour(t *testing.T) Inputs {
	files := map[string]string{"crane.go": "package a\n\n// Lift lifts the crane.\nfunc Lift() {\n\tcrane()\n\thook()\n}\n"}
	for n := range 30 {
		files[fmt.Sprintf("pier%d.go", n)] = fmt.Sprintf("package a\n\nfunc Pier%d() {\n\twater(%d)\n\tboat()\n\thook()\n}\n", n, n)
	}
	var long strings.Builder
	long.WriteString("package a\n\nfunc Port() {\n")
	for n := range 250 {
		word := "anchor"
		if n == 120 {
			word = "winch"
		}
		fmt.Fprintf(&long, "\t%s%d := func() {\n\t\tfirst()\n\t\tsecond()\n\t\tthird()\n\t\tfourth()\n\t}\n\n", word, n)
	}
	files["port.go"] = long.String() + "}\n"
	return inputs(t, jailtest.Folder(t, files).Dir(), nil)
}

func TestPackEndsWhereNothingElseIsLikely(t *testing.T) {
	in := harbour(t)
	ask := func(ends bool) Pack {
		p, err := Build(t.Context(), in, Task{Text: "the crane should lift its hook slowly", Budget: 8000, Offset: -1, Ends: ends})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all, some := ask(false), ask(true)
	if all.Ended || !some.Ended || 2*some.Tokens > all.Tokens || some.Items[0].Path != "crane.go" {
		t.Errorf("%d of %d tokens, ended %v; filled %v", some.Tokens, all.Tokens, some.Ended, all.Ended)
	}
	if len(some.Missed) == 0 || !strings.Contains(some.Missed[0].Reason, "left out: it is unlikely to help") {
		t.Errorf("%+v", some.Missed)
	}
	if p, err := Build(t.Context(), in, Task{Text: "crane", Budget: 60, Offset: -1, Ends: true}); err != nil || p.Ended {
		t.Errorf("a small budget ends by itself: %v, %v", p.Ended, err)
	}
}

func TestOpenFileAndTheBestOneShowLines(t *testing.T) {
	in := harbour(t)
	p, err := Build(t.Context(), in, Task{Text: "the winch120 turns the wrong way", File: "pier3.go", Offset: -1, Budget: 500, Ends: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Text, "winch120 := func") || !strings.Contains(p.Text, "water(3)") {
		t.Errorf("%s", p.Text)
	}
}
