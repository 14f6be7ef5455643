// Package lazyregexp has regular expressions that are compiled when they are first asked
// for. All of a program's, compiled at its start, cost some milliseconds of processor time
// before its first answer, also in every syntax worker, and most runs ask for few.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that gives the compiled expression. That function panics if the expression is
// malformed; it is safe for concurrent use.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
