package render

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
)

// pageStyle determines how a hover is written.
type pageStyle struct {
	markdown bool
	link     func(path string) uri.URI // target of a link to a file of the folder; "" if the file is gone
}

// body writes the Markdown of an entry.
func (s pageStyle) body(text string) string {
	if s.markdown {
		return markup.Harmless(text)
	}
	return markup.Clean(text)
}

func (s pageStyle) code(language, text string) string {
	if s.markdown {
		return strings.Join(markup.Fenced(language, strings.Split(markup.Clean(text), "\n")), "\n")
	}
	return markup.Clean(text)
}

// file writes a file's name; in Markdown it is a link.
func (s pageStyle) file(shown, path string) string { return s.line(shown, path, 0) }

// line writes a line of a file, counted from 1, as editors accept it in links; 0 means the file.
func (s pageStyle) line(shown, path string, line int) string {
	if s.markdown {
		if target := s.link(path); target != "" {
			at := ""
			if line > 0 {
				at = fmt.Sprintf("#L%d", line)
			}
			return "[" + markup.Literal(shown) + "](" + string(target) + at + ")"
		}
	}
	if line > 0 {
		shown = fmt.Sprintf("%s:%d", shown, line)
	}
	return s.plain(shown)
}

func (s pageStyle) lineBreak() string {
	if s.markdown {
		return "  "
	}
	return ""
}

func (s pageStyle) plain(text string) string {
	if s.markdown {
		return markup.Literal(text)
	}
	return markup.OneLine(text)
}

func (s pageStyle) rule() string {
	if s.markdown {
		return "---\n\n"
	}
	return ""
}

func (s pageStyle) strong(text string) string {
	if s.markdown {
		return "**" + markup.Literal(text) + "**"
	}
	return markup.OneLine(text)
}

// About renders the information about a place as the content of a hover, in the markup that the client shows. It
// is nil if there is none.
func About(sc *state.Scene, a *describe.Info) *protocol.MarkupContent {
	style := pageStyle{markdown: sc.Session.Client.Markdown, link: sc.Link}
	text := style.page(a)
	switch {
	case text == "":
		return nil
	case style.markdown:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: text}
}

// page renders the information about a place.
func (style pageStyle) page(a *describe.Info) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if a.Problem != "" {
		add("⚠ " + style.plain(a.Problem))
	}
	for _, s := range a.Stale {
		which := ""
		if len(a.Entries) > 1 {
			which = style.plain(s.Title) + ": "
		}
		add("⚠ stale: " + which + style.body(s.Line))
	}
	if a.Field != nil {
		add(renderField(a.Field, style))
	}
	if a.Code != nil {
		add(renderCode(a, style))
	}
	detail := detailSummary
	switch {
	case a.Answer != nil:
		detail = detailPlace // the answer shows more
	case len(a.Entries) == 1 && a.Folder == nil:
		detail = detailFull
	}
	for i := range a.Entries {
		add(renderEntry(&a.Entries[i], detail, style))
	}
	if a.Folder != nil {
		add(renderFolder(a.Folder, style))
	}
	var pages []string
	for _, p := range a.Pages {
		pages = append(pages, style.line(p.Called, p.Path, p.Line))
	}
	add(strings.Join(pages, style.lineBreak()+"\n"))
	if a.UsedIn != "" {
		add("Used in " + style.plain(a.UsedIn))
	}
	if a.Answer != nil {
		add(style.body(answerText(a)))
	}
	return markup.Fit(strings.Join(parts, "\n\n"))
}

// answerText returns the direct answer. It leaves out the title and the source if the entry above shows them.
func answerText(a *describe.Info) string {
	text, hits := strings.TrimSpace(a.Answer.Text), a.Answer.Hits
	if len(a.Entries) == 0 || len(hits) == 0 || a.Entries[len(a.Entries)-1].Path != hits[0].Path {
		return text
	}
	text = strings.TrimPrefix(text, "**"+hits[0].Title+"**")
	return strings.TrimSpace(strings.TrimSuffix(text, "Source: "+hits[0].Path))
}

func renderField(f *describe.Field, style pageStyle) string {
	text := style.strong(f.Key) + ": " + style.body(f.Doc)
	if f.Value != "" {
		text += "\n\n" + style.plain(f.Value)
	}
	return text
}

// renderFolder describes a domain or topic.
func renderFolder(f *describe.Folder, style pageStyle) string {
	holds := []string{f.Kind}
	if f.Folders > 0 {
		holds = append(holds, plural(f.Folders, "folder"))
	}
	entries := words.Counted(f.Entries, "entry", "entries")
	text := style.strong(f.Title) + " · " + strings.Join(append(holds, entries), " · ") + style.lineBreak() +
		"\n" + style.file(f.Path, f.Overview)
	if f.Summary != "" {
		text += "\n\n" + style.body(f.Summary)
	}
	return text
}

// renderCode describes the code that an entry names.
func renderCode(a *describe.Info, style pageStyle) string {
	c := a.Code
	if c.Missing {
		return style.strong(a.Name) + ": " + style.plain("named here, but not found in the code")
	}
	place := c.Path
	if c.Line > 0 {
		place = fmt.Sprintf("%s:%d", c.Path, c.Line)
	}
	text := style.file(place, c.Path)
	if c.Signature != "" {
		text = style.code("", c.Signature) + "\n\n" + text
	}
	return text
}

// detail determines how much of an entry is shown.
type detail int

const (
	detailPlace   detail = iota // its name and place
	detailSummary               // and its summary, or else its first sentence
	detailFull                  // and its tags, backlinks and the beginning of its text
)

// renderEntry describes one entry.
func renderEntry(e *describe.Entry, d detail, style pageStyle) string {
	head := []string{style.strong(e.Title)}
	if e.Tier != "" {
		head = append(head, e.Tier)
	}
	if e.HasSignals {
		head = append(head, fmt.Sprintf("importance %.0f", e.Importance))
	}
	text := strings.Join(head, " · ") + style.lineBreak() + "\n" + entryPlace(e, d, style)
	switch {
	case d >= detailSummary && e.Summary != "":
		text += "\n\n" + style.plain(e.Summary)
	case d == detailSummary && e.Lead != "":
		text += "\n\n" + style.body(e.Lead)
	}
	if d == detailFull && e.Excerpt != "" {
		text += "\n\n" + style.rule() + style.body(e.Excerpt)
	}
	return text
}

// entryPlace returns the line with an entry's place and its connections.
func entryPlace(e *describe.Entry, d detail, style pageStyle) string {
	place := []string{style.file(e.Path, e.FilePath)}
	if d == detailFull && len(e.Tags) > 0 {
		place = append(place, style.plain(strings.Join(e.Tags, ", ")))
	}
	if d == detailFull && e.Backlinks > 0 {
		place = append(place, plural(e.Backlinks, "backlink"))
	}
	if e.Reason != "" {
		place = append(place, style.body(e.Reason))
	}
	return strings.Join(place, " · ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
