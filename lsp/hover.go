package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// hoverParams are LSP's, with the selection that the place lies in: clients may
// send one (rust-analyzer's extension "hover range"), and our VS Code extension
// does.
type hoverParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
	Range        *protocol.Range                 `json:"range,omitempty"`
}

func hoverDocument(p *hoverParams) uri.URI { return p.TextDocument.URI }

// hover asks the workspace what is known about a place and renders it.
func hover(ctx context.Context, sc *scene, p *hoverParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok || !sc.hovers() {
		return nil, nil
	}
	req := workspace.AboutRequest{Path: sc.Path, Offset: m.Offset(p.Position)}
	if p.Range != nil {
		req.Selection = m.Span(*p.Range)
	}
	found, err := sc.Workspace.About(ctx, sc.View, req)
	if err != nil || found == nil {
		return nil, err
	}
	kind := protocol.MarkupKindPlainText
	if sc.server.Client.Markdown {
		kind = protocol.MarkupKindMarkdown
	}
	text := renderAbout(found, pageStyle{markdown: kind == protocol.MarkupKindMarkdown, link: sc.Link})
	if text == "" {
		return nil, nil
	}
	at := m.Bounds(found.At)
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: kind, Value: text}, Range: &at}, nil
}

// hovers reports whether the settings want hovers in the document.
func (sc *scene) hovers() bool {
	wanted := sc.Settings().Hover
	if sc.Doc != nil && slices.Contains(wanted.Exclude, sc.Doc.Language) {
		return false
	}
	_, entry := sc.View.EntryPath(sc.Path)
	return entry || wanted.Code
}

// pageStyle says how a hover is written.
type pageStyle struct {
	markdown bool
	link     func(path string) uri.URI // target of a link to a file of the folder; "" for one that is gone
}

func (s pageStyle) strong(text string) string {
	if s.markdown {
		return "**" + markup.Literal(text) + "**"
	}
	return markup.OneLine(text)
}

func (s pageStyle) plain(text string) string {
	if s.markdown {
		return markup.Literal(text)
	}
	return markup.OneLine(text)
}

// body shows markdown of an entry.
func (s pageStyle) body(text string) string {
	if s.markdown {
		return markup.Harmless(text)
	}
	return markup.Clean(text)
}

// file names a file; in markdown it can be clicked.
func (s pageStyle) file(shown, path string) string {
	if s.markdown {
		if target := s.link(path); target != "" {
			return "[" + markup.Literal(shown) + "](" + string(target) + ")"
		}
	}
	return s.plain(shown)
}

func (s pageStyle) code(language, text string) string {
	if s.markdown {
		return strings.Join(markup.Fenced(language, strings.Split(markup.Clean(text), "\n")), "\n")
	}
	return markup.Clean(text)
}

// renderAbout writes what is known about a place as a page of at most
// [markup.maxHoverLines] lines.
func renderAbout(a *workspace.About, style pageStyle) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if a.Problem != "" {
		add("⚠ " + style.plain(a.Problem))
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
		detail = detailPlace // the answer says more
	case len(a.Entries) == 1 && a.Folder == nil:
		detail = detailFull
	}
	for i := range a.Entries {
		add(renderEntry(&a.Entries[i], detail, style))
	}
	if a.Folder != nil {
		add(renderFolder(a.Folder, style))
	}
	if a.Answer != nil {
		add(style.body(answerText(a)))
	}
	return markup.Fit(strings.Join(parts, "\n\n"))
}

// answerText is the direct answer, without the title and the source where the
// entry above it shows them.
func answerText(a *workspace.About) string {
	text, hits := strings.TrimSpace(a.Answer.Text), a.Answer.Hits
	if len(a.Entries) == 0 || len(hits) == 0 || a.Entries[len(a.Entries)-1].Path != hits[0].Path {
		return text
	}
	text = strings.TrimPrefix(text, "**"+hits[0].Title+"**")
	return strings.TrimSpace(strings.TrimSuffix(text, "Source: "+hits[0].Path))
}

func renderField(f *workspace.AboutFieldValue, style pageStyle) string {
	text := style.strong(f.Key) + ": " + style.body(f.Doc)
	if f.Value != "" {
		text += "\n\n" + style.plain(f.Value)
	}
	return text
}

// renderFolder describes a domain or topic.
func renderFolder(f *workspace.AboutFolderValue, style pageStyle) string {
	holds := []string{f.Kind}
	if f.Folders > 0 {
		holds = append(holds, plural(f.Folders, "folder"))
	}
	entries := plural(f.Entries, "entry")
	if f.Entries != 1 {
		entries = fmt.Sprintf("%d entries", f.Entries)
	}
	text := style.strong(f.Title) + " · " + strings.Join(append(holds, entries), " · ") + style.lineBreak() +
		"\n" + style.file(f.Path, f.Overview)
	if f.Summary != "" {
		text += "\n\n" + style.body(f.Summary)
	}
	return text
}

// renderCode describes code that an entry names.
func renderCode(a *workspace.About, style pageStyle) string {
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

// detail is how much is told about an entry.
type detail int

const (
	detailPlace   detail = iota // its name and where it is
	detailSummary               // and its summary
	detailFull                  // and its tags, backlinks and the beginning of its text
)

// renderEntry describes one entry.
func renderEntry(e *workspace.AboutEntry, d detail, style pageStyle) string {
	head := []string{style.strong(e.Title)}
	if e.Maturity != "" {
		head = append(head, string(e.Maturity))
	}
	if e.HasSignals {
		head = append(head, fmt.Sprintf("importance %.0f", e.Importance), fmt.Sprintf("recency %.2f", e.Recency))
	}
	text := strings.Join(head, " · ") + style.lineBreak() + "\n" + entryPlace(e, d, style)
	if d >= detailSummary && e.Summary != "" {
		text += "\n\n" + style.plain(e.Summary)
	}
	if d == detailFull && e.Excerpt != "" {
		text += "\n\n" + style.rule() + style.body(e.Excerpt)
	}
	return text
}

// entryPlace is the line that says where an entry is and what it is tied to.
func entryPlace(e *workspace.AboutEntry, d detail, style pageStyle) string {
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

func (s pageStyle) lineBreak() string {
	if s.markdown {
		return "  "
	}
	return ""
}

func (s pageStyle) rule() string {
	if s.markdown {
		return "---\n\n"
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
