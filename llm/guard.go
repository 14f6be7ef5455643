package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Guard is a model that never receives credentials: each text of a request (system, messages, calls, results,
// descriptions of tools) is sent redacted and without invisible characters. All requests to models go through
// Guard.
//
// It removes the findings of package secrets and of [sanitize.Visible]. A call's arguments stay JSON if they
// are JSON. The model's answer is passed on unchanged. Guard of nil is nil, and Guard of a guard is that
// guard.
//
// It keeps no state between turns: a conversation of 1 MiB, the longest of [Run], takes some milliseconds
// (BenchmarkGuard), and a turn seconds.
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

// Complete sends a copy of the request without credentials.
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

// Scrub returns a text in the form that a model may read. Invisible characters are removed first: they may be
// inside a secret.
func Scrub(text string) string { return secrets.Redact(sanitize.Visible(text)) }

// scrubArguments is a call's arguments in the form that a model may read. Each string is checked by its
// decoded value, and then all as one text, in which a field's name may identify a password. If that would
// break the JSON, the arguments are dropped.
func scrubArguments(arguments json.RawMessage) json.RawMessage {
	if !json.Valid(arguments) {
		return json.RawMessage(Scrub(string(arguments)))
	}
	text := scrubStrings(arguments)
	redacted := secrets.Redact(string(text))
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
