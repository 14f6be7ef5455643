package codebase

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/records"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/texts"
	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// readers is how many files are read at once. Each of the parser's workers gets a few files ahead, so that none
// waits for the next.
const readers = 8

// fileReader makes the chunk of one file, or returns why there is none. An error comes from the parser or from
// ctx.
type fileReader func(ctx context.Context, f discover.File, prev *RepoMap) (*Chunk, string, error)

// read makes the chunks of files, in order, on a few goroutines. Files that cannot be read are added to skipped.
func (s *scanner) read(ctx context.Context, files []discover.File, prev *RepoMap, skipped map[string]string,
	one fileReader) ([]*Chunk, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chunks := make([]*Chunk, len(files))
	reasons := make([]string, len(files))
	var (
		next     atomic.Int64
		wg       panics.Group
		progress sync.Mutex // serialises calls of Progress and guards done
		done     int
	)
	for range min(len(files), readers) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				var err error
				if chunks[i], reasons[i], err = one(ctx, files[i], prev); err != nil {
					cancel(err)
					return
				}
				progress.Lock()
				if done++; prev == nil && s.opts.Progress != nil {
					s.opts.Progress(done, len(files))
				}
				progress.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, r := range reasons {
		if r != "" {
			skipped[files[i].Path] = r
		}
	}
	return slices.DeleteFunc(chunks, func(c *Chunk) bool { return c == nil }), nil
}

// saveAfter is the number of read files after which the store is saved during a scan: the work of a second.
const saveAfter = 1024

// gone is the reason for a file that no longer exists. It is neither a chunk nor skipped.
const gone = ""

// text reads a source file, or returns why it is not one.
func (s *scanner) text(p string) ([]byte, string) {
	s.reads.Add(1)
	text, err := s.root.ReadFile(p, s.opts.MaxFileSize)
	text = texts.Decode(p, text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, gone
	case err != nil:
		return nil, discover.Reason(err)
	case discover.IsBinary(text):
		return nil, binaryReason
	}
	return text, ""
}

// chunkReader returns a reader of files with their syntax, which puts the records into a store if that is not nil.
func (s *scanner) chunkReader(store *records.Store) fileReader {
	var into *slab
	var unsaved atomic.Int64
	if store != nil {
		into = &slab{}
	}
	return func(ctx context.Context, f discover.File, prev *RepoMap) (*Chunk, string, error) {
		began := time.Now() // before the file is read: see records.Record.Read
		text, reason := s.text(f.Path)
		if text == nil {
			return nil, reason, nil
		}
		sum := records.Sum(string(syntax.LanguageFor(f.Path, text)), text)
		r, data, err := s.record(ctx, store, into, f.Path, text, sum, prev)
		if err != nil {
			return nil, "", err
		}
		s.seen.add(f, began, r.hash)
		if !r.slow && store != nil { // a slow record may be more complete another time
			if data == nil {
				data = r.encode(into)
			}
			store.Put(records.Record{Path: f.Path, Stamp: stampOf(f), Read: began.UnixNano(), Hash: sum, Blob: blobOf(f, text), Data: data})
			s.put.Store(true)
			if unsaved.Add(1)%saveAfter == 0 {
				_ = store.Save(func(string) bool { return true }) // saved during the scan, so that a killed program keeps its work
			}
		}
		if prev != nil {
			if c, ok := prev.Chunk(f.Path); ok && c.rec == r {
				return c, "", nil
			}
		}
		return newChunk(f.Path, r, s.symbols), "", nil
	}
}

// record returns the stored record of a text, or parses the text. data is its encoding, if that is known.
func (s *scanner) record(ctx context.Context, store *records.Store, into *slab, p string, text []byte, sum [32]byte,
	prev *RepoMap) (r *record, data []byte, err error) {
	hash := sha256.Sum256(text)
	if prev != nil {
		if c, ok := prev.Chunk(p); ok && c.rec.hash == hash && !c.rec.slow {
			return c.rec, nil, nil
		}
	}
	if r, ok := s.recent(sum); ok {
		return r, nil, nil
	}
	if kept, ok := store.ByContent(p, sum); ok {
		if r, err := decodeRecord(kept.Data); err == nil && r.hash == hash && r.partial != pendingSyntax {
			return r, kept.Data, nil
		}
	}
	words := s.words[p]
	if words != nil && words.hash != hash {
		words = nil
	}
	if r, err = s.parse(ctx, p, text, hash, words, prev != nil); err != nil {
		return nil, nil, err
	}
	if r.slow {
		return r, nil, nil
	}
	// The record of a parse keeps the whole answer of the worker in memory, and its lists have spare capacity.
	// Decoding it from its encoding avoids that, and shares memory with the store.
	data = r.encode(into)
	if r, err = decodeRecord(data); err != nil {
		return nil, nil, err
	}
	s.cache.Add(sum, r, 1)
	return r, data, nil
}

// readWords reads one file without its syntax. The store keeps this record until the syntax is known, so that the
// next program need not read the words again if this one ends before.
func (s *scanner) readWords(_ context.Context, f discover.File, _ *RepoMap) (*Chunk, string, error) {
	if r := s.words[f.Path]; r != nil {
		return newChunk(f.Path, r, s.symbols), "", nil
	}
	began := time.Now()
	text, reason := s.text(f.Path)
	if text == nil {
		return nil, reason, nil
	}
	r := wordsOf(f.Path, text, sha256.Sum256(text))
	sum := records.Sum(string(syntax.LanguageFor(f.Path, text)), text)
	if _, ok := s.store.ByContent(f.Path, sum); s.store != nil && !ok {
		s.store.Put(records.Record{Path: f.Path, Stamp: stampOf(f), Read: began.UnixNano(), Hash: sum,
			Blob: blobOf(f, text), Data: r.encode(nil)})
	}
	return newChunk(f.Path, r, s.symbols), "", nil
}

const binaryReason = "binary"

// parse makes the record of one text. words is a record that already has the words of the text, or nil. An urgent
// text, such as one that an editor changed, does not wait for the rest of the tree.
func (s *scanner) parse(ctx context.Context, p string, text []byte, hash [32]byte, words *record, urgent bool) (*record, error) {
	var f syntax.File
	switch language := syntax.LanguageFor(p, text); {
	case s.opts.Parser == nil:
		f.Partial = "not parsed: no parser"
	case language == "" && (discover.IsData(p) || discover.IsTool(path.Base(p))): // read for its words
	case language == "":
		f.Partial = "not parsed: unknown language"
	default:
		var err error
		if f, err = s.opts.Parser.Parse(ctx, syntax.Request{Path: p, Language: language, Source: text, Urgent: urgent}); err != nil &&
			(ctx.Err() != nil || errors.Is(err, syntax.ErrClosed)) {
			return nil, err
		} else if err != nil { // without a worker, only the words are known, and the parse is tried again later
			f = syntax.File{Partial: "no syntax: " + err.Error(), Slow: true}
		}
	}
	return newRecord(p, text, hash, &f, words), nil
}

// Parse parses the syntax of a text as the file at a path, such as a former state of a file. The result's Partial
// tells what is wrong with the text, or that there is no parser. An error means that a context ended or the parser
// is closed.
func (m *RepoMap) Parse(ctx context.Context, path, text string) (syntax.File, error) {
	language := syntax.LanguageFor(path, []byte(text))
	if m.scanner.opts.Parser == nil || language == "" {
		return syntax.File{Partial: "not parsed: no parser for this language"}, nil
	}
	return m.scanner.opts.Parser.Parse(ctx, syntax.Request{Path: path, Language: language, Source: []byte(text)})
}
