package mcp

import (
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// answer is the result of a tool.
type answer struct {
	words string // the server's own text, which comes before the data
	data  string // text from files; "" if there is none
	parts any    // the structured part: a struct or map

	failed bool // it describes an error

	ask *question // a question that a person must answer with yes first; then the other fields are ignored
}

// cutNote precedes data that was cut.
const cutNote = "Cut: the budget is used up. Ask for more tokens or for less text.\n"

// text returns the answer in at most the given number of tokens. A longer one is cut at a line end, in the data
// first. Tools redact credentials when they take a part of a file; any that are still recognisable are removed
// here.
func (a answer) text(counter *tokens.Encoding, most int) string {
	a.words, a.data = sanitize.Quote(secrets.Redact(a.words)), sanitize.Quote(secrets.Redact(a.data))
	whole := a.words + framed(a.data)
	if counter.Count(whole) <= most {
		return whole
	}
	for room := most; room > 0 && a.data != ""; {
		data, _ := counter.Prefix(a.data, room)
		if data == "" {
			break
		}
		text := a.words + cutNote + framed(data)
		n := counter.Count(text)
		if n <= most {
			return text
		}
		room -= n - most
	}
	words, _ := counter.Prefix(a.words+cutNote, most)
	return words
}

func framed(data string) string {
	if data == "" {
		return ""
	}
	return sanitize.FrameNote + sanitize.Frame(data)
}

// noted returns a note as a line of the server's text, "" if there is none.
func noted(note string) string {
	if note == "" {
		return ""
	}
	return "Note: " + sanitize.Line(note, 300) + "\n"
}

// around returns the number of tokens in a budget for the server's text and the frame.
func around(counter *tokens.Encoding, words string) int {
	return counter.Count(words+sanitize.FrameNote+sanitize.Frame("\n")) + 2 // one or two tokens at the joints
}
