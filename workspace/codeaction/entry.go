package codeaction

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// generatedAction undoes manual edits of a generated file, at the places of its problem or its title.
func generatedAction(v *workspace.View, e *format.Entry, at markdown.Span, title bool) (Action, bool) {
	if !handEdited(v, e) {
		return Action{}, false
	}
	problem, code := format.GeneratedEdited(e).At, format.CodeEdited
	if len(e.Conflicts) > 0 {
		problem, code = e.Conflicts[0].At, format.CodeConflict
	}
	if !title && (at.End < problem.Start || problem.End < at.Start) {
		return Action{}, false
	}
	f := refactor.Fix{ID: "generate", Title: "Generate this file again", Repairs: code, At: problem, Preferred: true}
	f.Plan = func() (refactor.Change, error) {
		text, ok := generated(v, e)
		if !ok {
			return refactor.Change{}, fmt.Errorf("%s cannot be generated because its folder is empty; delete the file", e.Path)
		}
		edit := markdown.TrimEdit(e.Text, markdown.Edit{At: markdown.Span{Start: 0, End: len(e.Text)}, New: text})
		return fixOf(v, e, f.ID, f.Title, edit).Plan()
	}
	return Action{Fix: f, Kind: KindFix}, true
}

// handEdited reports whether an entry is a generated file that somebody changed.
func handEdited(v *workspace.View, e *format.Entry) bool {
	if !e.Role.Generated() {
		return false
	}
	return diagnosis.Edits(v, e) || len(e.Conflicts) > 0
}

// generated is the text of a generated file without manual edits. A summary that fits its folder is the file
// on disk, whoever wrote it; otherwise it is made anew. The generated text of other files exists only on
// disk. ok is false if there is none.
func generated(v *workspace.View, e *format.Entry) (text string, ok bool) {
	disk, onDisk := v.Disk().Entry(e.Path)
	if e.Role != format.RoleSummary {
		if !onDisk {
			return "", false
		}
		return disk.Text, true
	}
	t := v.Tree().Without(e.Path)
	if onDisk {
		t = t.With(e.Path, disk.Text)
	}
	s, ok := derived.SummaryOf(t, strings.TrimPrefix(path.Dir(e.Path), "."))
	return s.Text, ok
}

// secretActions remove the secrets at a place from an entry, each wherever it occurs: if only its name were
// removed, nothing would mark the rest as a secret. No title or identifier repeats one.
func secretActions(v *workspace.View, e *format.Entry, at markdown.Span) (out []Action) {
	found := secrets.Veil(e.Text).Found()
	for _, s := range found[:min(len(found), diagnosis.MaxSecrets)] {
		if at.End < s.At.Start || s.At.End < at.Start {
			continue
		}
		var edits []markdown.Edit
		ok := true
		for _, twin := range found {
			if markdown.Span(twin.At).Of(e.Text) == markdown.Span(s.At).Of(e.Text) {
				edit, alike := redaction(e, twin)
				edits, ok = append(edits, edit), ok && alike
			}
		}
		f := fixOf(v, e, fmt.Sprintf("redact@%d", s.At.Start), "Replace the secret with [REDACTED]", edits...)
		f.Repairs, f.At, f.Preferred = format.CodeSecret, markdown.Span(s.At), true
		if !ok {
			f.Disabled = "the secret cannot be replaced safely in the frontmatter; edit it yourself"
		}
		out = append(out, Action{Fix: f, Kind: KindFix})
	}
	return out
}

// redaction puts [REDACTED:rule] in a secret's place, in quotes where frontmatter would
// else read it as a list. It has no digits of a hash as [secrets.Redact] has: an entry's
// readers share no key, and without one they would help to guess the secret.
func redaction(e *format.Entry, s secrets.Finding) (ed markdown.Edit, ok bool) {
	word := "[REDACTED:" + s.Rule + "]"
	for _, put := range []string{word, `"` + word + `"`} {
		ed = markdown.Edit{At: markdown.Span(s.At), New: put}
		if s.At.Start >= e.Body.Start || readsAlike(e, ed) {
			return ed, true
		}
	}
	return markdown.Edit{}, false
}

// readsAlike reports whether an edit keeps the fields of the frontmatter, each with as many values, and
// causes no problem.
func readsAlike(e *format.Entry, ed markdown.Edit) bool {
	after := format.Parse(e.Path, markdown.ApplyEdits(e.Text, []markdown.Edit{ed}))
	return len(after.Problems) <= len(e.Problems) && slices.EqualFunc(e.Fields, after.Fields, func(a, b format.Field) bool {
		return a.Key == b.Key && a.List == b.List && len(a.Items) == len(b.Items)
	})
}

// pageActions repair names in a document, or in all documents, of things that moved, and links to the former
// title of the heading at the place. None is applied unasked: other tools may own the documents.
func pageActions(ctx context.Context, v *workspace.View, req Request) (out []Action) {
	text, _ := v.Text(req.Path)
	add := func(repairs, id, title string, at markdown.Span, files ...refactor.File) {
		f := refactor.Fix{ID: id, Title: title, Repairs: repairs, At: at}
		f.Plan = func() (refactor.Change, error) { return refactor.Change{Title: title, Files: files}, nil }
		kind := KindRewrite
		if repairs != "" {
			kind = KindFix
		}
		out = append(out, Action{Fix: f, Kind: kind})
	}
	if !req.Wants(KindFix) && !req.Wants(KindRewrite) {
		return nil
	}
	for _, d := range drift.OfPageSoon(ctx, v, req.Path) {
		if d.Replace == "" || d.At.End > len(text) || d.Replace == d.At.Of(text) ||
			req.At.End < d.At.Start || d.At.End < req.At.Start {
			continue
		}
		add(format.CodeStale, fmt.Sprintf("update@%d", d.At.Start), "Update to "+d.Replace, d.At,
			refactor.File{Path: req.Path, Before: text, Edits: []markdown.Edit{{At: d.At, New: d.Replace}}})
		if files, count := drift.MovedLinks(ctx, v, d); count > 1 {
			add(format.CodeStale, "links@"+d.Path, fmt.Sprintf("Rewrite %d links to %s", count, d.Path), d.At, files...)
		}
	}
	if a, ok := promotion(v, req, text); ok {
		out = append(out, a)
	}
	lost := drift.LostLinks(ctx, v, req.Path, req.At.Start)
	for _, anchor := range slices.Sorted(maps.Keys(lost)) {
		count := 0
		for _, f := range lost[anchor] {
			count += len(f.Edits)
		}
		links := fmt.Sprintf("%d links", count)
		if count == 1 {
			links = "1 link"
		}
		add("", "heading@"+anchor, fmt.Sprintf("Rewrite %s to #%s", links, anchor), req.At, lost[anchor]...)
	}
	return out
}

// promotion makes an entry of the section whose heading the place is in.
func promotion(v *workspace.View, req Request, text string) (a Action, ok bool) {
	if !v.HasTree() || !req.Wants(KindRewrite) || !workspace.MayBePage(v, req.Path) {
		return a, false
	}
	anchor, ok := workspace.HeadingAt(req.Path, text, req.At.Start)
	if !ok {
		return a, false
	}
	a = Action{Fix: refactor.Fix{ID: "promote@" + anchor, Title: "Promote this section to an entry"}, Kind: KindRewrite,
		Command: "brv.promote", Request: map[string]any{"path": req.Path, "heading": anchor}}
	if e, ok := v.PromotedFrom(req.Path + "#" + anchor); ok {
		a.Disabled = "this section already has an entry: " + e.Path
	}
	return a, true
}

// markActions repair comments of a code file that name no entry, or several. If the selected lines have none,
// the code is not searched.
func markActions(ctx context.Context, v *workspace.View, req Request) (out []Action) {
	text, ok := v.Text(req.Path)
	if !ok || !v.HasTree() || !strings.Contains(req.At.Lines(text).Of(text), tree.MarkSign) {
		return nil
	}
	v = v.ForFile(ctx, req.Path)
	p := refactor.Project{Tree: v.Tree(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
	for _, m := range navigate.MarksIn(v, req.Path, text) {
		if m.Problem == "" || m.At.End < req.At.Start || req.At.End < m.At.Start {
			continue
		}
		for _, f := range refactor.MarkRepairs(p, req.Path, text, m.Relation) {
			out = append(out, Action{Fix: f, Kind: KindFix})
		}
	}
	return out
}
