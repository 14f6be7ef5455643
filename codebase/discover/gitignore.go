package discover

import (
	"path"
	"slices"
	"strings"
)

// ignoreRule is one pattern line of a .gitignore file.
type ignoreRule struct {
	pattern  string
	literal  int  // bytes before the first glob character
	negated  bool // "!": a match includes again
	dirOnly  bool // trailing "/"
	baseOnly bool // no other "/": matches a name at any depth
}

// ignoreFile is one .gitignore file, or git's info/exclude, with the folder it
// rules. Rules without glob characters are found by a look into a map, so that a
// path costs no more in a list of 10,000 names than in one of ten.
type ignoreFile struct {
	dir   string // "" for the top
	fold  bool   // case does not count
	rules []ignoreRule
	names map[string]lastRule // literal rules by name, at any depth
	paths map[string]lastRule // literal rules by path from dir
	globs []int               // the others, as positions in rules
}

// lastRule holds the positions, from 1, of the last rules for one text: of those
// for files and folders, and of those for folders only.
type lastRule struct{ any, dir int }

// maxGlobs bounds the rules of one file that are tried one after the other. Real
// files have up to some hundred; what is beyond does not rule.
const maxGlobs = 5000

// parseIgnore reads a .gitignore file as git does: trailing spaces go unless
// escaped, a carriage return before the line end goes, '#' begins a comment, a
// NUL ends the line.
func parseIgnore(dir, text string, fold bool) ignoreFile {
	f := ignoreFile{dir: dir, fold: fold, names: map[string]lastRule{}, paths: map[string]lastRule{}}
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
		if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
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
	}
	return r, true
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

// match tells whether a rule of f decides about p, which lies in f's folder, and
// how. The last rule that matches counts.
func (f *ignoreFile) match(p string, isDir bool) (ignored, decided bool) {
	rel := p
	if f.dir != "" {
		rel = p[len(f.dir)+1:]
	}
	base := path.Base(rel)
	last := max(f.names[f.key(base)].of(isDir), f.paths[f.key(rel)].of(isDir)) - 1
	for i := len(f.globs) - 1; i >= 0 && f.globs[i] > last; i-- {
		if f.matches(&f.rules[f.globs[i]], rel, base, isDir) {
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
func (f *ignoreFile) matches(r *ignoreRule, rel, base string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.baseOnly {
		return wildmatch(r.pattern, base, false, f.fold)
	}
	// git compares the literal start by itself and matches the rest as a
	// pattern of its own, so that in "a**/b" the stars count as a folder name's.
	if len(rel) < r.literal || f.key(rel[:r.literal]) != f.key(r.pattern[:r.literal]) {
		return false
	}
	return wildmatch(r.pattern[r.literal:], rel[r.literal:], true, f.fold)
}

// ignoreStack is the chain of ignore files that rule a folder, outermost first.
// It is a persistent list: a folder's children share it.
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

// equal reports whether two stacks rule alike.
func (s *ignoreStack) equal(o *ignoreStack) bool {
	for ; s != nil && o != nil; s, o = s.parent, o.parent {
		if s == o {
			return true
		}
		if s.file.dir != o.file.dir || s.file.fold != o.file.fold || !slices.Equal(s.file.rules, o.file.rules) {
			return false
		}
	}
	return s == o
}

// ignores reports whether p, a child of the folder that s rules, is ignored. Its
// folder must not be ignored itself: then no rule can bring p back.
func (s *ignoreStack) ignores(p string, isDir bool) bool {
	for ; s != nil; s = s.parent {
		if ignored, decided := s.file.match(p, isDir); decided {
			return ignored
		}
	}
	return false
}

// folds reports whether case does not count in the repository of s.
func (s *ignoreStack) folds() bool { return s != nil && s.file.fold }
