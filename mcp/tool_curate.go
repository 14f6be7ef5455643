package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

var curateTool = tool{
	name: "brv_curate", title: "Propose knowledge", writes: true,
	about: "Proposes changes of the context tree: what you learned that others will need, one subject an entry. Nothing changes until a person approves it.",
	params: []param{
		{name: "operations", kind: kindObjects, required: true, items: operation},
		{name: "dry_run", kind: kindFlag, about: "Only show the diff"},
	},
	run: propose,
}

// operation is the schema of one operation, without the parts that an agent rarely
// needs; all of [tree.Op] is accepted.
const operation = `{"type":"object","properties":{` +
	`"type":{"type":"string","enum":["ADD","UPDATE","UPSERT","MERGE","DELETE","MOVE","CONFIRM"]},` +
	`"path":{"type":"string","description":"domain/topic with title, or an entry's path with .md"},` +
	`"title":{"type":"string"},"summary":{"type":"string"},` +
	`"reason":{"type":"string","description":"Why, for the log"},` +
	`"content":{"type":"object","properties":{` +
	`"tags":{"type":"array","items":{"type":"string"}},` +
	`"relations":{"type":"array","items":{"type":"string"},"description":"Paths of entries"},` +
	`"facts":{"type":"array","items":{"type":"object","properties":{"subject":{"type":"string"},"statement":{"type":"string"}},"required":["statement"]}},` +
	`"rawConcept":{"type":"object","properties":{"task":{"type":"string"},"files":{"type":"array","items":{"type":"string"},"description":"Code it is about"}}},` +
	`"narrative":{"type":"object","properties":{"rules":{"type":"string"},"highlights":{"type":"string"}}},` +
	`"snippets":{"type":"array","items":{"type":"string"}}}},` +
	`"to":{"type":"string","description":"MOVE: new path"},` +
	`"mergeTarget":{"type":"string"}},` +
	`"required":["type","path","reason"]}`

func propose(ctx context.Context, c *call) (answer, error) {
	batch, err := tree.ParseBatch(c.raw("operations"))
	if err != nil {
		return answer{}, fmt.Errorf("%w; the keys of an operation are type, path, title, summary, reason, content, replace, to, mergeTarget, mergeTargetTitle, confidence, impact", err)
	}
	// What an agent proposes waits for a person, whatever it is.
	batch.Hold, batch.Author, batch.DryRun = tree.HoldAll, "mcp: "+c.client, c.flag("dry_run")
	r, err := c.ws.Curate(ctx, c.view, batch)
	if err != nil {
		return answer{}, err
	}
	diff := r.Diff
	if r.Batch != 0 {
		if diff, err = c.heldDiff(ctx, r.Batch); err != nil {
			return answer{}, err
		}
	}
	return proposed(r, diff, batch.DryRun), nil
}

// heldDiff is what a held batch would change.
func (c *call) heldDiff(ctx context.Context, batch int) (diff string, err error) {
	r, err := c.ws.Reviews(ctx, c.view, struct{}{})
	if err != nil {
		return "", err
	}
	for _, review := range r.Reviews {
		for _, item := range review.Items {
			if review.Batch == batch {
				diff += item.Diff
			}
		}
	}
	return diff, nil
}

// proposed says what became of a proposal.
func proposed(r *tree.Report, diff string, dry bool) answer {
	type result struct {
		Type    tree.OpType `json:"type"`
		Path    string      `json:"path"`
		Status  tree.Status `json:"status"`
		Message string      `json:"message,omitempty"`
	}
	parts := struct {
		Review  int      `json:"review,omitempty"` // what a person approves
		DryRun  bool     `json:"dryRun,omitempty"`
		Results []result `json:"results"`
	}{r.Batch, dry, []result{}}
	var b strings.Builder
	for i, op := range r.Results {
		parts.Results = append(parts.Results, result{op.Type, clipped(op.Path, 400), op.Status, clipped(op.Message, 300)})
		fmt.Fprintf(&b, "[%d] %s %s: %s: %s\n", i+1, op.Type, clipped(op.Path, 400), op.Status, clipped(op.Message, 300))
	}
	if diff != "" {
		b.WriteString("\n" + diff)
	}
	for _, c := range r.Comments {
		b.WriteString(c.String() + "\n")
	}
	a := answer{data: b.String(), parts: parts}
	switch failed := r.Summary.Failed; {
	case dry:
		a.words = "A dry run: nothing is held and nothing changed. This is what would be proposed; call again without dry_run.\n"
	case r.Batch == 0 && failed == 0:
		a.words = "Nothing is held: the entries say all of it already.\n"
	case r.Batch == 0:
		a.failed, a.words = true, "Nothing is held: every operation failed. Read each message, change the operation and call again.\n"
	default:
		a.words = fmt.Sprintf("Held for review %d; nothing changed yet. A person looks at it with `brv-lsp review show %d` and decides with `brv-lsp review approve %d` or `reject %d`. Tell the user.\n", r.Batch, r.Batch, r.Batch, r.Batch)
		if failed > 0 {
			a.words += plural(failed, "operation") + " failed, see the messages; propose only those again.\n"
		}
	}
	return a
}
