package mcp

import (
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// answer is the result of a tool.
type answer struct {
	words string // the server's own, before the data
	data  string // what files say; "" if nothing
	parts any    // the structured part: a struct or map

	failed bool // it says what went wrong

	ask *question // what a person has to say yes to first; nothing else counts then
}

// cutNote stands behind data that was cut.
const cutNote = "Cut: the budget is used up. Ask for more tokens or for less text.\n"

// text is the answer in at most that many tokens; what is too long is cut at a line
// end, from the data first. What made it left credentials behind where it took a part of a
// file; those that still show are taken out here.
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

// around is how many tokens of a budget go to the words and the frame.
func around(counter *tokens.Encoding, words string) int {
	return counter.Count(words+sanitize.FrameNote+sanitize.Frame("\n")) + 2 // a token or two at the seams
}
