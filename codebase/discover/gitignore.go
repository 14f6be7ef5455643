package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/glob"
)

// ignoreRule is one pattern line of a .gitignore file.
type ignoreRule struct {
	pattern  string
	literal  int  // bytes before the first glob character
	tail     int  // literal bytes at the end, for a quick rejection
	negated  bool // "!": a match includes again
	dirOnly  bool // trailing "/"
	baseOnly bool // no other "/": matches a name at any depth
}

// ignoreFile is one .gitignore file, or git's info/exclude, with its folder. Rules without glob characters
// are looked up in a map, so that a list of 10,000 names is as fast as one of ten.
type ignoreFile struct {
	path  string // of the file itself
	dir   string // "" for the top
	above string // the top in the folder that the rules are for, with a slash at its end; "" where that is the top or in it
	fold  bool   // case is ignored
	rules []ignoreRule
	names map[string]lastRule // literal rules by name, at any depth
	paths map[string]lastRule // literal rules by path from dir
	globs []int               // the others, as positions in rules
}

// lastRule holds the positions, from 1, of the last rules for one text: of those
// for files and folders, and of those for folders only.
type lastRule struct{ any, dir int }

// maxGlobs bounds the rules of one file that are tried one after the other. Real files have up to some
// hundred; further rules are ignored.
const maxGlobs = 5000

// parseIgnore reads a .gitignore file as git does: trailing spaces go unless
// escaped, a carriage return before the line end goes, '#' begins a comment, a
// NUL ends the line.
func parseIgnore(p, dir, text string, fold bool) ignoreFile {
	f := ignoreFile{path: p, dir: dir, fold: fold, names: map[string]lastRule{}, paths: map[string]lastRule{}}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if line == "" || line[0] == '#' {
			continue
		}
		if r, ok := parseRule(trimSpaces(line)); ok {
			f.add(r)
		}
	}
	return f
}

func (f *ignoreFile) add(r ignoreRule) {
	if r.literal < len(r.pattern) {
		if len(f.globs) == maxGlobs {
			return
		}
		f.globs = append(f.globs, len(f.rules))
		f.rules = append(f.rules, r)
		return
	}
	f.rules = append(f.rules, r)
	at := f.paths
	if r.baseOnly {
		at = f.names
	}
	last := at[f.key(r.pattern)]
	if r.dirOnly {
		last.dir = len(f.rules)
	} else {
		last.any = len(f.rules)
	}
	at[f.key(r.pattern)] = last
}

func (f *ignoreFile) key(s string) string {
	if f.fold {
		return lowerASCII(s)
	}
	return s
}

// lowerASCII folds case as git does, which leaves other bytes alone.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = glob.Lower(c)
	}
	return string(b)
}

func parseRule(p string) (ignoreRule, bool) {
	var r ignoreRule
	p, r.negated = strings.CutPrefix(p, "!")
	p, r.dirOnly = strings.CutSuffix(p, "/")
	if p == "" {
		return r, false
	}
	r.baseOnly = !strings.Contains(p, "/")
	r.pattern = strings.TrimPrefix(p, "/")
	r.literal = strings.IndexAny(r.pattern, `*?[\`)
	if r.literal < 0 {
		r.literal = len(r.pattern)
		return r, true
	}
	r.pattern = r.pattern[:r.literal] + collapse(r.pattern[r.literal:])
	tail := r.pattern[strings.LastIndexAny(r.pattern, `*?[]\`)+1:]
	r.tail = len(strings.TrimPrefix(tail, "/")) // "**/b" matches b
	return r, true
}

// collapse writes one "**/" for several in a row, which mean the same.
func collapse(p string) string {
	if !strings.Contains(p, "**/**") {
		return p
	}
	segments := strings.Split(p, "/")
	stars := func(s string) bool { return len(s) > 1 && strings.Trim(s, "*") == "" }
	return strings.Join(slices.CompactFunc(segments, func(a, b string) bool { return stars(a) && stars(b) }), "/")
}

// trimSpaces removes trailing spaces that no backslash escapes.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// match reports whether a rule of f matches p, which lies in f's folder, and what it decides. The last
// matching rule counts.
func (f *ignoreFile) match(p string, isDir bool, m *meter) (ignored, decided bool) {
	rel := p
	if f.dir != "" {
		rel = p[len(f.dir)+1:]
	}
	return f.decide(f.above+rel, isDir, m)
}

// decide is match for a path relative to the folder that the rules are for.
func (f *ignoreFile) decide(rel string, isDir bool, m *meter) (ignored, decided bool) {
	base := path.Base(rel)
	m.count(1+len(rel)/stepBytes, f)
	last := max(f.names[f.key(base)].of(isDir), f.paths[f.key(rel)].of(isDir)) - 1
	for i := len(f.globs) - 1; i >= 0 && f.globs[i] > last && m.left >= 0; i-- {
		if f.matches(&f.rules[f.globs[i]], rel, base, isDir, m) {
			last = f.globs[i]
			break
		}
	}
	return last >= 0 && !f.rules[last].negated, last >= 0
}

func (l lastRule) of(isDir bool) int {
	if isDir {
		return max(l.any, l.dir)
	}
	return l.any
}

// matches tries a rule with glob characters.
func (f *ignoreFile) matches(r *ignoreRule, rel, base string, isDir bool, m *meter) bool {
	m.count(1, f)
	if r.dirOnly && !isDir {
		return false
	}
	if r.tail > 0 && !f.same(r.pattern[len(r.pattern)-r.tail:], rel[max(len(rel)-r.tail, 0):], m) {
		return false
	}
	if r.baseOnly {
		return f.wildmatch(r.pattern, base, false, m)
	}
	// git compares the literal start by itself and matches the rest as a
	// pattern of its own, so that in "a**/b" the stars count as a folder name's.
	if !f.same(r.pattern[:r.literal], rel[:min(len(rel), r.literal)], m) {
		return false
	}
	return f.wildmatch(r.pattern[r.literal:], rel[r.literal:], true, m)
}

func (f *ignoreFile) wildmatch(pattern, text string, pathname bool, m *meter) bool {
	ok, steps := glob.Git(pattern, text, pathname, f.fold)
	m.count(steps, f)
	return ok
}

// same compares two texts, ignoring case if the rules do.
func (f *ignoreFile) same(a, b string, m *meter) bool {
	if len(a) != len(b) || !f.fold {
		return a == b
	}
	m.count(len(a)/stepBytes, f)
	for i := range len(a) {
		if a[i] != b[i] && glob.Lower(a[i]) != glob.Lower(b[i]) {
			return false
		}
	}
	return true
}

// meter counts the steps of matching. It bounds the cost of a folder's rules in proportion to the folder's
// size, whatever patterns a stranger writes. A step is about one byte of a pattern.
type meter struct {
	left  int         // negative: used up, and no more patterns are tried
	spent *ignoreFile // the file whose patterns used the last step
}

const (
	stepBytes = 16        // bytes that are compared or hashed at once in about the time of a step
	stepsAll  = 100 << 20 // steps that a walk may take in all, some tenths of a second, …
	stepsEach = 5_000     // … beside these for each file and folder: as many as a file has patterns
	stepsOne  = 1 << 20   // steps for one path that is asked about after the walk
)

func (m *meter) count(n int, f *ignoreFile) {
	if m.left >= 0 && m.left < n {
		m.spent = f
	}
	m.left -= n
}

// ignoreStack is the chain of ignore files for a folder, outermost first. It is a persistent list: a folder's
// children share it.
type ignoreStack struct {
	parent *ignoreStack
	file   ignoreFile
}

// with returns the stack for a folder that has an ignore file of its own.
func (s *ignoreStack) with(f ignoreFile) *ignoreStack {
	if len(f.rules) == 0 {
		return s
	}
	return &ignoreStack{s, f}
}

// equal reports whether two stacks have the same rules.
func (s *ignoreStack) equal(o *ignoreStack) bool {
	for ; s != nil && o != nil; s, o = s.parent, o.parent {
		if s == o {
			return true
		}
		if s.file.dir != o.file.dir || s.file.above != o.file.above || s.file.fold != o.file.fold || !slices.Equal(s.file.rules, o.file.rules) {
			return false
		}
	}
	return s == o
}

// ignores reports whether p, a child of the folder that s rules, is ignored. Its
// folder must not be ignored itself: then no rule can bring p back.
func (s *ignoreStack) ignores(p string, isDir bool, m *meter) bool {
	for ; s != nil; s = s.parent {
		if ignored, decided := s.file.match(p, isDir, m); decided {
			return ignored
		}
	}
	return false
}

// folds reports whether the repository of s ignores case.
func (s *ignoreStack) folds() bool { return s != nil && s.file.fold }
