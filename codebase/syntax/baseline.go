//go:build cgo

package syntax

import "runtime"

// Baseline runs tree-sitter's parse and the language's query in this process, and
// nothing else: no limits of time, no worker, no [File]. It is there for measuring
// what the rest costs beside it, and for nothing else: a hostile source can hang or
// abort the process. It is used by one goroutine at a time.
type Baseline struct{ parser *parser }

// NewBaseline returns a baseline; Close frees it.
func NewBaseline() *Baseline { return &Baseline{newParser()} }

// Captures parses one source and returns how many captures its query has in it. A
// source that a [Pool] would refuse has none. The error says why the whole was not
// read, or that there is no grammar.
func (b *Baseline) Captures(language Language, source []byte) (int, error) {
	if refuse(source) != "" {
		return 0, nil
	}
	r, err := b.parser.reader(language)
	if err != nil {
		return 0, err
	}
	found, err := r.run(source)
	n := len(found)
	runtime.KeepAlive(source)
	return n, err
}

// Close frees what tree-sitter holds.
func (b *Baseline) Close() { b.parser.close() }
