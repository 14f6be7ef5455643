//go:build cgo

package syntax

import "runtime"

// Baseline runs tree-sitter's parse and the language's query in this process, and nothing else: no time limits, no
// worker, no [File]. Use it only to measure what the rest costs. A hostile source can hang or abort the process.
// Only one goroutine may use it at a time.
type Baseline struct{ parser *parser }

// NewBaseline returns a baseline; Close frees it.
func NewBaseline() *Baseline { return &Baseline{newParser()} }

// Captures parses one source and returns the number of captures. It is 0 for a source that a [Pool] would refuse.
// The error tells why the source was not read completely, or that there is no grammar.
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

// Close frees the memory of tree-sitter.
func (b *Baseline) Close() { b.parser.close() }
