package transfer

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

// PromoteRequest names a section of a document.
type PromoteRequest struct {
	Path string `json:"path"` // the path of the document in the folder
	// the anchor or title of the section, which includes the sections below it; "": the whole document
	Heading string    `json:"heading,omitempty"`
	Topic   string    `json:"topic,omitempty"` // domain/topic or domain/topic/subtopic; "": named after the document's folder
	DryRun  bool      `json:"dryRun,omitempty"`
	Author  string    `json:"author,omitempty"`
	Hold    plan.Hold `json:"hold,omitempty"`
}

// Promote makes an entry of a section of a document. The entry has the text as it stands, and says where it comes from;
// from then on searches and packs tell the entry, and not the section, as long as both say the same.
func Promote(ctx context.Context, w *workspace.Workspace, r PromoteRequest) (*plan.Report, error) {
	op, err := promotion(ctx, w.View(), r)
	if err != nil {
		return nil, err
	}
	b := plan.Batch{Ops: []plan.Op{op}, Author: r.Author, DryRun: r.DryRun, Hold: r.Hold}
	return curation.Curate(ctx, w, b)
}

func promotion(ctx context.Context, v *workspace.View, r PromoteRequest) (op plan.Op, err error) {
	set, err := v.Documents(ctx)
	if err != nil {
		return op, err
	}
	d, ok := set.Document(r.Path)
	if !ok {
		return op, fmt.Errorf("%w: %s is not a document of this folder", workspace.ErrRequest, workspace.Clipped(r.Path))
	}
	title, im := d.Title, format.Imported{From: d.Path}
	if r.Heading != "" {
		s := sectionCalled(d, r.Heading)
		if s == nil {
			return op, fmt.Errorf("%w: %s has no section %q; its sections are %s", workspace.ErrRequest, d.Path, workspace.Clipped(r.Heading),
				strings.Join(workspace.FirstOf(anchors(d), 12), ", "))
		}
		title = s.Title
		im.From += "#" + d.AnchorOf(s)
	} else if strings.Contains(d.Path, "#") { // the last of them ends the path
		im.From += "#"
	}
	_, anchor := im.Source()
	at, _ := d.Whole(anchor)
	text := at.Of(d.Text)
	im.Hash = format.SourceHash(text)
	t := v.Tree()
	if e, ok := v.PromotedFrom(im.From); ok {
		return op, fmt.Errorf("%w: an entry was already made from %s: %s", workspace.ErrRequest, im.From, e.Path)
	}
	dir := r.Topic
	if dir == "" {
		dir = vault.TopicOf(strings.TrimSuffix(d.Path, path.Ext(d.Path)))
	}
	if err := format.CheckFolderPath(dir); err != nil || !strings.Contains(dir, "/") {
		return op, fmt.Errorf("%w: the topic must be domain/topic or domain/topic/subtopic, not %q", workspace.ErrRequest, workspace.Clipped(dir))
	}
	p := t.FreePath(dir, title)
	made, err := im.Into(p, text)
	return plan.Op{Type: plan.OpAdd, Path: p, Text: made, Reason: "promoted from " + im.From}, err
}

// sectionCalled is the section that a heading's anchor or title means, nil if none does.
func sectionCalled(d *documents.Document, heading string) *documents.Section {
	if s := d.Anchored(heading); s != nil {
		return s
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Level > 0 && strings.EqualFold(s.Title, heading) {
			return s
		}
	}
	return nil
}

func anchors(d *documents.Document) (out []string) {
	for i := range d.Sections {
		if d.Sections[i].Level > 0 {
			out = append(out, "#"+d.AnchorOf(&d.Sections[i]))
		}
	}
	return out
}
