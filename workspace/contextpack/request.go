package contextpack

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
)

// The limits of a pack's request, beside those of every answer.
const (
	maxTask      = 256 << 10 // bytes: an issue with a long log
	maxPlaces    = 256
	maxPinned    = 64
	maxPlaceText = 4 << 10 // bytes; what is longer is cut
	maxBoost     = 10
)

// PackRequest asks for the knowledge and the code that a task needs. With Path, Offset
// and Boost it is the specification's getEnhancedContext: Task is its task, BudgetTokens
// its maxTokens, Path its editingFile, Offset its editingPosition as a byte offset, and
// Boost its lspBoostFactor; what refers to the edited file, what it depends on and the
// names at the cursor count then. What an editor's own language servers know comes as
// Places.
type PackRequest struct {
	Task         string      `json:"task" flag:"task"`
	BudgetTokens int         `json:"budgetTokens" flag:"budget"`
	Path         string      `json:"path,omitempty" flag:"file"`   // the open file
	Offset       *int        `json:"offset,omitempty" flag:"line"` // the cursor in it, in bytes
	Visible      *[2]int     `json:"visible,omitempty"`            // what of it is on the screen, in bytes
	Places       []PackPlace `json:"places,omitempty"`             // further places that the editor knows
	// the weight of the open file beside the task; 0: the default, 0.2
	Boost float64 `json:"boost,omitempty" flag:"boost"`
	// relevance_first (default), importance_first, breadth_first, depth_first
	Strategy     string `json:"strategy,omitempty" flag:"strategy"`
	IncludeTests bool   `json:"includeTests,omitempty" flag:"tests"` // the pack can contain test files
	// the pack can contain files of type definitions; the default is true
	IncludeTypes *bool    `json:"includeTypes,omitempty"`
	Include      []string `json:"include,omitempty" flag:"include,list"` // `knowledge`, `code`; empty: both
	Tokenizer    string   `json:"tokenizer,omitempty" flag:"tokenizer"`  // the tokenizer; the default is o200k_base
	Fill         bool     `json:"fill,omitempty" flag:"fill"`            // use the whole budget, even for items that are hardly needed
	Reasons      bool     `json:"reasons,omitempty" flag:"reasons"`      // write into the text why each item is included
	DeadlineMs   int      `json:"deadlineMs,omitempty" flag:"deadline"`  // after this time, return the best result so far; 0: no deadline
	Without      []string `json:"without,omitempty"`                     // entries, sections of documents and files to leave out
	// Pinned lists entries, sections of documents (page.md › Title), files and symbols (path#Name) that come first in
	// the pack, each up to half of the budget.
	Pinned []string `json:"pinned,omitempty"`
	// also ask the user's organisation; a sixth of the budget is kept for entries of other repositories
	Organisation bool `json:"organisation,omitempty" flag:"organisation"`
	Unasked      bool `json:"-"` // nobody asked for it: it is no use of its entries, and not kept
}

// PackPlace is a place in a file that makes the file more relevant. brv-lsp ignores it if the file does not exist or
// is shorter.
type PackPlace struct {
	Path   string `json:"path"`
	Offset *int   `json:"offset,omitempty"` // in bytes; missing: the whole file
	Kind   string `json:"kind"`             // open, edit, problem or reference
	Text   string `json:"text,omitempty"`   // the message of a problem
	AgeMs  int    `json:"ageMs,omitempty"`  // the age of an edit
}

// What the words of a request mean.
var (
	strategies = []codebase.Strategy{"", codebase.RelevanceFirst, codebase.ImportanceFirst, codebase.BreadthFirst, codebase.DepthFirst}
	placeKinds = []pack.PlaceKind{pack.PlaceOpen, pack.PlaceEdit, pack.PlaceProblem, pack.PlaceReference}
	included   = map[string]pack.Kind{"knowledge": pack.KindEntry, "code": pack.KindCode}
)

// task checks all of a request that needs no file, and reads it.
func (req PackRequest) task() (pack.Task, *tokens.Encoding, error) {
	t := pack.Task{
		Text: req.Task, Budget: req.BudgetTokens, File: req.Path, Offset: -1, Boost: req.Boost, Strategy: codebase.Strategy(req.Strategy),
		IncludeTests: req.IncludeTests, ExcludeTypes: req.IncludeTypes != nil && !*req.IncludeTypes,
		Without: req.Without, Ends: !req.Fill, Reasons: req.Reasons,
	}
	if err := req.checkNumbers(); err != nil {
		return t, nil, err
	}
	switch {
	case strings.TrimSpace(req.Task) == "":
		return t, nil, workspace.WrongField("task", "the task is empty; say what you want to do")
	case len(req.Task) > maxTask:
		return t, nil, workspace.WrongField("task", "%d bytes; the limit is %d", len(req.Task), maxTask)
	case !slices.Contains(strategies, t.Strategy):
		return t, nil, workspace.WrongField("strategy", "no strategy %q; the strategies are %s", workspace.Clipped(req.Strategy),
			strings.Trim(fmt.Sprint(strategies[1:]), "[]"))
	}
	for _, name := range req.Include {
		kind, ok := included[name]
		if !ok {
			return t, nil, workspace.WrongField("include", "must be knowledge or code, not %q", workspace.Clipped(name))
		}
		if !slices.Contains(t.Kinds, kind) {
			t.Kinds = append(t.Kinds, kind)
		}
	}
	counter, err := tokens.Named(req.Tokenizer)
	if err != nil {
		return t, nil, workspace.WrongField("tokenizer", "%v", err)
	}
	return t, counter, req.checkPlaces()
}

func (req PackRequest) checkNumbers() error {
	switch {
	case req.BudgetTokens < 1 || req.BudgetTokens > limits.MaxPack:
		return workspace.WrongField("budgetTokens", "must be 1 to %[2]d, not %[1]d", req.BudgetTokens, limits.MaxPack)
	case len(req.Pinned) > maxPinned:
		return workspace.WrongField("pinned", "%d items; the limit is %d", len(req.Pinned), maxPinned)
	case !(req.Boost >= 0 && req.Boost <= maxBoost): // NaN is neither
		return workspace.WrongField("boost", "must be 0 to %[2]d, not %[1]v", req.Boost, maxBoost)
	}
	return limits.CheckDeadline(req.DeadlineMs)
}

func (req PackRequest) checkPlaces() error {
	if len(req.Places) > maxPlaces {
		return workspace.WrongField("places", "%d items; the limit is %d", len(req.Places), maxPlaces)
	}
	for i, p := range req.Places {
		field := fmt.Sprintf("places[%d].", i)
		switch {
		case !fs.ValidPath(p.Path):
			return workspace.WrongField(field+"path", "%q is not a path inside the folder", workspace.Clipped(p.Path))
		case !slices.Contains(placeKinds, pack.PlaceKind(p.Kind)):
			return workspace.WrongField(field+"kind", "no kind %q; the kinds are %s", workspace.Clipped(p.Kind),
				strings.Trim(fmt.Sprint(placeKinds), "[]"))
		case p.Offset != nil && *p.Offset < 0:
			return workspace.WrongField(field+"offset", "must be 0 or more, not %d", *p.Offset)
		case p.AgeMs < 0:
			return workspace.WrongField(field+"ageMs", "must be 0 or more, not %d", p.AgeMs)
		}
	}
	return nil
}

// placed puts the open file, the cursor and the other places of a request into its
// task, as the texts of a view have them.
func (req PackRequest) placed(t *pack.Task, v *workspace.View) error {
	if req.Path == "" {
		switch {
		case req.Offset != nil:
			return workspace.WrongField("offset", "give the path of the file too")
		case req.Visible != nil:
			return workspace.WrongField("visible", "give the path of the file too")
		}
	} else if err := req.opened(t, v); err != nil {
		return err
	}
	for _, p := range req.Places {
		place := pack.Place{Path: p.Path, Offset: -1, Kind: pack.PlaceKind(p.Kind), Age: time.Duration(p.AgeMs) * time.Millisecond}
		place.Text = strings.ToValidUTF8(p.Text[:min(len(p.Text), maxPlaceText)], "")
		if text, ok := v.Text(p.Path); !ok {
			continue
		} else if p.Offset != nil && *p.Offset <= len(text) {
			place.Offset = *p.Offset
		}
		t.Places = append(t.Places, place)
	}
	return nil
}

// opened puts the open file into a task.
func (req PackRequest) opened(t *pack.Task, v *workspace.View) error {
	if !fs.ValidPath(req.Path) {
		return workspace.WrongField("path", "%q is not a path inside the folder", workspace.Clipped(req.Path))
	}
	text, ok := v.Text(req.Path)
	if !ok {
		return workspace.WrongField("path", "%s is not a readable text file of this folder", workspace.Clipped(req.Path))
	}
	if at := req.Offset; at != nil {
		if *at < 0 || *at > len(text) {
			return workspace.WrongField("offset", "%d is outside of %s, which has %d bytes", *at, req.Path, len(text))
		}
		t.Offset = *at
	}
	if see := req.Visible; see != nil {
		if see[0] < 0 || see[0] > see[1] || see[1] > len(text) {
			return workspace.WrongField("visible", "%d to %d is outside of %s, which has %d bytes", see[0], see[1], req.Path, len(text))
		}
		t.Visible = syntax.Span{Start: see[0], End: see[1]}
	}
	return nil
}

// pin adds the pinned items of a request to its task, and pinned sections of documents to the tree of the
// pack. It lists the items that do not exist: they may have been renamed since.
func (req PackRequest) pin(ctx context.Context, v *workspace.View, in *pack.Inputs, t *pack.Task) (gone []string) {
	set, found := documents.Empty(), map[string]*format.Entry{}
	if strings.Contains(strings.Join(req.Pinned, "\n"), format.SectionSign) {
		if all, err := v.Documents(ctx); err == nil {
			set = all
		}
	}
	for _, p := range req.Pinned {
		_, known := in.Tree.Entry(p)
		if _, file := in.Code.Chunk(p); file {
			known = true
		}
		if _, _, ok := set.Section(p); ok && !known {
			found[p], known = set.Snapshot().Entry(p)
		}
		if path, at, ok := symbolNamed(in.Code, p); ok && !known {
			t.Places = append(t.Places, pack.Place{Path: path, Offset: at, Kind: pack.PlacePinned})
			p, known = path, true
		}
		if known {
			t.Pinned = append(t.Pinned, p)
		} else {
			gone = append(gone, p)
		}
	}
	if len(found) > 0 {
		in.Tree = in.Tree.Update(found)
	}
	return gone
}

// symbolNamed finds the symbol of a file that path#Name or path#Container.Name means.
func symbolNamed(code *codebase.RepoMap, p string) (path string, offset int, ok bool) {
	i := strings.LastIndexByte(p, '#')
	if i < 0 {
		return "", 0, false
	}
	path, name := p[:i], p[i+1:]
	chunk, ok := code.Chunk(path)
	if !ok {
		return "", 0, false
	}
	for _, s := range chunk.Symbols() {
		if s.Name == name || s.Container+"."+s.Name == name {
			return path, s.NameAt.Start, true
		}
	}
	return "", 0, false
}
