package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Guard is a model that gets no credentials to read: each text of a request (system,
// messages, calls, results, descriptions of tools) goes out redacted, and without
// characters that people do not see. Whatever asks a model asks it through Guard.
//
// What goes: what package secrets finds, and what [sanitize.Visible] takes away. A call's
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
	r.System = Scrub(r.System)
	r.Tools = slices.Clone(r.Tools)
	for i := range r.Tools {
		t := &r.Tools[i]
		t.Description, t.Parameters = Scrub(t.Description), scrubStrings(t.Parameters)
	}
	if r.Schema != nil {
		r.Schema = &Schema{r.Schema.Name, scrubStrings(r.Schema.JSON)}
	}
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		m.Text, m.Calls, m.Results = Scrub(m.Text), slices.Clone(m.Calls), slices.Clone(m.Results)
		for j := range m.Calls {
			m.Calls[j].Arguments = scrubArguments(m.Calls[j].Arguments)
		}
		for j := range m.Results {
			m.Results[j].Text = Scrub(m.Results[j].Text)
		}
	}
	return g.Model.Complete(ctx, r)
}

// Scrub returns a text as a model may read it. What is invisible goes first: it may stand in the
// middle of a secret.
func Scrub(text string) string { return secrets.Redact(sanitize.Visible(text), nil) }

// scrubArguments is a call's arguments as a model may read them. Strings are looked at one
// by one, as what they say, and then all as one text: there the name of a field tells a
// password. Should that break the JSON, nothing of it goes out.
func scrubArguments(arguments json.RawMessage) json.RawMessage {
	if !json.Valid(arguments) {
		return json.RawMessage(Scrub(string(arguments)))
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
			if safe := Scrub(s); safe != s {
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
