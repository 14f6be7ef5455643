// Package markdown reads Markdown as far as a context tree needs it: lines, and which of them are code or
// comments ([Lines]), headings ([Sections], [Headings]), links ([Links], [Destination], [Reference]), list
// items ([Item]), inline code ([CodeSpans]), and byte ranges ([Span]) with edits that splice them ([Edit])
// and unified differences without credentials ([Diff]).
//
// It is the only scanner: all code that reads or sanitises entries, documents and answers of models uses it
// to find code and comments ([Said] is a text without its comments). Code and comments follow CommonMark
// 0.31, also inside lists and quotes, nested at most 32 deep; comments of MDX and Obsidian count too; other
// blocks of HTML are text; TestCommonMark lists the other differences, with reasons. It takes one pass,
// linear in any text. Places are byte offsets.
package markdown
