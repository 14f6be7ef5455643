//go:build cgo

package syntax

// #cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
// #include "parse.h"
import "C"

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Available reports whether this build has grammars.
const Available = true

const (
	// maxChildren bounds the children of a node on which a query runs. The matcher is quadratic in the children of
	// one node inside a single C call (20,000 open brackets: 2.5 s; measured).
	maxChildren = 5000
	// maxDepth bounds the depth of a tree on which a query runs.
	maxDepth = 2000
	// lostToMacros is the weight of the parts of a C header that macros may make unreadable before it is read as
	// C++ too.
	lostToMacros = 50
	// maxMatches bounds the answer of one file; 1 MiB of ordinary source has
	// about 60,000 matches.
	maxMatches = 400_000
)

// Version changes whenever the same source may give another File. It is a hash over the query files, the
// languages, revision, and the revision of the secrets rules. Stored results are valid only for the Version that
// made them.
var Version = version(queryFiles)

// revision is raised by hand with every change of the assembler, the codec, the limits or a grammar that can
// change a result.
const revision = 12

// version hashes every file of an embedded file system.
func version(files fs.FS) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %q\n", revision, secrets.Revision, languages())
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error { // in order of names
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, p)
		fmt.Fprintf(h, "%q %d\n%s", p, len(b), b)
		return err
	})
	if err != nil {
		panic("syntax: embedded queries: " + err.Error()) // cannot happen: the files are embedded in the program
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

var (
	errTooSlow = errors.New("parsing took too long")
	errPartly  = errors.New("a part of the file could not be parsed")
	errMacros  = fmt.Errorf("more than %d macros with definitions", maxMacroBodies)
)

// reasons holds the messages for the ways in which the C side can end.
var reasons = map[C.enum_read_end]error{
	C.READ_STOPPED:   errTooSlow,
	C.READ_TOO_DEEP:  errors.New("nested too deeply"),
	C.READ_TOO_BROAD: errors.New("a syntax error spans too many tokens"),
	C.READ_TOO_MANY:  errors.New("too many symbols"),
	C.READ_BROKEN:    errors.New("most of the file could not be parsed"),
	C.READ_PARTLY:    errPartly,
	C.READ_NO_TREE:   errors.New("internal error of the parser; please report it"),
	C.READ_NO_MEMORY: errors.New("out of memory"),
}

// parser has one reader for each language: tree-sitter's parser and query cursor, with a buffer for the captures.
// Each file takes one call into C. The Go binding makes one call for every match and node, and takes twice the
// time. A parser is not safe for concurrent use: a worker handles one file at a time.
type parser struct {
	byLanguage map[Language]*reader
	captures   []capture // reused from file to file
	matches    []match
	lost       []Span // lines of the file that could not be parsed
}

type reader struct {
	c     *C.reader
	names []string
}

func newParser() *parser { return &parser{byLanguage: map[Language]*reader{}} }

func (p *parser) close() {
	for _, r := range p.byLanguage {
		C.reader_free(r.c)
	}
	p.byLanguage = nil
}

// parse reads one file within limit, which is processor time if the system provides it (see cpuTime). Partial
// tells why a file was not read completely.
func (p *parser) parse(req Request, limit time.Duration) File {
	if reason := refuse(req.Source); reason != "" {
		return File{Partial: reason}
	}
	r, err := p.reader(req.Language)
	if err != nil {
		return File{Partial: "not parsed: " + err.Error()}
	}
	lang, matches, err := p.read(r, req, limit)
	if errors.Is(err, errTooSlow) {
		// Any partial result would depend on the machine, so none is returned.
		return File{Partial: err.Error(), Slow: !hasCPUTime}
	}
	if isComponent(req.Path) {
		for _, at := range markupComment().FindAllIndex(req.Source, -1) {
			matches = append(matches, match{{"doc", Span{at[0], at[1]}}})
		}
	}
	f := assemble(lang, req.Source, matches)
	if err != nil {
		f.Partial, f.Lost = err.Error(), p.lost
	}
	return f
}

func (p *parser) reader(lang Language) (*reader, error) {
	if r := p.byLanguage[lang]; r != nil {
		return r, nil
	}
	load, ok := grammars[lang]
	if !ok {
		return nil, fmt.Errorf("no grammar for %q", lang)
	}
	g, err := load()
	if err != nil {
		return nil, err
	}
	r := &reader{c: C.reader_new(pointer(g.language, "ptr"), pointer(g.query, "c")), names: g.captures}
	if r.c == nil {
		return nil, fmt.Errorf("the grammar of %s is incompatible", lang)
	}
	p.byLanguage[lang] = r
	return r, nil
}

// pointer returns the C object behind a value of the Go binding. The binding keeps it in an unexported field and
// does not export it in another way.
func pointer(v any, field string) unsafe.Pointer {
	return reflect.ValueOf(v).Elem().FieldByName(field).UnsafePointer()
}

// read parses a source and runs the language's query over it. After an error it returns the matches found so far.
// The matches are valid until the next call. The returned language differs if a C header turned out to be C++.
func (p *parser) read(r *reader, req Request, limit time.Duration) (Language, []match, error) {
	lang, source := req.Language, shortened(scriptOf(req.Path, req.Source))
	stop := (*uintptr)(unsafe.Pointer(C.reader_stop(r.c)))
	atomic.StoreUintptr(stop, 0)
	end := watch(limit, func() { atomic.StoreUintptr(stop, 1) })
	defer end()
	p.captures = p.captures[:0]
	if lang == Lua {
		_, _ = r.run([]byte(luaReset))
	}
	best := p.readFrom(r, source, source, nil)
	if best.lost > 0 {
		best = p.readAgain(r, lang, source, best)
	}
	if best.lost > len(source)/lostToMacros && lang == C && strings.EqualFold(path.Ext(req.Path), ".h") {
		if cpp, err := p.reader(Cpp); err == nil {
			if try := p.readAgain(cpp, Cpp, source, p.readFrom(cpp, source, source, nil)); try.lost < best.lost {
				lang, best = Cpp, try
			}
		}
	}
	p.matches, p.lost = best.matches, best.lines
	err := best.err
	if (err == nil || err == errPartly) && lang == Rust {
		err = cmp.Or(p.readMacros(r, source, stop), err)
	}
	return lang, p.matches, err
}

// reading is the result of reading a source in one way.
type reading struct {
	matches []match
	lines   []Span // that could not be parsed
	lost    int    // the weight of the parts that could not be parsed; see reader_lost
	err     error
}

// readAgain reads a source with its repairs. It returns the best of all readings.
func (p *parser) readAgain(r *reader, lang Language, source []byte, best reading) reading {
	var before []byte
	for _, rough := range []bool{false, true} {
		again, found := repaired(lang, source, rough)
		if best.lost == 0 || again == nil || bytes.Equal(again, before) {
			continue
		}
		before = again
		if try := p.readFrom(r, again, source, found); try.lost < best.lost {
			best = try
		}
	}
	return best
}

// readFrom reads a text that replaces a source and ends with it. found holds matches that are known already.
func (p *parser) readFrom(r *reader, text, source []byte, found []match) reading {
	start := len(source) - len(text)
	p.matches = slices.Clip(found)
	captures, err := r.run(text)
	p.convert(captures, r.names, start)
	out := reading{p.matches, r.lostLines(source, start), int(C.reader_lost(r.c)), err}
	for _, m := range out.matches[len(found):] {
		word, _ := m.find("word")
		if _, ok := m.find("suspect"); ok && suspectWords[string(source[word.Start:word.End])] {
			out.lost++
		}
	}
	if err != nil && err != errPartly && err != reasons[C.READ_BROKEN] {
		out.lost = math.MaxInt
	}
	return out
}

// suspectWords holds the words that a @suspect reading may have as its @word: none, and those of C++ modules.
var suspectWords = map[string]bool{"": true, "import": true, "module": true}

// luaReset resets the scanner of Lua's grammar. The scanner keeps the current string or comment in global
// variables, so a file that ends inside one would change how the next file is read.
const luaReset = "x = ''\n"

// readMacros reads the items in the bodies of macros, and in the macros inside those. Text that is not Rust is
// left out, since a macro's body may be anything.
func (p *parser) readMacros(r *reader, source []byte, stop *uintptr) error {
	done, bodies := 0, 0
	for range maxMacroDepth {
		next := macroItems(source, p.matches[done:])
		done = len(p.matches)
		for _, at := range next {
			if bodies++; bodies > maxMacroBodies {
				return errMacros
			}
			before := len(p.matches)
			items, err := r.run(source[at.Start:at.End])
			p.convert(items, r.names, at.Start)
			switch {
			case errors.Is(err, errTooSlow) || atomic.LoadUintptr(stop) != 0:
				return errTooSlow
			case err != nil && err != errPartly:
				p.matches = p.matches[:before]
			case len(p.matches) > maxMatches:
				return reasons[C.READ_TOO_MANY]
			}
		}
	}
	return nil
}

// run makes the one call into C. The result is valid until the next call.
func (r *reader) run(source []byte) ([]C.read_capture, error) {
	var found *C.read_capture
	var count C.size_t
	limits := C.read_limits{max_children: maxChildren, max_depth: maxDepth, max_matches: maxMatches}
	text := (*C.char)(unsafe.Pointer(unsafe.SliceData(source)))
	code := C.reader_read(r.c, text, C.uint32_t(len(source)), limits, &found, &count)
	return unsafe.Slice(found, int(count)), reasons[code]
}

// lostLines returns the lines that the last read could not parse, and joins adjacent ones. from is the position in
// the source where the text that was read begins.
func (r *reader) lostLines(source []byte, from int) (lines []Span) {
	var count C.size_t
	first := C.reader_broken(r.c, &count)
	line, at := 1, 0
	for _, s := range unsafe.Slice(first, int(count)) {
		start := max(at, int(s.start)+from)
		end := max(start, int(s.end)+from-1)
		first := line + bytes.Count(source[at:start], []byte("\n"))
		to := first + bytes.Count(source[start:end], []byte("\n"))
		line, at = to, end
		if n := len(lines); n > 0 && first <= lines[n-1].End+1 {
			lines[n-1].End = to
		} else {
			lines = append(lines, Span{first, to})
		}
	}
	return lines
}

// convert appends the matches of a flat list of captures. start is the position in the source where the text that
// was read begins.
func (p *parser) convert(found []C.read_capture, names []string, start int) {
	first := len(p.captures)
	for _, c := range found {
		p.captures = append(p.captures, capture{names[c.index], Span{max(start+int(c.start), 0), max(start+int(c.end), 0)}})
	}
	captures := p.captures[first:]
	for from := 0; from < len(found); {
		to := from + 1
		for to < len(found) && found[to].match == found[from].match {
			to++
		}
		p.matches = append(p.matches, captures[from:to:to])
		from = to
	}
}
