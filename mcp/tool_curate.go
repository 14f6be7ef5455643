package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

var curateTool = tool{
	name: "brv_curate", title: "Propose knowledge", writes: true,
	about: "Proposes what the team should remember, correct or forget: a rule, decision or pitfall that the user states or you found, " +
		"one subject per entry; or drafts it from files or commits. A person decides. Not for code, nor notes of this session.",
	params: []param{
		{name: "operations", kind: kindObjects, items: operation},
		{name: "files", kind: kindTexts, max: drafting.MaxMaterial, about: "Or: draft from these"},
		{name: "changes", kind: kindText, max: 200, about: "Or: worktree, staged, a commit"},
		{name: "instruction", kind: kindText, max: 4_000},
		{name: "topic", kind: kindText, max: 250, about: "Of the draft"},
		{name: "dry_run", kind: kindFlag, about: "Hold nothing"},
	},
	run: propose,
}

// operation is the schema of one operation, without fields that an agent rarely needs; all fields of [plan.Op] are
// accepted.
const operation = `{"type":"object","properties":{` +
	`"type":{"type":"string","enum":["ADD","UPDATE","UPSERT","MERGE","DELETE","MOVE","CONFIRM"]},` +
	`"path":{"type":"string","description":"domain/topic with title, or an entry's path with .md"},` +
	`"title":{"type":"string"},"summary":{"type":"string"},` +
	`"reason":{"type":"string"},` +
	`"content":{"type":"object","properties":{` +
	`"tags":{"type":"array","items":{"type":"string"}},` +
	`"relations":{"type":"array","items":{"type":"string"},"description":"Paths of entries"},` +
	`"facts":{"type":"array","items":{"type":"object","properties":{"subject":{"type":"string"},"statement":{"type":"string"}},` +
	`"required":["statement"]}},` +
	`"rawConcept":{"type":"object","properties":{"task":{"type":"string"},` +
	`"files":{"type":"array","items":{"type":"string"},"description":"Code it is about"}}},` +
	`"narrative":{"type":"object","properties":{"rules":{"type":"string"}}}}},` +
	`"to":{"type":"string","description":"MOVE: new path"},` +
	`"mergeTarget":{"type":"string"}},` +
	`"required":["type","path","reason"]}`

func propose(ctx context.Context, c *call) (answer, error) {
	operations := c.raw("operations")
	sources := len(c.texts("files")) > 0 || c.text("changes") != ""
	switch {
	case operations == nil && sources:
		return draft(ctx, c)
	case operations == nil:
		return answer{}, errors.New("operations: required unless you give files or changes to draft from")
	case sources || c.text("instruction") != "" || c.text("topic") != "":
		return answer{}, errors.New(
			"operations: cannot be given with files, changes, instruction or topic, which are for a draft")
	}
	batch, err := plan.ParseBatch(operations)
	if err != nil {
		return answer{}, fmt.Errorf(
			"%w; the keys of an operation are type, path, title, summary, reason, content, replace, to, mergeTarget, "+
				"mergeTargetTitle, confidence, impact", err)
	}
	// Every proposal of an agent waits for a person.
	batch.Hold, batch.Author, batch.DryRun, batch.Origin = plan.HoldAll, c.author(), c.flag("dry_run"), c.origin()
	r, err := curation.Curate(ctx, c.ws, batch)
	if err != nil {
		return answer{}, err
	}
	return proposed(r, r.Diff+r.Held, batch.DryRun), nil
}

// author names the proposer, for the audit log.
func (c *call) author() string { return "mcp: " + c.client }

// origin describes the writer of this call's proposals.
func (c *call) origin() format.Origin { return format.Origin{Kind: format.OriginAgent, Tool: c.client} }

// draft lets the workspace draft operations, and returns them so that the agent can improve them.
func draft(ctx context.Context, c *call) (answer, error) {
	req := drafting.ProposeRequest{
		Files: c.texts("files"), Changes: c.text("changes"), Instruction: c.text("instruction"), Topic: c.text("topic"),
		DryRun: c.flag("dry_run"), Author: c.author(), Origin: c.origin(),
	}
	r, err := drafting.Propose(ctx, c.view, req)
	if err != nil {
		return answer{}, err
	}
	a := proposed(r.Report, "", req.DryRun)
	switch {
	case len(r.Operations) == 0 && len(r.Undecided) > 0:
		a.words = "Nothing was proposed because the topic is not clear. Choose a topic below or a better one, and call again with topic.\n"
	case len(r.Operations) == 0:
		a.words = "There is nothing to propose.\n"
	case req.DryRun && !a.failed:
		a.words = "This is a draft: nothing was proposed or changed. Improve the operations below, one on each line, and propose them.\n"
	case r.Report.Batch != 0:
		a.words += "The operations follow, one on each line. If you propose better ones, tell the user to reject this review.\n"
	}
	for _, note := range r.Notes {
		a.data += "Note: " + sanitize.Line(note, 300) + "\n"
	}
	for _, u := range r.Undecided {
		a.data += "Needs a topic: " + sanitize.Line(u.Title, 300) + " (" + sanitize.Line(u.Source, 300) + ")\n"
		for _, c := range u.Choices {
			a.data += "- " + sanitize.Line(c.Topic, 300) + ": " + sanitize.Line(c.Reason, 300) + "\n"
		}
	}
	for _, op := range r.Operations {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(op); err != nil {
			return answer{}, err
		}
		a.data += line.String()
	}
	return a, nil
}

// proposed returns the answer for a proposal.
func proposed(r *plan.Report, diff string, dry bool) answer {
	a := outcome(r)
	if diff != "" {
		a.data += "\n" + diff
	}
	a.parts.(*outcomes).DryRun, a.parts.(*outcomes).Review = dry, r.Batch
	none := "Nothing was proposed"
	if dry {
		none = "This was a dry run, and nothing would be proposed"
	}
	switch failed := r.Summary.Failed; {
	case r.Batch == 0 && r.Summary.Pending == 0 && failed == 0:
		a.words = none + ": the entries already say all of it.\n"
	case r.Batch == 0 && r.Summary.Pending == 0:
		which := "every operation failed"
		if failed < len(r.Results) {
			which = words.Counted(failed, "operation", "operations") + " failed, and the entries already say the rest"
		}
		a.failed, a.words = true, none+": "+which+". Read each message, change the operation and call again.\n"
	case dry && failed > 0:
		a.words = "This was a dry run: nothing was proposed or changed. The changes would be proposed, except for " +
			words.Counted(failed, "operation", "operations") + " that failed. Read the messages, correct those operations, and call again without dry_run.\n"
	case dry:
		a.words = "This was a dry run: nothing was proposed or changed. To propose the changes, call again without dry_run.\n"
	default:
		a.words = waits(r)
		if failed > 0 {
			a.words += words.Counted(failed, "operation", "operations") + " failed. Read the messages, and propose only those again.\n"
		}
	}
	return a
}

// waits describes a pending proposal, and how a person decides on it.
func waits(r *plan.Report) string {
	state := fmt.Sprintf("Proposed as review %d; no entry has changed yet.", r.Batch)
	if r.Waited {
		state = fmt.Sprintf("This change already waits for review, in batch %d.", r.Batch)
	}
	return fmt.Sprintf("%s A person sees it with `brv-lsp review show %[2]d%[3]s`"+
		" and decides with `brv-lsp review approve %[2]d%[3]s` or `reject %[2]d%[3]s`. Tell the user.\n", state, r.Batch, inTree(r.Tree))
}

// outcomes is the structured part of a batch's result.
type outcomes struct {
	Review  int             `json:"review,omitempty"` // the batch that a person has to approve
	DryRun  bool            `json:"dryRun,omitempty"`
	Results []outcomeResult `json:"results"`
}

type outcomeResult struct {
	Type    plan.OpType `json:"type"`
	Path    string      `json:"path"`
	Status  plan.Status `json:"status"`
	Message string      `json:"message,omitempty"`
}

// outcome lists the results of a batch's operations.
func outcome(r *plan.Report) answer {
	parts := &outcomes{Results: []outcomeResult{}}
	var b strings.Builder
	for i, op := range r.Results {
		parts.Results = append(parts.Results, outcomeResult{op.Type, sanitize.Line(op.Path, 400), op.Status,
			sanitize.Line(op.Message, 300)})
		fmt.Fprintf(&b, "[%d] %s %s: %s: %s\n", i+1, op.Type, sanitize.Line(op.Path, 400), op.Status, sanitize.Line(op.Message, 300))
	}
	for _, c := range r.Comments {
		b.WriteString(c.String() + "\n")
	}
	return answer{data: b.String(), parts: parts}
}

// inTree returns the option that commands about another tree of the user need.
func inTree(name string) string {
	if name == "" {
		return ""
	}
	return " --tree " + name
}
