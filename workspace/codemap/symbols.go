package codemap

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// How many symbols a request gets.
const (
	DefaultSymbols = 50
	MaxSymbols     = 1_000
)

// SymbolsRequest asks for definitions by name.
type SymbolsRequest struct {
	Query string `json:"query"`                        // a name, a part of a name, Container.Name, or as in code: src/a.go:Name()
	Kind  string `json:"kind,omitempty" flag:"kind"`   // function, method, class, …; "": all
	Limit int    `json:"limit,omitempty" flag:"limit"` // the most definitions; 50 if 0, at most 1,000
}

// SymbolsResponse lists the definitions that fit, the closest matches first. Among equal ones, those of important
// files come first.
type SymbolsResponse struct {
	Symbols []FoundSymbol `json:"symbols"`
	Total   int           `json:"total"`          // the number of all definitions that fit
	Left    int           `json:"left"`           // the number of definitions that are not listed
	Note    string        `json:"note,omitempty"` // why definitions may be missing
}

// FoundSymbol is one definition.
type FoundSymbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Container string `json:"container,omitempty"` // the types, modules or receiver around it, the outermost first
	Path      string `json:"path"`
	Line      int    `json:"line"` // 1-based
	Signature string `json:"signature"`
	Exported  bool   `json:"exported"`
	Match     string `json:"match"` // exact, same (except for case and separators), prefix, words, part
}

// Symbols finds definitions by their names. It waits for the first read of the code.
func Symbols(ctx context.Context, v *workspace.View, req SymbolsRequest) (*SymbolsResponse, error) {
	kinds := codebase.SymbolKinds()
	switch {
	case strings.TrimSpace(req.Query) == "":
		return nil, fmt.Errorf("%w: the query is empty; give a name or a part of one", workspace.ErrRequest)
	case req.Kind != "" && !slices.Contains(kinds, syntax.Kind(req.Kind)):
		return nil, fmt.Errorf("%w: no kind %q; the kinds are %s", workspace.ErrRequest, req.Kind,
			strings.ReplaceAll(strings.Trim(fmt.Sprint(kinds), "[]"), " ", ", "))
	case req.Limit < 0 || req.Limit > MaxSymbols:
		return nil, fmt.Errorf("%w: the limit must be 1 to %d symbols", workspace.ErrRequest, MaxSymbols)
	}
	v, err := v.Complete(ctx)
	if err != nil {
		return nil, err
	}
	code := v.Code()
	q := codebase.SymbolQuery{Text: req.Query, Kind: syntax.Kind(req.Kind), Limit: cmp.Or(req.Limit, DefaultSymbols)}
	found, total := code.FindSymbols(q)
	if total == 0 {
		found, total = findAsMeant(v, q)
	}
	r := &SymbolsResponse{Symbols: []FoundSymbol{}, Total: total, Left: total - len(found), Note: unknownSymbols(code, total)}
	for _, f := range found {
		s := f.Symbol
		r.Symbols = append(r.Symbols, FoundSymbol{
			Name: s.Name, Kind: string(s.Kind), Container: s.Container, Path: f.Path, Line: s.Line,
			Signature: s.Signature, Exported: s.Exported, Match: f.Match.String(),
		})
	}
	return r, nil
}

// around matches the text around a name in code: words before it, its call, its receiver, parameters and type
// arguments.
var around = lazyregexp.New("^(?:[\\w*&]+\\s+)+|^[\\s`'\"(*&@]+|[\\s`'\"*&]+$|\\)|[(<\\[].*$")

// inFile splits a file and a symbol in it, src/pay.go:Charge.
var inFile = lazyregexp.New(`^(.*?[^:#])(?:::|[:#])([^/:#].*)$`)

// findAsMeant finds queries that match no name as written: Charge(), (*Server).Charge, src/pay.go:Charge,
// src/pay.go:7:Charge, and pkg.Charge if only the last name is defined.
func findAsMeant(v *workspace.View, q codebase.SymbolQuery) (found []codebase.FoundSymbol, total int) {
	limit, text, file := q.Limit, q.Text, ""
	for m := inFile().FindStringSubmatch(text); m != nil; m = inFile().FindStringSubmatch(text) {
		if p, err := locate.Locate(v, m[1]); err == nil {
			file, text = p, m[2]
		} else if base := path.Base(m[1]); path.Ext(base) != "" && file == "" {
			file, text = base, m[2]
		} else {
			break
		}
	}
	q.Text, q.Limit = around().ReplaceAllString(text, ""), MaxSymbols
	for {
		found, total = v.Code().FindSymbols(q)
		found = slices.DeleteFunc(found, func(f codebase.FoundSymbol) bool { return file != "" && !strings.HasSuffix("/"+f.Path, "/"+file) })
		if file != "" {
			total = len(found)
		}
		i := strings.IndexAny(q.Text, ".:#/\\>")
		if total > 0 || i < 0 {
			return found[:min(len(found), limit)], total
		}
		q.Text = strings.TrimLeft(q.Text[i:], ".:#/\\>")
	}
}

// WithoutSyntax says that this program cannot read definitions and imports; "" if it can.
func WithoutSyntax() string {
	if syntax.Available {
		return ""
	}
	return "this program was built without cgo, so it cannot read definitions and imports"
}

// unknownSymbols says why definitions may be missing from an answer with that many.
func unknownSymbols(code *codebase.RepoMap, found int) string {
	switch {
	case !syntax.Available:
		return WithoutSyntax()
	case code.Pending() > 0:
		return "the definitions of " + words.Counted(code.Pending(), "file", "files") + " are still being read"
	}
	note := ""
	if parts := Partly(code); parts > 0 {
		note = words.Counted(parts, "file was", "files were") + " not read completely, so definitions may be missing; `brv-lsp " +
			"map` lists these files"
	}
	if found == 0 {
		note = strings.Trim(note+"; "+code.LeftOut(), "; ")
	}
	return note
}

// Partly counts the files of which a part could not be read, or all.
func Partly(code *codebase.RepoMap) int {
	n := len(code.Skipped())
	for _, c := range code.Chunks() {
		if c.Partial != "" && !c.Pending() {
			n++
		}
	}
	return n
}
