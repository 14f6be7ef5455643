package state

import (
	"sync"

	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

// Document is one open buffer at one version. It is immutable: a change makes a new one, so that a request keeps
// the text for which it was sent.
type Document struct {
	URI      uri.URI
	Version  int32
	Language string // the editor's name for it
	Mapper   *position.Mapper
	Folder   *Folder // nil if it is outside of all workspace folders
	Path     string  // inside folder, with slashes
	Opening  uint64  // the number of its didOpen

	// Desynced means that a change could not be understood. The text differs from the editor's, and answers about
	// positions in it would be wrong. The next full text, a save, or reopening ends this state.
	Desynced bool
}

// Text returns the buffer's text.
func (d *Document) Text() string { return d.Mapper.Text }

// Documents holds the open documents. Only the read loop writes it; other goroutines (diagnostics, refreshes) read
// it.
type Documents struct {
	mu       sync.Mutex           // guards the fields below
	docs     map[string]*Document // by [Key]
	openings uint64               // number of documents opened so far
}

// Key identifies a document in whatever form its URI is written: a file by its path, anything else by its URI.
func Key(u uri.URI) string {
	if path, ok := FilePath(u); ok {
		return path
	}
	return string(u)
}

// Get returns the open document of a URI, nil if it is not open.
func (b *Documents) Get(u uri.URI) *Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.docs[Key(u)]
}

// Put sets the present state of a buffer.
func (b *Documents) Put(d *Document) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.docs == nil {
		b.docs = map[string]*Document{}
	}
	b.docs[Key(d.URI)] = d
}

// Opening returns the number for a document that is opened now.
func (b *Documents) Opening() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.openings++
	return b.openings
}

// Remove removes a document, and returns it.
func (b *Documents) Remove(u uri.URI) *Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.docs[Key(u)]
	delete(b.docs, Key(u))
	return d
}

// All returns the open documents in no particular order.
func (b *Documents) All() []*Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	docs := make([]*Document, 0, len(b.docs))
	for _, d := range b.docs {
		docs = append(docs, d)
	}
	return docs
}

// At returns the open document of a folder's file.
func (b *Documents) At(f *Folder, path string) *Document {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.docs {
		if d.Folder == f && d.Path == path {
			return d
		}
	}
	return nil
}
