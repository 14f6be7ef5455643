package workspace

import (
	"errors"
	"fmt"
	"strings"
)

// ErrRequest marks a request that no state could answer: the caller's mistake.
var ErrRequest = errors.New("wrong request")

// WrongField is the error for a field of a request.
func WrongField(field, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrRequest, field, fmt.Sprintf(format, args...))
}

// Clipped bounds a path in a message.
func Clipped(p string) string {
	const most = 200 // bytes
	if len(p) <= most {
		return p
	}
	return strings.ToValidUTF8(p[:most], "") + "…"
}

// OneLine is a path or a message without line ends, which only hostile names have.
func OneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
}

// FirstOf are the first n items, or all.
func FirstOf[T any](list []T, n int) []T { return list[:max(0, min(n, len(list)))] }
