package workspace

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ErrRequest marks a request that no state could answer: the caller's mistake.
var ErrRequest = errors.New("wrong request")

// WrongField is the error for a field of a request.
func WrongField(field, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrRequest, field, fmt.Sprintf(format, args...))
}

// Clipped is a path in a message: as it is shown, and not too long.
func Clipped(p string) string {
	const most = 200 // bytes
	if len(p) > most {
		p = strings.ToValidUTF8(p[:most], "") + "…"
	}
	return format.ShownName(p)
}

// OneLine is a path or a message as one line.
func OneLine(s string) string { return format.ShownLine(strings.Join(strings.Fields(s), " ")) }

// FirstOf are the first n items, or all.
func FirstOf[T any](list []T, n int) []T { return list[:max(0, min(n, len(list)))] }

// Memory keeps a feature's value for each folder as long as that is open: an index that is made
// once, answers that are asked for again. A feature has it as a package variable, and asks it
// with the view of a request:
//
//	var vocabularies = workspace.NewMemory(func(*workspace.Workspace) *vocabulary { return &vocabulary{} })
//	…
//	words := vocabularies.Of(v).inUse(prefix)
//
// The value is shared by all requests and so guards itself.
type Memory[T any] struct{ make func(*Workspace) T }

// NewMemory is a memory whose values are made by make, where they are asked for first. What
// make returns may be thrown away: another request may have been faster.
func NewMemory[T any](make func(*Workspace) T) *Memory[T] { return &Memory[T]{make} }

// Of is the value of the folder that a view shows.
func (m *Memory[T]) Of(v *View) T {
	if kept, ok := v.ws.memory.Load(m); ok {
		return kept.(T)
	}
	kept, _ := v.ws.memory.LoadOrStore(m, m.make(v.ws))
	return kept.(T)
}
