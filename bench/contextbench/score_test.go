package main

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/shown"
)

// Needed are lines 1–10 of a and 5–6 of b; shown are 6–15 of a, and 1–4 of c.
func TestPacksAreJudgedByFilesBlocksAndLines(t *testing.T) {
	var r record
	r.judge([]label{{"a", 1, 10}, {"b", 5, 6}}, []shown.Block{{Path: "a", Lines: [][2]int{{6, 15}}}, {Path: "c", Lines: [][2]int{{1, 4}}}})
	if r.Files != shareOf(1, 2, 1, 2) || r.Blocks != shareOf(1, 2, 1, 2) || r.Lines != shareOf(5, 14, 5, 12) {
		t.Errorf("%+v", r)
	}
	if got := shareOf(0, 0, 0, 3); got != (share{}) {
		t.Errorf("%+v", got)
	}
}
