//go:build !cgo

package syntax

import "errors"

// Baseline is for measurements. This build has no grammars; see the other one.
type Baseline struct{}

// NewBaseline returns a baseline that reads nothing.
func NewBaseline() *Baseline { return &Baseline{} }

// Captures fails: there is no grammar.
func (*Baseline) Captures(Language, []byte) (int, error) { return 0, errors.New(withoutCgo) }

// Close does nothing.
func (*Baseline) Close() {}
