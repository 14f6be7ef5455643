package drafting

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// DraftRequest asks for an entry about a selection or a place.
type DraftRequest struct {
	Path  string `json:"path"`  // path of the file; leave it out if the statement is about no place
	Start int    `json:"start"` // the beginning of the selection, in bytes
	End   int    `json:"end"`

	Statement string `json:"statement,omitempty"` // what the next person should know; the entry then refers to the selection
	// Topic is the topic of the entry, domain/topic. Without it, the likeliest topic is used. With `statement`, it
	// can begin with the name of another tree of the user: "team:money/rates".
	Topic string `json:"topic,omitempty"`
}

// DraftResponse is a planned entry, which is not written.
type DraftResponse struct {
	Path  string `json:"path"` // the path in the folder
	Title string `json:"title"`
	Text  string `json:"text"`
	// Operation adds the entry to another tree, by brv/curate/apply: at once to the user's own, as a proposal to
	// others.
	Operation *plan.Op `json:"operation,omitempty"`
	// Topics are the topics to choose from, the likeliest first, if the request has a statement and no topic.
	Topics []curate.Choice `json:"topics,omitempty"`
}

// Draft plans an entry from a selection in any file of the folder.
func Draft(ctx context.Context, v *workspace.View, req DraftRequest) (*DraftResponse, error) {
	sel, err := selected(ctx, v, req)
	if err != nil {
		return nil, err
	}
	var topics []curate.Choice
	if req.Statement != "" && req.Topic == "" {
		if topics, err = topicsOf(ctx, v, sel); err != nil {
			return nil, err
		}
		sel.Topic = topics[0].Topic
	}
	_, _, other := format.CutTree(req.Topic)
	t := v.Tree()
	if other {
		t = v.Trees()
	} else if sel.Statement != "" { // who says the same again is shown the draft that is not saved yet, and no second one
		t = v.Disk()
	}
	d, err := curate.Plan(sel, t, v.Now())
	if err != nil {
		return nil, err
	}
	if other {
		op := plan.Op{Type: plan.OpAdd, Path: d.Path, Text: d.Text, Reason: "written while reading " + path.Base(v.Files().Dir())}
		return &DraftResponse{Path: v.FilePath(d.Path), Title: d.Title, Text: d.Text, Operation: &op}, nil
	}
	if format.Parse(d.Path, d.Text).Unmerged() != nil {
		return nil, fmt.Errorf("%s: the selection contains a merge conflict; resolve it first", req.Path)
	}
	if v.Files().Linked(workspace.TreeDir, d.Path) {
		return nil, fmt.Errorf("%s leads through a symbolic link, and symbolic links are not followed;"+
			" replace the link with the folder itself", v.FilePath(d.Path))
	}
	return &DraftResponse{Path: v.FilePath(d.Path), Title: d.Title, Text: d.Text, Topics: topics}, nil
}

// MaxStatement bounds a person's statement about a selection, in bytes: it is a sentence or two.
const MaxStatement = 2000

// topicsOf are the topics to choose from for a draft; at least one. Without the search they come from links.
func topicsOf(ctx context.Context, v *workspace.View, sel curate.Selection) ([]curate.Choice, error) {
	soon, cancel := v.Within(ctx, workspace.Answer)
	defer cancel()
	p := curate.Project{Tree: v.Tree(), Search: v.LateSearch(), Now: v.Now()}
	topics, err := curate.Topics(soon, p, sel)
	if err != nil && ctx.Err() == nil {
		p.Search = nil
		topics, err = curate.Topics(ctx, p, sel)
	}
	if err == nil {
		for _, name := range workspace.OtherNames(v) {
			reason := "a proposal in the tree " + name
			if name == workspace.OwnTree {
				reason = "your own tree, outside any repository"
			}
			topics = append(topics, curate.Choice{Topic: name + ":" + topics[0].Topic, Reason: reason})
		}
	}
	return topics, err
}

// selected reads a selection, without credentials. It redacts the whole file first, since the selected lines
// of a key may not be recognisable as one.
func selected(ctx context.Context, v *workspace.View, req DraftRequest) (curate.Selection, error) {
	if len(req.Statement) > MaxStatement {
		return curate.Selection{}, workspace.WrongField("statement", "must be at most %d bytes", MaxStatement)
	}
	name, topic, other := format.CutTree(req.Topic)
	if req.Topic != "" {
		if err := curate.CheckTopic(topic); err != nil {
			return curate.Selection{}, workspace.WrongField("topic", "%v", err)
		}
	}
	said := curate.Selection{Statement: secrets.Redact(req.Statement), Topic: req.Topic}
	if other && said.Statement == "" {
		return said, workspace.WrongField("statement", "is required for the tree %q", name)
	}
	if other && !slices.Contains(workspace.OtherNames(v), name) {
		return said, workspace.WrongField("topic", "this machine has no tree %q; `brv-lsp tree list` lists your trees", name)
	}
	if said.Statement != "" && (other || req.Path == "" || req.Path == ".") { // another tree does not know this folder's files
		return said, nil
	}
	text, ok := v.Text(req.Path)
	if !ok {
		return curate.Selection{}, fmt.Errorf("%s is not a readable text file of this folder", req.Path)
	}
	if req.Start < 0 || req.End < req.Start || req.End > len(text) || strings.TrimSpace(text[req.Start:req.End]) == "" {
		return curate.Selection{}, fmt.Errorf("%s: select some text first", req.Path)
	}
	entry, _ := v.EntryPath(req.Path)
	return curate.Selection{
		Statement: said.Statement, Topic: req.Topic,
		Path: req.Path, Entry: entry, Text: secrets.Veil(text).Part(req.Start, req.End), Language: languageOf(req.Path),
		Symbol:    symbolAround(v.Symbols(ctx, req.Path, text), req),
		StartLine: 1 + strings.Count(text[:req.Start], "\n"),
		EndLine:   1 + strings.Count(strings.TrimRight(text[:req.End], "\r\n"), "\n"),
	}, nil
}

// symbolAround names what is selected: the first definition that begins inside
// the selection, else the smallest one around it.
func symbolAround(symbols []syntax.Symbol, req DraftRequest) string {
	name, size := "", 0
	for _, s := range symbols {
		at := s.Range
		if req.Start <= at.Start && at.Start < req.End {
			return s.Name
		}
		if at.Start <= req.Start && req.End <= at.End && (name == "" || at.End-at.Start < size) {
			name, size = s.Name, at.End-at.Start
		}
	}
	return name
}

// languageOf is the code fence's info string for a file.
func languageOf(p string) string {
	if l := syntax.LanguageOf(p); l != "" {
		return string(l)
	}
	return strings.TrimPrefix(path.Ext(p), ".")
}
