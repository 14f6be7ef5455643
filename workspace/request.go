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
