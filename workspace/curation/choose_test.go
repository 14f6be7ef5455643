package curation

import (
	"context"
	"fmt"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestManyAreChosenByFolder: what waits is named by a folder, in each batch or in one, and a line says what each would do.
func TestManyAreChosenByFolder(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	ctx := context.Background()
	var b plan.Batch
	for i := range 120 {
		b.Ops = append(b.Ops, plan.Op{Type: plan.OpAdd, Path: fmt.Sprintf("infra/part_%d/rule_%d.md", i%2, i), Title: fmt.Sprintf("Rule %d", i),
			Summary: "The queue is drained before a deploy.", Reason: "said in a review"})
	}
	b.Hold = plan.HoldAll
	if _, err := Curate(ctx, w, b); err != nil {
		t.Fatal(err)
	}
	r, err := Reviews(ctx, w, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	if g := Groups(r.Reviews[0].Items); len(g) != 2 || g[0].Count != 60 || g[0].Folder != "infra/part_0" {
		t.Errorf("groups %v", g)
	}
	for _, batch := range []int{0, 1} {
		part, err := Chosen(r.Reviews, batch, []string{"infra/part_1/"})
		if err != nil || len(part) != 1 || len(part[0].Items) != 60 ||
			Line(part[0].Items[0]) != "Rule 1: The queue is drained before a deploy." {
			t.Errorf("%+v, %v", part, err)
		}
	}
	if _, err := Chosen(r.Reviews, 1, []string{"121"}); err == nil {
		t.Error("a number that is none was taken")
	}
}

func TestChosenIsAllThatWaitsForAnEntry(t *testing.T) {
	items := []plan.ReviewItem{{Number: 1, Path: "a/b/c.md"}, {Number: 2, Path: "cmd/md/x.md"}, {Number: 3, Path: "a/b/c.md"}, {Path: "a/b/d.md"}}
	for word, want := range map[string]string{
		"1": "[1 3]", "2-3": "[1 2 3]", "*md": "[1 2 3 0]", "cmd/*x.md": "[2]", "a/b/": "[1 3 0]", "a/b/d.md": "[0]", "*/md/": "[2]",
	} {
		chosen, err := Choose(items, []string{word})
		got := []int{}
		for _, item := range chosen {
			got = append(got, item.Number)
		}
		if fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s: %v, %v, want %s", word, got, err, want)
		}
	}
	if chosen, err := Choose(items, []string{"0"}); err == nil {
		t.Errorf("0: %v", chosen)
	}
}
