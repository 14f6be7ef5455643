//go:build cgo

package syntax

import (
	"context"
	"errors"
	"fmt"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
)

// Available reports whether this build has grammars.
const Available = true

const (
	// maxChildren is the width of a node above which no query runs on it:
	// the matcher is quadratic in the children of one node inside a single
	// C call (20,000 open brackets: 2.5 s; measured).
	maxChildren = 5000
	// maxDepth bounds how deep a tree may be nested before it is left alone.
	maxDepth = 2000
	// maxMatches bounds the answer of one file; 1 MiB of ordinary source has
	// about 60,000 matches.
	maxMatches = 400_000
)

var (
	errTooSlow  = errors.New("parsing took too long")
	errTooDeep  = errors.New("nested too deeply")
	errTooBroad = errors.New("a syntax error spans too many tokens")
	errBroken   = errors.New("most of it is no valid syntax")
	errTooMany  = errors.New("too many symbols")
)

// parser owns one tree-sitter parser per language. It is not safe for
// concurrent use: a worker handles one file at a time.
type parser struct {
	byLanguage map[Language]*sitter.Parser
}

func newParser() *parser { return &parser{byLanguage: map[Language]*sitter.Parser{}} }

func (p *parser) close() {
	for _, sp := range p.byLanguage {
		sp.Close()
	}
	p.byLanguage = nil
}

// parse reads one file within limit. What cannot be read is said in Partial.
func (p *parser) parse(req Request, limit time.Duration) File {
	if reason := refuse(req.Source); reason != "" {
		return File{Partial: reason}
	}
	load, ok := grammars[req.Language]
	if !ok {
		return File{Partial: fmt.Sprintf("no syntax: no grammar for %q", req.Language)}
	}
	g, err := load()
	if err != nil {
		return File{Partial: "no syntax: " + err.Error()}
	}
	matches, err := p.matches(g, req, limit)
	f := assemble(req.Language, req.Source, matches)
	if err != nil {
		f.Partial, f.Slow = err.Error(), errors.Is(err, errTooSlow)
	}
	return f
}

// matches runs the language's query over the file. On an error it returns what
// it had found.
func (p *parser) matches(g *grammar, req Request, limit time.Duration) ([]match, error) {
	sp := p.byLanguage[req.Language]
	if sp == nil {
		sp = sitter.NewParser()
		sp.SetLanguage(g.language)
		p.byLanguage[req.Language] = sp
	}
	sp.SetOperationLimit(int(limit.Microseconds()))
	// Never a cancellable context: its goroutine may set the cancel flag after
	// the parse has ended, and the parser then fails for ever.
	tree, err := sp.ParseCtx(context.Background(), nil, req.Source)
	if err != nil {
		sp.Reset() // else the next parse resumes this document
		if errors.Is(err, sitter.ErrOperationLimit) {
			return nil, errTooSlow
		}
		return nil, err
	}
	defer tree.Close()
	found, err := collect(g, tree.RootNode(), time.Now().Add(limit))
	if err == nil && mostlyErrors(tree.RootNode()) {
		err = errBroken
	}
	return found, err
}

// mostlyErrors reports whether error nodes cover over half of the bytes. A
// stray token is no news in code that is being typed; this is a file in another
// language, or none.
func mostlyErrors(root *sitter.Node) bool {
	if !root.HasError() {
		return false
	}
	walk := sitter.NewTreeCursor(root)
	defer walk.Close()
	covered, total := uint32(0), root.EndByte()-root.StartByte()
	for {
		n := walk.CurrentNode()
		if n.IsError() {
			covered += n.EndByte() - n.StartByte()
		} else if n.HasError() && walk.GoToFirstChild() {
			continue
		}
		for !walk.GoToNextSibling() {
			if !walk.GoToParent() {
				return covered > total/2
			}
		}
	}
}

// collect runs the query on root, or on the parts of it that are narrow enough.
func collect(g *grammar, root *sitter.Node, deadline time.Time) ([]match, error) {
	if root.HasError() {
		if err := checkErrors(root); err != nil {
			return nil, err
		}
	}
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	if root.ChildCount() <= maxChildren {
		return runQuery(nil, g, cursor, root, deadline)
	}
	// A wide root is walked, and each of its children queried by itself. No
	// pattern needs the root or two of its children at once.
	walk := sitter.NewTreeCursor(root)
	defer walk.Close()
	var out []match
	for ok := walk.GoToFirstChild(); ok; ok = walk.GoToNextSibling() {
		n := walk.CurrentNode()
		if n.ChildCount() > maxChildren {
			return out, errTooBroad
		}
		var err error
		if out, err = runQuery(out, g, cursor, n, deadline); err != nil {
			return out, err
		}
	}
	return out, nil
}

// checkErrors walks the parts of the tree that hold syntax errors and refuses
// trees on which the matcher would not end. The walk itself is linear.
func checkErrors(root *sitter.Node) error {
	walk := sitter.NewTreeCursor(root)
	defer walk.Close()
	depth := 0
	for {
		n := walk.CurrentNode()
		if n.IsError() && n.ChildCount() > maxChildren {
			return errTooBroad
		}
		if n.HasError() && walk.GoToFirstChild() {
			if depth++; depth > maxDepth {
				return errTooDeep
			}
			continue
		}
		for !walk.GoToNextSibling() {
			if depth == 0 || !walk.GoToParent() {
				return nil
			}
			depth--
		}
	}
}

// runQuery appends the query's matches in node to out.
func runQuery(out []match, g *grammar, cursor *sitter.QueryCursor, node *sitter.Node, deadline time.Time) ([]match, error) {
	cursor.Exec(g.query, node)
	for {
		m, ok := cursor.NextMatch()
		if !ok {
			return out, nil
		}
		captures := make(match, 0, len(m.Captures))
		for _, c := range m.Captures {
			span := Span{int(c.Node.StartByte()), int(c.Node.EndByte())}
			captures = append(captures, capture{g.captures[c.Index], span})
		}
		out = append(out, captures)
		if len(out) >= maxMatches {
			return out, errTooMany
		}
		if len(out)%1024 == 0 && time.Now().After(deadline) {
			return out, errTooSlow
		}
	}
}
