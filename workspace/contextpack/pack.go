// Package contextpack gathers the inputs for package pack, as far as a deadline allows, and keeps recent
// packs: the next one for a task that grew begins with the same text.
package contextpack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// memories hold what packs of the open folders share.
var memories = workspace.NewMemory(func(*workspace.Workspace) *pack.Memory { return pack.NewMemory() })

// Pack fills one token budget with entries and code for a task. If the code is read for the first time, it
// waits only for the words; Pack.Pending is the number of files that were not read further. With a deadline
// it waits no longer than that allows, and Pack.Degraded lists the missing parts.
func Pack(ctx context.Context, v *workspace.View, req PackRequest) (*pack.Pack, error) {
	task, counter, err := req.task()
	if err != nil {
		return nil, err
	}
	if req.DeadlineMs > 0 {
		task.Deadline = v.Now().Add(time.Duration(req.DeadlineMs) * time.Millisecond)
	}
	h, done := limits.BeginIn(ctx, v, req.DeadlineMs)
	defer done()
	prompt := h.Prompt
	stale := drift.NewLookup(prompt, v)
	var other *provider.AskedElsewhere
	if req.Organisation {
		if other = provider.AskElsewhere(prompt, v, req.Task, true); other != nil {
			task.Budget -= task.Budget / organisationShare
		}
	}
	v.PrepareSearch() // beside the reading of the code
	v, degraded, err := promptView(ctx, prompt, v, req.Unasked)
	if err != nil {
		return nil, err
	}
	degraded = append(h.Degraded, degraded...)
	if err := req.placed(&task, v); err != nil {
		return nil, err
	}
	links, err := v.LinksWithin(prompt)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		degraded = append(degraded, limits.Without(limits.NewestLinks, err))
	}
	in := inputs(v, links, counter)
	in.Drift, in.Ahead = stale.Of, stale.Expect
	search, err := v.Search(prompt)
	switch {
	case err == nil:
	case prompt.Err() == nil || ctx.Err() != nil:
		return nil, err
	default: // what is not found now is not remembered
		search, in.Memory, degraded = limits.NoSearch, nil, append(degraded, limits.Without(limits.FoundBy, err))
	}
	in.Search = func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
		return retrieval.ForTask(ctx, search, v.Trees(), retrieval.Query{Text: text, Limit: limit, Now: in.Now}, pack.Certainty)
	}
	knowledge := len(task.Kinds) == 0 || slices.Contains(task.Kinds, pack.KindEntry)
	if knowledge {
		addRules(prompt, v, &in, task, append(namedIn(task.Text), task.File), req.Unasked)
		if missing, err := addDocuments(prompt, v, &in, task); err != nil {
			degraded = append(degraded, limits.Without(missing, err))
		}
		if err := addReasons(prompt, v, &in, task); err != nil {
			degraded = append(degraded, limits.Without(limits.Reasons, err))
		}
	}
	gone := req.pin(prompt, v, &in, &task)
	for _, p := range gone {
		degraded = append(degraded, p+" is pinned, but this folder has no such entry, section, code file or symbol")
	}
	begun := v.Now()
	p, err := pack.Build(ctx, in, task)
	if err == nil && knowledge && addRules(ctx, v, &in, task, shown(p), true) { // those for what is shown are known now
		if again := v.Now().Add(v.Now().Sub(begun)); task.Deadline.IsZero() || again.Before(task.Deadline) {
			p, err = pack.Build(ctx, in, task)
		} else {
			degraded = append(degraded, limits.Without("rules for the shown files are missing", context.DeadlineExceeded))
		}
	}
	if err != nil {
		return nil, err
	}
	p.Pending, p.Gone = v.Code().Pending(), gone
	p.Degraded = append(degraded, p.Degraded...)
	if unknown := stale.Unknown(); unknown != "" {
		p.Degraded = append(p.Degraded, unknown)
	}
	if len(p.Items) == 0 {
		p.Nothing = nothing(req.Task, codemap.Partly(v.Code())+len(v.Tree().Skipped()))
		if left := v.Code().LeftOut(); left != "" {
			p.Nothing += " Note: " + left + "."
		}
	}
	if other != nil {
		addOrganisation(&p, other, req.BudgetTokens, counter.Count)
	}
	if len(p.Items) > 0 && !req.Unasked {
		p.ID = packID(p.Text)
		madeLast.Of(v).keep(&p)
		drift.Used(v, usedInPack(&p)...)
	}
	return &p, nil
}

// nothing explains why no item was found for a task: its words are too common, files were not read, or there
// is nothing about it.
func nothing(task string, unread int) string {
	if words.HasUnspaced(task) {
		return "Code was not searched for this task because brv-lsp cannot split its script into words. " +
			"Ask again in the language of the code, with names from the code."
	}
	if unread > 0 {
		return fmt.Sprintf("No word of this task was found, but %s not read completely (see `brv-lsp map` and `brv-lsp check`). "+
			"Ask again with words from the code.", words.Counted(unread, "file was", "files were"))
	}
	return "No word of this task was found in the context tree or the code. Ask again with words from the code."
}

// inputs returns the sources of a pack, but for the search.
func inputs(v *workspace.View, links *link.Links, counter *tokens.Encoding) pack.Inputs {
	in := pack.Inputs{
		Tree: v.Trees(), Own: v.Trees(), Code: v.Code(), Links: links, Now: v.Now(), Clock: v.Now, Memory: memories.Of(v),
		Count: counter.Count, Estimate: counter.Estimate, Tokenizer: counter.Name(),
	}
	return in
}

// promptView is the view of a request with the present code, on disk and in the open buffers. If a part is
// not ready by the end of prompt, or cannot be read, it is left out and reported. Automatic requests have
// already waited for the disk as long as they may.
func promptView(
	ctx, prompt context.Context, v *workspace.View, unasked bool,
) (_ *workspace.View, degraded []string, err error) {
	w := v.Workspace()
	note := func(what string, err error) {
		if err != nil {
			degraded = append(degraded, limits.Without(what, err))
		}
	}
	note(limits.SomeCode, w.WaitWords(prompt))
	if trusted, why := w.Trusted(); !trusted {
		if _, err := v.Files().Lstat(".git"); err == nil {
			note(limits.History, errors.New(why))
		}
	}
	if !unasked {
		note(limits.NewestCode, w.Follow(prompt))
	}
	v, err = v.WithOpenCode(prompt)
	note(limits.UnsavedCode, err)
	if w.Life().Err() != nil {
		return nil, nil, workspace.ErrClosed
	}
	return v, degraded, ctx.Err()
}

// usedInPack are the entries of a pack.
func usedInPack(p *pack.Pack) []string {
	var out []string
	for _, i := range p.Items {
		if i.Kind == pack.KindEntry {
			out = append(out, i.Path)
		}
	}
	return out
}

// organisationShare is the part of a budget that is reserved for entries of other repositories: one part in
// so many, as for rules.
const organisationShare = rulesShare

// addOrganisation adds entries of other repositories to a pack, as many as a budget has room for, and notes what is to be said
// of them.
func addOrganisation(p *pack.Pack, asked *provider.AskedElsewhere, budget int, count func(string) int) {
	note := ""
	for found := asked.Join(&note); len(found) > 0; found = found[:len(found)-1] {
		text := provider.ElsewhereText(found)
		if p.Text != "" {
			text = p.Text + "\n" + text
		}
		if n := count(text); n <= budget {
			p.Text, p.Tokens = text, n
			break
		}
	}
	if p.Budget = budget; note != "" {
		p.Degraded = append(p.Degraded, note)
	}
}

// The number of recent packs that are kept: for the conversations of a few agents and editors at once. A pack
// of 8,192 tokens has about 30 KB.
const (
	maxPacks     = 16
	maxPackBytes = 8 << 20
)

// packs are the packs made last, the newest first, to be shown again.
type packs struct {
	mu   sync.Mutex   // guards kept
	kept []*pack.Pack // not written to
}

// madeLast are the packs of the open folders.
var madeLast = workspace.NewMemory(func(*workspace.Workspace) *packs { return &packs{} })

// keep remembers a pack.
func (k *packs) keep(p *pack.Pack) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(k.kept), func(o *pack.Pack) bool { return o.ID == p.ID })
	k.kept = []*pack.Pack{p}
	bytes := len(p.Text)
	for _, o := range kept {
		if bytes += len(o.Text); bytes > maxPackBytes || len(k.kept) == maxPacks {
			break
		}
		k.kept = append(k.kept, o)
	}
}

// Kept returns a pack by its id, as long as it is remembered. It must not be changed.
func Kept(w *workspace.Workspace, id string) (*pack.Pack, bool) {
	k := madeLast.Of(w.View())
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.kept {
		if p.ID == id && id != "" {
			return p, true
		}
	}
	return nil, false
}

// packID names a pack by its text: the same text has the same name, in every process.
func packID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
