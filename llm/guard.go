package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Guard is a model that gets no credentials to read: each text of a request (system,
// messages, calls, results, descriptions of tools) goes out redacted, and without
// characters that people do not see. Whatever asks a model asks it through Guard.
//
// What goes: what package secrets finds; control characters but line ends and tabs; what has
// no width, turns the direction of text or is a tag (U+E0000–E007F); variation selectors
// beyond the sixteen that emoji and symbols use. A joiner stays where it joins what is beyond
// ASCII, as some scripts and emoji need. Bytes that are no UTF-8 become U+FFFD. A call's
// arguments stay JSON where they are. What a model says passes as it is. Guard of nil is nil,
// and of a guard the same.
//
// Nothing is remembered from turn to turn: a conversation of 1 MiB, the longest of [Run],
// takes some milliseconds (BenchmarkGuard), and a turn seconds.
func Guard(m Model) Model {
	if m == nil {
		return nil
	}
	if _, ok := As[guard](m); ok {
		return m
	}
	return guard{m}
}

type guard struct{ Model }

// Unwrap is the model behind the guard.
func (g guard) Unwrap() Model { return g.Model }

// Complete asks with a copy of the request that holds no credentials.
func (g guard) Complete(ctx context.Context, r Request) (Response, error) {
	r.System = scrub(r.System)
	r.Tools = slices.Clone(r.Tools)
	for i := range r.Tools {
		t := &r.Tools[i]
		t.Description, t.Parameters = scrub(t.Description), scrubStrings(t.Parameters)
	}
	if r.Schema != nil {
		r.Schema = &Schema{r.Schema.Name, scrubStrings(r.Schema.JSON)}
	}
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		m.Text, m.Calls, m.Results = scrub(m.Text), slices.Clone(m.Calls), slices.Clone(m.Results)
		for j := range m.Calls {
			m.Calls[j].Arguments = scrubArguments(m.Calls[j].Arguments)
		}
		for j := range m.Results {
			m.Results[j].Text = scrub(m.Results[j].Text)
		}
	}
	return g.Model.Complete(ctx, r)
}

// scrub is a text as a model may read it. What is invisible goes first: it may stand in the
// middle of a secret.
func scrub(text string) string { return secrets.Redact(seen(text), nil) }

// seen is a text without what people do not see.
func seen(text string) string {
	var b strings.Builder
	from := 0       // where what was not copied yet begins
	last := rune(0) // the character before, if it was kept
	for i, r := range text {
		if r >= ' ' && r < 0x7f || r == '\n' || r == '\t' {
			last = r
			continue
		}
		size := utf8.RuneLen(r)
		wrong := r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") // no UTF-8
		if !wrong && !hidden(r) && (!joiner(r) || last >= utf8.RuneSelf && !joiner(last) && joined(text[i+size:])) {
			last = r
			continue
		}
		b.WriteString(text[from:i])
		if from = i + size; wrong {
			b.WriteRune(utf8.RuneError)
			from = i + 1
		}
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// joined reports whether a text goes on with what a joiner can stand before.
func joined(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 1 && !hidden(r) && !joiner(r)
}

func joiner(r rune) bool { return r == 0x200c || r == 0x200d }

// hidden reports whether people do not see a character. The format characters (Cf) that are
// seen are signs of Arabic, Syriac and Kaithi numbers and of hieroglyphs.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || joiner(r):
		return false
	case r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0x110bd, r == 0x110cd, r >= 0x13430 && r <= 0x1343f:
		return false
	case r >= 0xe0000 && r <= 0xe01ef, r == 0x34f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// scrubArguments is a call's arguments as a model may read them. Strings are looked at one
// by one, as what they say, and then all as one text: there the name of a field tells a
// password. Should that break the JSON, nothing of it goes out.
func scrubArguments(arguments json.RawMessage) json.RawMessage {
	if !json.Valid(arguments) {
		return json.RawMessage(scrub(string(arguments)))
	}
	text := scrubStrings(arguments)
	redacted := secrets.Redact(string(text), nil)
	if redacted == string(text) {
		return text
	}
	if !json.Valid([]byte(redacted)) {
		return json.RawMessage(`{"arguments":"[REDACTED]"}`)
	}
	return json.RawMessage(redacted)
}

// scrubStrings scrubs each string of a JSON text, names of fields too, and leaves the rest as
// it is written.
func scrubStrings(text json.RawMessage) json.RawMessage {
	var out []byte
	from := 0 // behind what out has
	for at := 0; at < len(text); {
		if text[at] != '"' {
			at++
			continue
		}
		end := at + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(text))
		var s string
		if json.Unmarshal(text[at:end], &s) == nil {
			if safe := scrub(s); safe != s {
				out = append(append(out, text[from:at]...), quoted(safe)...)
				from = end
			}
		}
		at = end
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}

// quoted is a string in JSON, without the escapes that are for web pages.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no error
	return bytes.TrimRight(b.Bytes(), "\n")
}
