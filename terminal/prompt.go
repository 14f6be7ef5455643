package terminal

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// prompt is a line that the user types, or with agreed a question to say yes to.
type prompt struct {
	label  string
	text   []string // by what is one character on the screen
	at     int      // the cursor stands before this one
	old    bool     // the text is of before, and what is typed replaces it
	then   func(string)
	agreed func()
}

// newPrompt lets a text be changed, or replaced by what is typed at once.
func newPrompt(label, text string, then func(string)) *prompt {
	p := &prompt{label: label, then: then}
	p.insert(text)
	p.old = text != ""
	return p
}

// insert puts a text at the cursor. A combining letter joins what stands before it.
func (p *prompt) insert(text string) {
	var before []string
	for text = strings.Join(p.text[:p.at], "") + text; text != ""; text = text[len(before[len(before)-1]):] {
		cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		before = append(before, cluster)
	}
	p.text, p.at = append(before, p.text[p.at:]...), len(before)
}

// edit does what a key does in a line, as in a shell; another key puts what it types at the cursor.
func (p *prompt) edit(key, typed string) {
	word, end := p.at, len(p.text)
	for word > 0 && p.text[word-1] == " " {
		word--
	}
	for word > 0 && p.text[word-1] != " " {
		word--
	}
	left, right := max(0, p.at-1), min(end, p.at+1)
	to, moves := map[string]int{"left": left, "ctrl+b": left, "right": right, "ctrl+f": right, "home": 0, "ctrl+a": 0, "end": end,
		"ctrl+e": end}[key]
	cut, cuts := map[string][2]int{"backspace": {left, p.at}, "ctrl+h": {left, p.at}, "delete": {p.at, right}, "ctrl+d": {p.at, right},
		"ctrl+w": {word, p.at}, "alt+backspace": {word, p.at}, "ctrl+u": {0, p.at}, "ctrl+k": {p.at, end}}[key]
	if p.old && (cuts || typed != "") {
		cut, p.text, p.at = [2]int{}, nil, 0
	}
	p.old = false
	switch {
	case moves:
		p.at = to
	case cuts:
		p.text, p.at = slices.Delete(p.text, cut[0], cut[1]), cut[0]
	default:
		p.insert(typed)
	}
}

// halves are the text before the cursor, and that behind it.
func (p *prompt) halves() (before, after string) {
	return sanitize.OneLine(strings.Join(p.text[:p.at], "")), sanitize.OneLine(strings.Join(p.text[p.at:], ""))
}

// line is the line as far as it fits around the cursor, and the column of that.
func (p *prompt) line(width int) (line string, cursor int) {
	before, after := p.halves()
	cursor = ansi.StringWidth(p.label + ": " + before)
	from := max(0, cursor-width+2)
	return ansi.TruncateLeft(p.label+": "+styled(when(p.old, reverse), before+after), from, ""), cursor - from
}
