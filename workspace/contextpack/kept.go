package contextpack

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
)

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
