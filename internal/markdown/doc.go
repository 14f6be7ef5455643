// Package markdown is text as Markdown, as far as a context tree needs it: lines and fences ([Lines]), headings
// ([Sections]), list items ([Item]), inline code ([CodeSpans]), and byte ranges ([Span]) with edits that splice them
// ([Edit]) and unified differences without credentials ([Diff]).
//
// It is the one scanner: whoever reads entries, documents and answers of models, or makes them harmless, asks it where
// code begins and ends. It reads what every renderer takes for the same, in one pass, linear in the text, whoever wrote
// it: blocks inside lists and quotes are no blocks to it, so that nesting costs nothing. Places are byte offsets.
package markdown
