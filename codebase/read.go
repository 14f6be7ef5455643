package codebase

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
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

// readers is how many files are read at once: each of the parser's workers gets a
// few ahead, so that none waits for the next.
const readers = 8

// fileReader makes the chunk of one file, or says why there is none. An error is
// the parser's or ctx's.
type fileReader func(ctx context.Context, f discover.File, prev *RepoMap) (*Chunk, string, error)

// read makes the chunks of files, in order, on a few goroutines. Files that
// cannot be read go into skipped.
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

// saveAfter is after how many files what was read is saved while more is read: a second's work.
const saveAfter = 1024

// gone marks a file that no longer exists: neither a chunk nor skipped.
const gone = ""

// text reads a source file, or says why it is none.
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

// chunkReader reads files with their syntax, and keeps what it read in a store; nil: in
// none.
func (s *scanner) chunkReader(store *records.Store) fileReader {
	var into *slab
	var unsaved atomic.Int64
	if store != nil {
		into = &slab{}
	}
	return func(ctx context.Context, f discover.File, prev *RepoMap) (*Chunk, string, error) {
		began := time.Now() // before the reading: see records.Record.Read
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
		if !r.slow && store != nil { // what a busy machine left out may be found another time
			if data == nil {
				data = r.encode(into)
			}
			store.Put(records.Record{Path: f.Path, Stamp: stampOf(f), Read: began.UnixNano(), Hash: sum, Blob: blobOf(f, text), Data: data})
			s.put.Store(true)
			if unsaved.Add(1)%saveAfter == 0 {
				_ = store.Save(func(string) bool { return true }) // as it comes: a program that is killed has not read for nothing
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

// record finds what was read of a text before, or reads it. data is its encoding,
// if that is known.
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
	// The parse's record holds texts that belong to the whole answer, and lists with
	// room to spare; and what is put into the store shares its memory with this one.
	data = r.encode(into)
	if r, err = decodeRecord(data); err != nil {
		return nil, nil, err
	}
	s.cache.Add(sum, r, 1)
	return r, data, nil
}

// readWords reads one file without its syntax. The store keeps that until the syntax is known: where a
// program ends before, the next one need not read the words again.
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

// parse makes the record of one text. words is a record that already has the words of the text, or nil. An
// urgent text, such as one that an editor changed, does not wait for the rest of the tree.
func (s *scanner) parse(ctx context.Context, p string, text []byte, hash [32]byte, words *record, urgent bool) (*record, error) {
	var f syntax.File
	switch language := syntax.LanguageFor(p, text); {
	case s.opts.Parser == nil:
		f.Partial = "no syntax: no parser"
	case language == "":
		f.Partial = "no syntax: unknown language"
	default:
		var err error
		if f, err = s.opts.Parser.Parse(ctx, syntax.Request{Path: p, Language: language, Source: text, Urgent: urgent}); err != nil &&
			(ctx.Err() != nil || errors.Is(err, syntax.ErrClosed)) {
			return nil, err
		} else if err != nil { // no worker: the words are known all the same, and it is tried again
			f = syntax.File{Partial: "no syntax: " + err.Error(), Slow: true}
		}
	}
	return newRecord(p, text, hash, &f, words), nil
}

// Parse reads the syntax of a text as if it were the file at a path: of a former state of
// a file, for example. What is wrong with the text, or that there is no parser, is said in
// its Partial; the error is for a context that ended or a parser that is closed.
func (m *RepoMap) Parse(ctx context.Context, path, text string) (syntax.File, error) {
	language := syntax.LanguageFor(path, []byte(text))
	if m.scanner.opts.Parser == nil || language == "" {
		return syntax.File{Partial: "no syntax: no parser for this language"}, nil
	}
	return m.scanner.opts.Parser.Parse(ctx, syntax.Request{Path: path, Language: language, Source: []byte(text)})
}
