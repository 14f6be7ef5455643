//go:build !cgo

package syntax

import "errors"

// Baseline is for measuring, see the build with grammars; this one has none.
type Baseline struct{}

// NewBaseline returns a baseline that reads nothing.
func NewBaseline() *Baseline { return &Baseline{} }

// Captures fails: there is no grammar.
func (*Baseline) Captures(Language, []byte) (int, error) { return 0, errors.New(withoutCgo) }

// Close does nothing.
func (*Baseline) Close() {}
