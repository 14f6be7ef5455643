package main

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// row is one commit with what was drafted of it.
type row struct {
	number   int
	commit   string
	subject  string
	changes  curate.Changes
	proposal curate.Proposal
	took     time.Duration
	topics   []string // folders of the operations
	fresh    bool     // the topic is new
	named    bool     // the topic has an entry that names a file of the commit
	truth    []string // topics of the entries that the commit changed beside code
	text     string
}

// commits lists the commits that the rule takes.
func (p *project) commits(ctx context.Context, o options) (rows []row, err error) {
	head, err := p.repo.Head()
	if err != nil {
		return nil, err
	}
	number := 0
	err = p.repo.Log(ctx, git.LogOptions{Head: head, MaxMessage: 16 << 10, MaxChanges: 1}, func(c git.Commit) error {
		if c.Parents > 1 {
			return nil
		}
		if number%o.every == o.skip {
			subject, _, _ := strings.Cut(c.Message, "\n")
			rows = append(rows, row{number: number, commit: c.Hash, subject: subject})
		}
		number++
		if len(rows) == o.commits {
			return git.ErrEnough
		}
		return nil
	})
	return rows, err
}

// draftAll drafts each commit on the tree as it was given.
func (p *project) draftAll(ctx context.Context, o options, rows []row) ([]row, error) {
	drafts := 0
	for i := range rows {
		r := &rows[i]
		d, err := p.repo.CommitDiff(ctx, r.commit, git.DefaultDiff)
		if err != nil {
			return nil, err
		}
		r.truth = ownTopics(d)
		r.changes = curate.ChangesOf("commit "+r.commit[:12], d, p.code)
		start := time.Now()
		if r.proposal, err = p.propose(ctx, curate.Material{Changes: &r.changes}); err != nil {
			return nil, err
		}
		r.took = time.Since(start)
		p.judge(r)
		if o.text && r.proposal.Report != nil {
			r.text = r.proposal.Report.Diff
		}
		if len(r.proposal.Ops)+len(r.proposal.Undecided) > 0 {
			if drafts++; drafts == o.drafts {
				return rows[:i+1], nil
			}
		}
	}
	return rows, nil
}

// ownTopics are the topics of the entries that a commit changes beside code.
func ownTopics(d *git.Difference) (topics []string) {
	code := false
	for _, f := range d.Files {
		at, own := strings.CutPrefix(f.Path, ".brv/context-tree/")
		code = code || !own
		if dir := path.Dir(at); own && strings.Contains(dir, "/") && f.Status != 'D' && format.RoleOf(at) == format.RoleEntry &&
			!slices.Contains(topics, dir) {
			topics = append(topics, dir)
		}
	}
	if !code {
		return nil
	}
	return topics
}

// judge fills in what can be told without a person.
func (p *project) judge(r *row) {
	snap := p.store.Snapshot()
	for _, op := range r.proposal.Ops {
		dir := op.Path
		if strings.HasSuffix(dir, ".md") {
			dir = path.Dir(dir)
		}
		r.topics = append(r.topics, dir)
		_, there := snap.Node(dir)
		r.fresh = r.fresh || !there
		for _, e := range snap.Entries() {
			if path.Dir(e.Path) != dir || e.Role != format.RoleEntry {
				continue
			}
			for _, f := range r.changes.Files {
				r.named = r.named || slices.ContainsFunc(e.Files, func(n format.FileRef) bool { return n.Path == f.Path })
			}
		}
	}
}

// second is what a second round proposes.
type second struct {
	added, updated int
	again          []string // commits whose draft was added twice
	titles         []string // titles of two entries, of which a draft is one
}

// draftAgain does the drafts in the order of time, and drafts all again on what is there
// then. What has no sure topic goes to the likeliest, so that all that could be there twice is.
func (p *project) draftAgain(ctx context.Context, rows []row) (s second, err error) {
	before := map[string]bool{}
	for _, e := range p.store.Snapshot().Entries() {
		before[e.Path] = true
	}
	first := map[string]bool{} // commits that became an entry in the first round; another may find its topic in the second
	for round := range 2 {
		for _, r := range slices.Backward(rows) {
			made, err := p.propose(ctx, curate.Material{Changes: &r.changes, AnyTopic: true})
			if err != nil {
				return s, err
			}
			for _, op := range made.Ops {
				switch {
				case op.Type == plan.OpAdd && round == 0:
					first[r.commit] = true
				case op.Type == plan.OpAdd && !first[r.commit]:
				case op.Type == plan.OpAdd:
					s.added++
					s.again = append(s.again, r.commit[:12])
				case round == 1:
					s.updated++
				}
			}
			if err := p.apply(ctx, made); err != nil {
				return s, err
			}
		}
	}
	titles := map[string]string{}
	for _, e := range p.store.Snapshot().Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		key := strings.ToLower(e.Title)
		if other, ok := titles[key]; ok && !(before[e.Path] && before[other]) {
			s.titles = append(s.titles, e.Title)
		}
		titles[key] = e.Path
	}
	return s, nil
}
