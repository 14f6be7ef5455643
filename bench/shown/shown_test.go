package shown

import (
	"slices"
	"testing"
)

func TestReadPackKeepsTheOrder(t *testing.T) {
	blocks, names := Read("### `b:1-2,4-9`\n```\nx\n```\n\n### `a`\n````\n```\n````\n\n## Also relevant\n\n- `c`: Name\n- `d`\n- `e.go:7`: `func E()`\n")
	if len(blocks) != 3 || blocks[2].Path != "e.go" || blocks[2].Text != "func E()" || blocks[0].Path != "b" || len(blocks[0].Lines) != 2 || blocks[1].Text != "```" ||
		!slices.Equal(names, []string{"c", "d"}) {
		t.Errorf("%+v %q", blocks, names)
	}
}
