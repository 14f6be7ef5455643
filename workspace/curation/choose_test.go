package curation

import (
	"context"
	"fmt"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestWhatWaitsComesInPages(t *testing.T) {
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
	seen := map[int]bool{}
	req, sizes := WaitingRequest{}, []int{}
	for {
		page, err := Waiting(ctx, w, req)
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != 120 || len(page.Groups) != 2 || page.Groups[0].Count != 60 || page.Groups[0].Folder != "infra/part_0" {
			t.Errorf("%d in all, groups %v", page.Total, page.Groups)
		}
		for _, i := range page.Items {
			if seen[i.Number] || !i.Held || i.Line != fmt.Sprintf("Rule %d: The queue is drained before a deploy.", i.Number-1) {
				t.Errorf("%+v", i)
			}
			seen[i.Number] = true
		}
		sizes = append(sizes, len(page.Items))
		if req.Offset = page.Next; page.Next == 0 {
			break
		}
	}
	if fmt.Sprint(sizes) != "[50 50 20]" || len(seen) != 120 {
		t.Errorf("pages of %v", sizes)
	}
	page, err := Waiting(ctx, w, WaitingRequest{Which: []string{"infra/part_1/"}, Offset: 55, Limit: 10})
	if err != nil || page.Total != 60 || len(page.Items) != 5 || page.Next != 0 {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := Waiting(ctx, w, WaitingRequest{Batch: 1, Which: []string{"121"}}); err == nil {
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
