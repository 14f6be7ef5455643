// Package markdown is text as Markdown, as far as a context tree needs it: lines and fences ([Lines]), headings
// ([Sections]), code spans, and byte ranges ([Span]) with edits that splice them ([Edit]) and unified differences
// without credentials ([Diff]). It reads what every renderer takes for the same, in one pass, linear in the text.
package markdown
