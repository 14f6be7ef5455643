package curate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
)

// The limits of what is curated from at once (paper, section 4.1.1).
const (
	MaxSources   = 5
	maxSource    = 40_000 // characters of one source
	maxCodeLines = 2000   // of a code file, before its characters count
)

// maxFile is the most bytes of a file that is read as a source at all.
const maxFile = 20 << 20

// maxSymbols bounds the definitions that a source tells. Own choice: a model reads
// the text too.
const maxSymbols = 40

// errBinary is wrapped where a file is no text.
var errBinary = errors.New("not a text file")

// ReadFile makes a source of a file's bytes; name is its workspace path. Text is
// UTF-8, or UTF-16 with a byte order mark. Credentials go first, and what
// is then beyond the limits is cut, and Note says so. Code tells what a code file defines; it may be nil.
func ReadFile(ctx context.Context, name string, data []byte, code *codebase.RepoMap) (Source, error) {
	if len(data) > maxFile {
		return Source{}, fmt.Errorf("%s has %d bytes; a source can have at most %d", name, len(data), maxFile)
	}
	text, err := decode(data)
	if err != nil {
		return Source{}, fmt.Errorf("%s: %w", name, err)
	}
	s := Source{Path: name, Kind: KindText, Text: secrets.Veil(text).Part(0, len(text))}
	s.Entry, _ = strings.CutPrefix(name, ".brv/"+tree.Dir+"/")
	if s.Entry == name {
		s.Entry = ""
	}
	var chunk *codebase.Chunk
	if code != nil {
		chunk, _ = code.Chunk(name)
	}
	language := syntax.LanguageFor(name, []byte(text[:min(len(text), 1<<15)]))
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".md" || ext == ".markdown" || ext == ".mdx":
		s.Kind, s.Language = KindMarkdown, "markdown"
	case chunk != nil || language != "":
		s.Kind, s.Language = KindCode, cmp.Or(string(language), strings.TrimPrefix(ext, "."))
	}
	s.Cut()
	if s.Kind == KindCode && code != nil {
		if s.Symbols, err = definitions(ctx, code, chunk, s, text); err != nil {
			return Source{}, err
		}
	}
	return s, nil
}

// decode reads a file's bytes as text.
func decode(data []byte) (string, error) {
	text := strings.TrimPrefix(string(words.UTF8(data)), "\ufeff")
	lineOf := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
	if i := strings.IndexByte(text, 0); i >= 0 {
		return "", fmt.Errorf("%w: line %d has a zero byte; only text files can be sources", errBinary, lineOf(i))
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return "", fmt.Errorf("%w: line %d is not UTF-8; save the file as UTF-8", errBinary, lineOf(i))
		}
	}
	return text, nil
}

// Cut cleans a source's text and brings it within the limits.
func (s *Source) Cut() {
	var notes []string
	if s.Note != "" {
		notes = append(notes, s.Note)
	}
	whole := s.Text
	if s.Kind == KindCode {
		if kept, lines := firstOfLines(s.Text, maxCodeLines); lines > maxCodeLines {
			s.Text = kept
			notes = append(notes, fmt.Sprintf("only the first %d of %d lines", maxCodeLines, lines))
		}
	}
	total := len(s.Text)
	// A character has at most four bytes, and cleaning takes only away: what is far beyond
	// the limit is not looked at.
	s.Text = clean(sanitize.Cut(s.Text, 8*maxSource))
	if cut := sanitize.First(s.Text, maxSource); len(cut) < len(s.Text) || total > 8*maxSource {
		s.Text = cut
		notes = append(notes, fmt.Sprintf("only the first %d of %d characters", utf8.RuneCountInString(cut), utf8.RuneCountInString(whole)))
	}
	s.Note = strings.Join(notes, "; ")
}

// firstOfLines is a text's first n lines, and how many it has.
func firstOfLines(s string, n int) (first string, lines int) {
	first = s
	for i := 0; i < len(s); lines++ {
		if lines == n {
			first = s[:i]
		}
		next := strings.IndexByte(s[i:], '\n')
		if next < 0 {
			return first, lines + 1
		}
		i += next + 1
	}
	return first, lines
}

// definitions names what the kept part of a code file defines: exported types first,
// then what else is exported, then the rest, each in the order of the file.
func definitions(ctx context.Context, code *codebase.RepoMap, chunk *codebase.Chunk, s Source, text string) ([]string, error) {
	var symbols []syntax.Symbol
	if chunk != nil && chunk.Hash == codebase.HashOf(text) {
		symbols = chunk.Symbols()
	} else {
		f, err := code.Parse(ctx, s.Path, text)
		if err != nil {
			return nil, err
		}
		symbols = f.Symbols
	}
	kept := strings.Count(s.Text, "\n") + 1
	symbols = slices.DeleteFunc(slices.Clone(symbols), func(x syntax.Symbol) bool { return x.Line > kept || x.Kind == codebase.Block })
	telling := func(x syntax.Symbol) int {
		switch {
		case x.Exported && x.Kind.IsType():
			return 0
		case x.Exported:
			return 1
		case x.Container == "":
			return 2
		}
		return 3
	}
	slices.SortStableFunc(symbols, func(a, b syntax.Symbol) int { return cmp.Compare(telling(a), telling(b)) })
	var out []string
	for _, x := range symbols {
		name := x.Name
		if x.Container != "" {
			name = x.Container + "." + name
		}
		if len(out) < maxSymbols && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}
