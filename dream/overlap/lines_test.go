package overlap

import (
	"slices"
	"testing"
)

func TestSays(t *testing.T) {
	for _, c := range []struct {
		line, other string
		want        bool
	}{
		{"- Tokens live 15 minutes.", "Tokens live 15 minutes", true},
		{"Tokens live 15 minutes, refresh tokens 30 days.", "Refresh tokens live 30 days", true},
		{"Refresh tokens live 30 days", "Tokens live 15 minutes, refresh tokens 30 days.", false},
		{"Tokens live for 15 minutes", "Tokens live 15 minutes", true},
		{"Tokens live 15 minutes", "Tokens live 20 minutes", false},
		{"Merge with a review", "Never merge without a review", false},
		{"Never merge without a review", "Merge with a review", false},
		{"See `rotate.go`", "See `store.go`", false},
		{"", "", true},
		{"Anything", "", false},
		{"Anything", "---", false},
	} {
		if got := Says(c.line, c.other); got != c.want {
			t.Errorf("Says(%q, %q) = %v", c.line, c.other, got)
		}
	}
}

func TestStatements(t *testing.T) {
	got := Statements(
		"## Facts\n- Tokens live\n  for minutes.\n\nKeys rotate. `kid` names\nthe key.\n\n| a | b |\n|---|---|\n```sh\nmake\n```\n")
	want := []string{"Tokens live\nfor minutes.", "Keys rotate.", "`kid` names\nthe key.", "| a | b |", "make"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
