package codebase

import (
	"context"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// Parse reads the syntax of a text as if it were the file at a path: of a former state of
// a file, for example. What is wrong with the text, or that there is no parser, is said in
// its Partial; the error is for a context that ended or a parser that is closed.
func (m *RepoMap) Parse(ctx context.Context, path, text string) (syntax.File, error) {
	language := syntax.LanguageFor(path, []byte(text))
	if m.scanner.opts.Parser == nil || language == "" {
		return syntax.File{Partial: "no syntax: no parser for it"}, nil
	}
	return m.scanner.opts.Parser.Parse(ctx, syntax.Request{Path: path, Language: language, Source: []byte(text)})
}
