package codebase

import (
	"path"
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
// rules.
type ignoreFile struct {
	dir   string // "" for the top
	rules []ignoreRule
}

// parseIgnore reads a .gitignore file as git does: trailing spaces go unless
// escaped, a carriage return before the line end goes, '#' begins a comment.
func parseIgnore(dir, text string) ignoreFile {
	f := ignoreFile{dir: dir}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if r, ok := parseRule(trimSpaces(line)); ok {
			f.rules = append(f.rules, r)
		}
	}
	return f
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
func (f ignoreFile) match(p string, isDir bool) (ignored, decided bool) {
	rel := p
	if f.dir != "" {
		rel = p[len(f.dir)+1:]
	}
	for i := len(f.rules) - 1; i >= 0; i-- {
		if r := &f.rules[i]; r.matches(rel, isDir) {
			return !r.negated, true
		}
	}
	return false, false
}

func (r *ignoreRule) matches(rel string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.baseOnly {
		return wildmatch(r.pattern, path.Base(rel), false)
	}
	// git compares the literal start by itself and matches the rest as a
	// pattern of its own, so that in "a**/b" the stars count as a folder name's.
	if !strings.HasPrefix(rel, r.pattern[:r.literal]) {
		return false
	}
	return wildmatch(r.pattern[r.literal:], rel[r.literal:], true)
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
