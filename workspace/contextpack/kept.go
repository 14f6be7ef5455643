package contextpack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// How much of the packs made last is kept: for the conversations of a few agents and
// editors at once. A pack of 8,192 tokens has about 30 KB.
const (
	maxPacks     = 16
	maxPackBytes = 8 << 20
)

// packs are the packs made last, the newest first: to be shown again, and so that the
// pack for a task that grew keeps what it began with.
type packs struct {
	mu   sync.Mutex // guards kept
	kept []keptPack
}

// madeLast are the packs of the open folders.
var madeLast = workspace.NewMemory(func(*workspace.Workspace) *packs { return &packs{} })

type keptPack struct {
	task string
	like packKey
	pack *pack.Pack // not written to
}

// packKey holds the parts of a request that must be equal for one pack to go on with the
// other: everything that decides about it but the task and what moves with each
// keystroke.
type packKey struct {
	path, tokenizer, strategy, include, chosen string
	budget                                     int
	boost                                      float64
	tests, noTypes, fill, reasons              bool
}

func (req PackRequest) key() packKey {
	include := slices.Sorted(slices.Values(req.Include))
	chosen := strings.Join(slices.Concat(req.Pinned, []string{""}, req.Without), "\n")
	return packKey{
		path: req.Path, tokenizer: cmp.Or(req.Tokenizer, tokens.DefaultEncoding),
		strategy: cmp.Or(req.Strategy, string(codebase.RelevanceFirst)), include: strings.Join(slices.Compact(include), ","), chosen: chosen,
		budget: req.BudgetTokens, boost: req.Boost,
		tests: req.IncludeTests, noTypes: req.IncludeTypes != nil && !*req.IncludeTypes, fill: req.Fill,
		reasons: req.Reasons,
	}
}

// before is the pack that one for a request goes on with, nil if there is none: the one
// that the request names, else the newest for a task that the request's task begins with
// and says more than. A request that names one that is not kept, or is counted otherwise,
// is wrong.
func (k *packs) before(req PackRequest) (*pack.Pack, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := req.key()
	for _, p := range k.kept {
		switch {
		case req.After == "":
			if p.like == key && grown(p.task, req.Task) {
				return p.pack, nil
			}
		case p.pack.ID != req.After:
		case p.like.tokenizer != key.tokenizer:
			return nil, workspace.WrongField("after", "pack %s is counted in %s", req.After, p.like.tokenizer)
		default:
			return p.pack, nil
		}
	}
	if req.After != "" {
		return nil, workspace.WrongField("after", "pack %s is not kept; the last %d are, as long as the server runs", req.After, maxPacks)
	}
	return nil, nil
}

// leastGrown is how many words a task has before the next is taken for the same task
// that grew: a word or two begin many tasks.
const leastGrown = 4

// grown reports whether a task is another with more behind it.
func grown(before, now string) bool {
	before, now = strings.TrimSpace(before), strings.TrimSpace(now)
	more, ok := strings.CutPrefix(now, before)
	if !ok || more == "" || len(strings.Fields(before)) < leastGrown {
		return false
	}
	next, _ := utf8.DecodeRuneInString(more)
	return !unicode.IsLetter(next) && !unicode.IsDigit(next)
}

// keep remembers a pack.
func (k *packs) keep(req PackRequest, p *pack.Pack) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(k.kept), func(o keptPack) bool { return o.pack.ID == p.ID && o.task == req.Task })
	k.kept = []keptPack{{req.Task, req.key(), p}}
	bytes := len(p.Text)
	for _, o := range kept {
		if bytes += len(o.pack.Text); bytes > maxPackBytes || len(k.kept) == maxPacks {
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
		if p.pack.ID == id && id != "" {
			return p.pack, true
		}
	}
	return nil, false
}

// packID names a pack by its text: the same text has the same name, in every process.
func packID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
