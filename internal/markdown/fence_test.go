package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	text := "a\n```go x\r\ncode\r\n~~~\n``` no\n````\nb\n    ```\n~~~\n```\n"
	var b strings.Builder
	for l := range Lines(text) {
		run, info := Fence(l.At.Of(text))
		fmt.Fprintf(&b, "%d %q %q %q\n", l.Fence, l.At.Of(text), run, info)
	}
	want := `0 "a" "" ""
1 "` + "```go x" + `" "` + "```" + `" "go x"
2 "code" "" ""
2 "~~~" "~~~" ""
2 "` + "``` no" + `" "` + "```" + `" "no"
3 "` + "````" + `" "` + "````" + `" ""
0 "b" "" ""
0 "    ` + "```" + `" "` + "```" + `" ""
1 "~~~" "~~~" ""
2 "` + "```" + `" "` + "```" + `" ""
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	for l := range Lines(text) {
		if l.At.Start > 0 {
			t.Fatal("the walk went on")
		}
		break
	}
	if run := Unclosed(text); run != "~~~" {
		t.Errorf("the open fence is %q", run)
	}
}
