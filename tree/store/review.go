package store

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Review is a batch with changes that wait for a decision, or that are done and that somebody should check.
type Review struct {
	Batch  int               `json:"batch"`
	Time   time.Time         `json:"time"`
	Author string            `json:"author,omitempty"`
	Origin format.Origin     `json:"origin,omitzero"` // the origin of the text, if it is not a person's
	Items  []plan.ReviewItem `json:"items"`           // only operations that wait

	unreadable bool              // its file cannot be read as a review, so that it can only be set aside
	sum        [sha256.Size]byte // of its file
}

// reviewDir holds what waits for a decision.
const reviewDir = tree.StateDir + "/review"

func reviewFile(id int) string { return fmt.Sprintf("%s/%06d.json", reviewDir, id) }

// review returns the part of the plan that waits for a decision, nil if there is none.
func review(p *plan.Plan, id int, b plan.Batch) *Review {
	r := &Review{Batch: id, Time: p.Inputs.Now, Author: b.Author, Origin: b.Origin}
	held := map[int]plan.Held{}
	for _, h := range p.Held {
		held[h.Index] = h
	}
	for i, res := range p.Results {
		if !res.NeedsReview {
			continue
		}
		item := plan.ReviewItem{Op: b.Ops[i], Path: res.FilePath, Message: secrets.Redact(res.Message), Files: changedBy(p, res)}
		if h, ok := held[i]; ok {
			item.Held, item.Diff, item.Base = true, h.Diff, h.Base
		}
		r.Items = append(r.Items, item)
	}
	if len(r.Items) == 0 {
		return nil
	}
	return r
}

// changedBy lists the files of a result that the batch really changes.
func changedBy(p *plan.Plan, r plan.Result) []string {
	all := p.Changed()
	return slices.DeleteFunc(append([]string{r.FilePath}, r.AlsoChanged...), func(f string) bool { return !slices.Contains(all, f) })
}

func (r *Review) encode() []byte {
	bare := *r
	bare.Items = slices.Clone(r.Items)
	for i := range bare.Items {
		bare.Items[i].Losses, bare.Items[i].Number = nil, 0
	}
	data, err := json.MarshalIndent(&bare, "", "  ")
	if err != nil {
		panic("a review is plain data: " + err.Error()) // cannot happen: strings, numbers and times
	}
	return append(data, '\n')
}

// requestKey identifies a review's request: its operations with the state they were planned on, without
// anything that differs if the same is requested again.
func (r *Review) requestKey() []byte {
	bare := Review{Items: slices.Clone(r.Items)}
	for i := range bare.Items {
		bare.Items[i].Message, bare.Items[i].Diff = "", ""
	}
	return bare.encode()
}

// foreign reports whether a review is not from this user, as far as the journal tells.
func (r *Review) foreign() bool {
	return !slices.ContainsFunc(r.Items, func(i plan.ReviewItem) bool { return !i.Unknown })
}

// divide splits the items into those that the paths name (all if none) and the rest.
func (r *Review) divide(paths []string) (chosen, rest []plan.ReviewItem, err error) {
	found := map[string]bool{}
	for _, item := range r.Items {
		if len(paths) == 0 || slices.Contains(paths, item.Path) {
			chosen, found[item.Path] = append(chosen, item), true
		} else {
			rest = append(rest, item)
		}
	}
	for _, p := range paths {
		if !found[p] {
			return nil, nil, fmt.Errorf("batch %[2]d has no waiting change to %[1]s", p, r.Batch)
		}
	}
	return chosen, rest, nil
}

// remaining is the change of the review file after some items were decided.
func (r *Review) remaining(data []byte, rest []plan.ReviewItem) txn.Change {
	c := txn.Change{Path: reviewFile(r.Batch), Before: &txn.Image{Data: data}}
	if len(rest) > 0 {
		left := *r
		left.Items = rest
		c.After = &txn.Image{Data: left.encode()}
	}
	return c
}

// isPlain reports whether all operations change one entry that they name, and look at no other.
func (r *Review) isPlain() bool {
	return !slices.ContainsFunc(r.Items, func(i plan.ReviewItem) bool {
		t := i.Op.Type.Normal()
		return t != plan.OpUpdate && t != plan.OpConfirm || len(i.Op.Content.Relations) > 0 || i.Op.Synthesis != nil ||
			!strings.HasSuffix(i.Op.Path, ".md")
	})
}
