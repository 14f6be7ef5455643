package documents

import (
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// commitSign begins the path of the entry for a commit's message. shortHash is how many digits of the hash follow,
// as in git's own logs of large repositories.
const (
	commitSign = "commit "
	shortHash  = 10
)

// CommitEntry returns the message of a commit as an entry for the search, with the files that the commit changed.
func CommitEntry(hash, subject, text string, at time.Time, files []string) *format.Entry {
	title := sanitize.Line(subject, maxTitle)
	e := &format.Entry{
		Path: commitSign + hash[:min(shortHash, len(hash))] + format.SectionSign + strings.ReplaceAll(title, "/", "∕"), Role: format.RoleEntry,
		Text: text, Hash: hash, Title: title, Summary: "Committed " + at.Format(time.DateOnly) + ".", UpdatedAt: at,
		Body: markdown.Span{Start: 0, End: len(text)},
	}
	for _, f := range files {
		e.Files = append(e.Files, format.FileRef{Path: f})
	}
	return e
}
