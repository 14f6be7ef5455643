package link

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// codeSpans returns the contents of the inline code of a body, with their places
// in text. Fenced blocks are left out; a span ends on its own line, as the
// reference dialect writes it, which also keeps one stray back-tick from turning
// the rest of the entry around.
func codeSpans(text string, body tree.Span) (spans []tree.Span) {
	fence := ""
	for pos := body.Start; pos < body.End; {
		end := body.End
		if i := strings.IndexByte(text[pos:body.End], '\n'); i >= 0 {
			end = pos + i
		}
		line := text[pos:end]
		switch mark := fenceOf(line); {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && closes(line, fence):
			fence = ""
		case fence == "":
			spans = inlineCode(spans, line, pos)
		}
		pos = end + 1
	}
	return spans
}

// fenceOf returns the run of three or more back-ticks or tildes that opens a
// fenced block, "" if the line does not.
func fenceOf(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return ""
	}
	rest := strings.TrimLeft(s, s[:1])
	if s[0] == '`' && strings.Contains(rest, "`") {
		return "" // inline code in three back-ticks
	}
	return s[:len(s)-len(rest)]
}

func closes(line, fence string) bool {
	s := strings.Trim(line, " \t\r")
	return len(s) >= len(fence) && strings.Trim(s, fence[:1]) == ""
}

// inlineCode appends the code spans of one line: a run of back-ticks is closed by
// the next run of the same length.
func inlineCode(spans []tree.Span, line string, at int) []tree.Span {
	unclosed := map[int]bool{} // lengths of runs that no later run closes
	for i := 0; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		run := ticks(line[i:])
		start := i + run
		end := -1
		if !unclosed[run] {
			end = closingRun(line, start, run)
		}
		if end < 0 {
			unclosed[run] = true
			i = start
			continue
		}
		content := line[start:end]
		trimmed := strings.TrimSpace(content)
		from := at + start + strings.Index(content, trimmed)
		spans = append(spans, tree.Span{Start: from, End: from + len(trimmed)})
		i = end + run
	}
	return spans
}

func ticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closingRun returns where the next run of exactly that many back-ticks begins.
func closingRun(line string, from, run int) int {
	for i := from; i < len(line); {
		next := strings.IndexByte(line[i:], '`')
		if next < 0 {
			return -1
		}
		i += next
		n := ticks(line[i:])
		if n == run {
			return i
		}
		i += n
	}
	return -1
}
