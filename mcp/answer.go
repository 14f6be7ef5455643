package mcp

import (
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// answer is the result of a tool.
type answer struct {
	words string // the server's own text, before the data
	data  string // text from files; "" if there is none
	parts any    // the structured part: a struct or map

	failed bool // it describes an error

	ask *question // a question that a person must answer with yes first; the other fields are ignored then
}

// cutNote stands behind data that was cut.
const cutNote = "Cut: the budget is used up. Ask for more tokens or for less text.\n"

// text is the answer in at most that many tokens; a longer one is cut at a line end, in the data first. Tools
// redact credentials where they take a part of a file; those that are still recognisable are removed here.
func (a answer) text(counter *tokens.Encoding, most int) string {
	a.words, a.data = sanitize.Quote(secrets.Redact(a.words, nil)), sanitize.Quote(secrets.Redact(a.data, nil))
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

// around is the number of a budget's tokens for the words and the frame.
func around(counter *tokens.Encoding, words string) int {
	return counter.Count(words+sanitize.FrameNote+sanitize.Frame("\n")) + 2 // a token or two at the seams
}
