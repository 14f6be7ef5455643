// Package lazyregexp compiles regular expressions at their first use. Compiling all of the program's
// expressions at its start would cost some milliseconds of processor time before its first answer, also in
// every syntax worker, and most runs use few.
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
