package contextpack

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

const (
	// ruleSure is the score of a rule that applies by its globs: that of a direct answer.
	ruleSure = 0.85

	// maxRules is how many sections of long rule files are shown, and 1/rulesShare the part of the budget that they may take. Of
	// eight tasks that a rule of two repositories governs seven have it among the first two sections, all among the first four.
	maxRules   = 4
	rulesShare = 6
	usualToken = 4 // bytes of a token in ordinary text

	// leastShared is how many words a section of a rule file shares with a task at least, and 1/leastBeside the least of its
	// score beside that of the first one that is shown.
	leastShared = 2
	leastBeside = 5
)

// addRules adds the rules for some files, and those that always apply, to a pack: short ones as a whole, of
// long ones the sections that fit the task best. It reports whether it added any. byGlobs leaves out rules
// that always apply, which agents' hosts read by themselves.
func addRules(ctx context.Context, v *workspace.View, in *pack.Inputs, task pack.Task, files []string, byGlobs bool) bool {
	set, err := v.Documents(ctx)
	if err != nil {
		return false
	}
	found := map[string]*format.Entry{}
	var hits []retrieval.Hit
	add := func(e *format.Entry, h retrieval.Hit) {
		if _, there := in.Tree.Entry(e.Path); !there {
			found[e.Path] = e
			hits = append(hits, h)
		}
	}
	long := false
	for _, d := range set.All() {
		if !governs(d, files, byGlobs) {
			continue
		}
		e := d.RuleEntry()
		if d.Kind != documents.RuleFile || e.Body.Start == e.Body.End {
			long = true
			continue
		}
		add(e, retrieval.Hit{Path: e.Path, Title: e.Title, Score: ruleSure, Passage: e.Body, Via: "its globs"})
	}
	if long {
		for _, h := range fitting(ctx, v, set, task, files, byGlobs) {
			e, _ := set.Snapshot().Entry(h.Path)
			add(e, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b retrieval.Hit) int { return folders(b) - folders(a) }) // the nearest folder's first
	addTo(in, found, hits)
	return len(hits) > 0
}

// folders is how deep the file of a rule stands.
func folders(h retrieval.Hit) int {
	file, _, _ := format.SectionOf(h.Path)
	folder, _, _ := strings.Cut("/"+file, "/.") // .cursor/rules is for the folder that it stands in
	return strings.Count(folder, "/")
}

// fitting finds the sections of long rule files that share most with a task and the names of its files.
func fitting(
	ctx context.Context, v *workspace.View, set *documents.Set, task pack.Task, files []string, byGlobs bool,
) (out []retrieval.Hit) {
	search, err := workspace.SearchRules(ctx, v, set)
	if err != nil {
		return nil
	}
	r, err := search(ctx, retrieval.Query{Text: task.Text + "\n" + strings.Join(files, "\n"), Limit: retrieval.DefaultLimit, Now: v.Now()})
	if err != nil {
		return nil
	}
	room, best := task.Budget*usualToken/rulesShare, 0.0
	for _, h := range r.Hits {
		d, _, ok := set.Section(h.Path)
		if !ok || len(out) == maxRules || len(h.Matched) < leastShared || !governs(d, files, byGlobs) {
			continue
		}
		e, _ := set.Snapshot().Entry(h.Path)
		if size := e.Body.End - e.Body.Start; size <= room {
			if len(out) == 0 {
				best = h.Score
			}
			if leastBeside*h.Score < best {
				break
			}
			room -= size
			h.Score, h.Via = ruleSure, "rules of the project"
			out = append(out, h)
		}
	}
	return out
}

// governs reports whether a document says how to work on some files.
func governs(d *documents.Document, files []string, byGlobs bool) bool {
	if byGlobs {
		return d.Kind == documents.RuleFile && slices.ContainsFunc(files, d.Rule.Applies)
	}
	return d.Governs(files)
}

// maxNamed is how many files that a task names are looked at.
const maxNamed = 64

// namedIn lists the paths that a task names. The files need not exist yet.
func namedIn(task string) (out []string) {
	for word := range strings.FieldsSeq(task) {
		word = strings.TrimPrefix(strings.Trim(word, "`'\"()[]<>{},;:!?*"), "./")
		p := strings.TrimSuffix(word, ".")
		if strings.Contains(p, "/") && fs.ValidPath(p) && path.Ext(p) != "" && !strings.Contains(p, "://") && len(out) < maxNamed {
			out = append(out, p)
		}
	}
	return slices.Compact(out)
}

// shown are the code files of which a pack shows a body.
func shown(p pack.Pack) (out []string) {
	for _, item := range p.Items {
		if item.Kind == pack.KindCode && !item.Form.OneLine() {
			out = append(out, item.Path)
		}
	}
	return out
}
