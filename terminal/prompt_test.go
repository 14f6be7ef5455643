package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestALineIsEdited: each case is a line, the keys, and the line after them with the cursor as |.
func TestALineIsEdited(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"", "h o w", "how|"},
		{"", "a left b", "b|a"},
		{"", "a left left b right right c", "bac|"},
		{"one two three", "left", "one two thre|e"},
		{"one two three", "home o h space", "oh |one two three"},
		{"one two three", "ctrl+a delete delete delete ctrl+d", "|two three"},
		{"one two three", "left end x", "one two threex|"},
		{"one two three", "home ctrl+e x", "one two threex|"},
		{"one two three", "left ctrl+w", "one two |e"},
		{"one two  ", "left right ctrl+w", "one |"},
		{"one two", "left ctrl+b ctrl+f alt+backspace", "one |o"},
		{"one two", "left left left ctrl+u", "|two"},
		{"one two", "home right right ctrl+k", "on|"},
		{"one two", "home backspace ctrl+w ctrl+u left", "|one two"},
		{"one two", "right right delete ctrl+k", "one two|"},
		{"old", "n e w", "new|"}, // what is typed at once replaces it
		{"old", "backspace", "|"},
		{"old", "delete", "|"},
		{"old", "ctrl+w x", "x|"},
		{"old", "end backspace", "ol|"},
		{"old", "up backspace", "ol|"},
		{"cafe\u0301s", "left left backspace", "ca|e\u0301s"},
		{"cafe", "right \u0301 left x", "cafx|e\u0301"},
		{"日本👩‍👩‍👧語", "left backspace", "日本|語"},
		{"\u0645\u0631\u062d", "left x", "\u0645\u0631x|\u062d"},
	} {
		p := newPrompt("Line", c.text, nil)
		for _, key := range strings.Fields(c.keys) {
			switch {
			case key == "space":
				p.edit(key, " ")
			case ansi.StringWidth(key) <= 1:
				p.edit(key, key)
			default:
				p.edit(key, "")
			}
		}
		before, after := p.halves()
		if got := before + "|" + after; got != c.want {
			t.Errorf("%q, %s: %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

// FuzzTheCursorIsOnTheScreen, whatever is typed and wherever it goes.
func FuzzTheCursorIsOnTheScreen(f *testing.F) {
	f.Add("some text", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, 20)
	f.Add(strings.Repeat("日本👩‍👩‍👧\u202e", 20), []byte{0, 0, 8, 1, 2, 0}, 10)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width int) {
		width = 2 + max(0, width)%200
		p := newPrompt("Line", text, nil)
		for _, k := range keys[:min(len(keys), 50)] {
			key := []string{"left", "right", "home", "end", "delete", "backspace", "ctrl+w", "ctrl+k", "x"}[k%9]
			p.edit(key, map[string]string{"x": "e\u0301"}[key])
			before, after := p.halves()
			line, cursor := p.line(width)
			if at := len(p.text[:p.at]); cursor < 0 || cursor >= width || at > len(p.text) {
				t.Fatalf("column %d of %d, in %q and %q: %q", cursor, width, before, after, line)
			}
		}
	})
}
