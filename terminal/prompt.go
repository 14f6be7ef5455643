package terminal

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// prompt is a line that the user types. With agreed set, it is a question to answer with yes.
type prompt struct {
	label  string
	text   []string // one element for each character on the screen
	at     int      // index of the character behind the cursor
	old    bool     // the text is the old one, and typing replaces it
	then   func(string)
	agreed func()
}

// newPrompt starts with a text that the user may edit, or replace by typing at once.
func newPrompt(label, text string, then func(string)) *prompt {
	p := &prompt{label: label, then: then}
	p.insert(text)
	p.old = text != ""
	return p
}

// insert inserts a text at the cursor. A combining character joins the one before it.
func (p *prompt) insert(text string) {
	var before []string
	for text = strings.Join(p.text[:p.at], "") + text; text != ""; text = text[len(before[len(before)-1]):] {
		cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		before = append(before, cluster)
	}
	p.text, p.at = append(before, p.text[p.at:]...), len(before)
}

// edit handles a key as a shell's line editor does. Other keys insert their text at the cursor.
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

// halves returns the text before the cursor and the text behind it.
func (p *prompt) halves() (before, after string) {
	return sanitize.OneLine(strings.Join(p.text[:p.at], "")), sanitize.OneLine(strings.Join(p.text[p.at:], ""))
}

// line returns the part of the line around the cursor that fits, and the cursor's column.
func (p *prompt) line(width int) (line string, cursor int) {
	before, after := p.halves()
	cursor = ansi.StringWidth(p.label + ": " + before)
	from := max(0, cursor-width+2)
	return ansi.TruncateLeft(p.label+": "+styled(when(p.old, reverse), before+after), from, ""), cursor - from
}
