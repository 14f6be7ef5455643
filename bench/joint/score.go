package main

// A file is shown if at least signatures of it are; with a body, if lines of it are. A line
// with its path and names counts apart. An entry is shown if all of it or its best passage
// is; its title and summary count apart.

import (
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/pack"
)

// mode is a way to spend a budget: packs that share it evenly.
type mode struct {
	name  string
	packs []parts
	rest  bool // the last pack also gets what those before it left of their shares
}

// The modes that are compared. Most trees are small and most tasks are about few entries, so
// that knowledge seldom fills its half: the third mode gives code what is left of it.
const (
	joint    = "joint"
	halves   = "half and half"
	restCode = "half, code the rest"
	linked   = "linked halves"
	codeOnly = "code"
	knowOnly = "knowledge"
)

var (
	onlyCode      = parts{code: true}
	onlyKnowledge = parts{knowledge: true}
	both          = parts{knowledge: true, code: true}
)

var modes = []mode{
	{joint, []parts{both}, false},
	{halves, []parts{onlyKnowledge, onlyCode}, false},
	{restCode, []parts{onlyKnowledge, onlyCode}, true},
	{linked, []parts{{true, true, pack.KindEntry}, {true, true, pack.KindCode}}, true},
	{codeOnly, []parts{onlyCode}, false},
	{knowOnly, []parts{onlyKnowledge}, false},
}

// level is how much of something is shown.
type level string

// The levels, from nothing to most.
const (
	absent level = "absent"
	line   level = "line"  // one line of it
	names  level = "names" // of a file, signatures
	shown  level = "shown" // of a file, some lines; of an entry, a passage or all
)

// better orders levels.
var better = []level{absent, line, names, shown}

// counts reports whether a level is enough for a task.
func (l level) counts() bool { return l == names || l == shown }

// need is something that a task needs, and what became of it.
type need struct {
	Path   string    `json:"path"`
	Kind   pack.Kind `json:"kind"`
	Level  level     `json:"level"`
	Rank   int       `json:"rank"`             // by score among all candidates of its kind in the joint pack; 0: it is none
	Reason string    `json:"reason,omitempty"` // why it is a candidate there
}

// record is the result of one mode for one task in one budget.
type record struct {
	Set    string `json:"set"`
	Task   string `json:"task"`
	Mode   string `json:"mode"`
	Budget int    `json:"budget"`
	Tokens int    `json:"tokens"`
	Needs  []need `json:"needs"`
}

// wide is a budget in which every candidate of a pack has room, in tokens.
const wide = 500_000

// needs lists what a task needs, with its rank in a joint pack without limits.
func (o *ours) needs(ctx context.Context, t task) (all []need, err error) {
	for _, p := range t.Need {
		all = append(all, need{Path: p, Kind: pack.KindCode, Level: absent})
	}
	for _, p := range t.Know {
		all = append(all, need{Path: p, Kind: pack.KindEntry, Level: absent})
	}
	made, err := o.pack(ctx, t, both, wide)
	for i := range all {
		all[i].rank(made)
	}
	return all, err
}

// rank looks a need up among a pack's items.
func (n *need) rank(p pack.Pack) {
	at := slices.IndexFunc(p.Items, func(i pack.Item) bool { return i.Kind == n.Kind && i.Path == n.Path })
	if at < 0 {
		return
	}
	n.Rank, n.Reason = 1, p.Items[at].Reason
	for _, i := range p.Items {
		if i.Kind == n.Kind && i.Score > p.Items[at].Score {
			n.Rank++
		}
	}
}

// try packs a task in one way.
func (o *ours) try(ctx context.Context, t task, needs []need, m mode, budget int) (record, error) {
	r := record{Task: t.ID, Mode: m.name, Budget: budget, Needs: slices.Clone(needs)}
	for i, p := range m.packs {
		share := budget / len(m.packs)
		if m.rest && i == len(m.packs)-1 {
			share = budget - r.Tokens
		}
		made, err := o.pack(ctx, t, p, share)
		if err != nil {
			return r, err
		}
		r.Tokens += made.Tokens
		for i := range r.Needs {
			r.Needs[i].look(made)
		}
	}
	return r, nil
}

// look finds a need in a pack.
func (n *need) look(p pack.Pack) {
	for _, i := range p.Items {
		if l := levelOf(i.Form); i.Kind == n.Kind && i.Path == n.Path && slices.Index(better, l) > slices.Index(better, n.Level) {
			n.Level = l
		}
	}
}

func levelOf(f pack.Form) level {
	switch f {
	case pack.FormSummary, pack.FormOutline:
		return line
	case pack.FormSkeleton:
		return names
	}
	return shown
}

// share is the part of a record's needs of a kind that pass a test.
func (r record) share(kind pack.Kind, test func(level) bool) float64 {
	all, passed := 0, 0
	for _, n := range r.Needs {
		if n.Kind == kind {
			all++
			if test(n.Level) {
				passed++
			}
		}
	}
	return float64(passed) / float64(all)
}

// cover is the mean of the shares of the files and of the entries that are shown.
func (r record) cover() float64 {
	return (r.share(pack.KindCode, level.counts) + r.share(pack.KindEntry, level.counts)) / 2
}

// complete is 1 if everything that the task needs is shown.
func (r record) complete() float64 {
	for _, n := range r.Needs {
		if !n.Level.counts() {
			return 0
		}
	}
	return 1
}
