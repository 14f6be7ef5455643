package drafting

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// DraftRequest asks for an entry that keeps a selection.
type DraftRequest struct {
	Path  string `json:"path"`  // workspace path of the file
	Start int    `json:"start"` // the selection, in bytes
	End   int    `json:"end"`
}

// DraftResponse is a planned entry; nothing is written.
type DraftResponse struct {
	Path  string `json:"path"` // workspace path
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Draft plans an entry from a selection in any file of the folder.
func Draft(ctx context.Context, v *workspace.View, req DraftRequest) (*DraftResponse, error) {
	sel, err := selected(ctx, v, req)
	if err != nil {
		return nil, err
	}
	d, err := curate.Plan(sel, v.Tree(), v.Now())
	if err != nil {
		return nil, err
	}
	if format.Parse(d.Path, d.Text).Unmerged() != nil {
		return nil, fmt.Errorf("%s: what is selected is in merge conflict: choose a side first", req.Path)
	}
	if v.Files().Linked(workspace.TreeDir, d.Path) {
		return nil, fmt.Errorf("%s: a link stands there or on the way; links are not followed:"+
			" put the folder itself in its place", v.FilePath(d.Path))
	}
	return &DraftResponse{Path: v.FilePath(d.Path), Title: d.Title, Text: d.Text}, nil
}

// selected reads a selection, without the credentials that it is a part of: the lines of a
// key do not show what they are.
func selected(ctx context.Context, v *workspace.View, req DraftRequest) (curate.Selection, error) {
	text, ok := v.Text(req.Path)
	if !ok {
		return curate.Selection{}, fmt.Errorf("%s: not a readable text file of this folder", req.Path)
	}
	if req.Start < 0 || req.End < req.Start || req.End > len(text) || strings.TrimSpace(text[req.Start:req.End]) == "" {
		return curate.Selection{}, fmt.Errorf("%s: select the text to keep first", req.Path)
	}
	entry, _ := v.EntryPath(req.Path)
	return curate.Selection{
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
