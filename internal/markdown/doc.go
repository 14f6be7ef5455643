// Package markdown is text as Markdown, as far as a context tree needs it: lines, and which of them are code or comments
// ([Lines]), headings ([Sections], [Headings]), links ([Links], [Destination], [Reference]), list items ([Item]), inline
// code ([CodeSpans]), and byte ranges ([Span]) with edits that splice them ([Edit]) and unified differences without
// credentials ([Diff]).
//
// It is the one scanner: whoever reads entries, documents and answers of models, or makes them harmless, asks it where
// code begins and ends ([Said] is a text without its comments). Code and comments are those of CommonMark 0.31, also inside
// lists and quotes, which may stand 32 deep in each other, and comments those of MDX and Obsidian too; other blocks of HTML
// are text; TestCommonMark lists what else differs, and why. It takes one pass, linear in the text, whoever wrote it. Places
// are byte offsets.
package markdown
