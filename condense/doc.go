// Package condense has a model condense entries: the summary of a folder ([Summary]) and the
// few sentences by which an archived entry is found again ([Cue]).
//
// Package tree makes both from the entries by itself; what a model writes takes their place
// only where it passes checks (check.go), so that a model which refuses, invents, repeats an
// instruction that it read or writes something else costs nothing but its time. An [Unfit]
// error says which check failed.
//
// The prompts are files (prompts/*.md). What comes from the tree stands in the user's message
// without its credentials, quoted as retrieval does for its own questions.
package condense

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// What a model is shown and may say.
const (
	maxMaterial = 12_000 // tokens of what a summary covers: with prompt and answer it fits a window of 16,000
	leastShown  = 40     // tokens of one child: of less nothing can be told, and the extract lists such a folder better
	maxSaid     = 150    // tokens of a cue, see plan.Op.Cue
	temperature = 0.3    // as for an answer over what is shown (paper, section 4.2)
)

// The time that a model has. It is nobody's wait for a summary; who archives entries waits
// for their cues.
const (
	silence     = 5 * time.Second
	summaryTime = 30 * time.Second
	cueTime     = 5 * time.Second
)

//go:embed prompts/*.md
var promptFiles embed.FS

var execute = llm.Prompts(promptFiles)

// answerForm is the form of both answers.
var answerForm = &llm.Schema{Name: "summary", JSON: json.RawMessage(
	`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false}`)}

// Unfit says why what a model wrote is not used.
type Unfit struct{ Reason string }

// Error says it.
func (u *Unfit) Error() string { return "the model's text is not used: " + u.Reason }

func unfit(format string, args ...any) error { return &Unfit{fmt.Sprintf(format, args...)} }

// Summary has a model write the summary of a folder. The error is an [*Unfit] where its text
// does not pass the checks, else the model's or ctx's.
func Summary(ctx context.Context, m llm.Model, c derived.Coverage) (format.Prose, error) {
	task := question{name: "folder", folder: c.Dir, limit: c.Budget, most: maxMaterial, time: summaryTime}
	for _, e := range c.Children {
		task.material = append(task.material, child{nameIn(c.Dir, e), e.Title, bodyText(e)})
	}
	text, err := task.ask(ctx, m)
	if err != nil {
		return format.Prose{}, err
	}
	return by(m, text), check{text: text, limit: c.Budget + c.Budget/4, from: c.Children, names: task.names()}.summary()
}

// Cue has a model write the prose of an archived entry's stub; errors are as those of
// [Summary].
func Cue(ctx context.Context, m llm.Model, e *format.Entry) (format.Prose, error) {
	e = e.Redacted()
	task := question{name: "cue", limit: maxSaid * 4 / 5, most: maxMaterial / 2, time: cueTime}
	task.material = []child{{path.Base(e.Path), e.Title, bodyText(e)}}
	text, err := task.ask(ctx, m)
	if err != nil {
		return format.Prose{}, err
	}
	return by(m, text), check{text: text, limit: maxSaid, from: []*format.Entry{e}}.cue()
}

// by is a text with who wrote it.
func by(m llm.Model, text string) format.Prose {
	return format.Prose{Text: text, By: format.Origin{Kind: format.OriginModel, Tool: "brv-lsp", Model: m.Name()}}
}

// child is an entry, or a folder's summary, as a model is shown it.
type child struct{ name, title, text string }

// nameIn is a child's name as its folder's summary has it: of a file, or of a folder.
func nameIn(dir string, e *format.Entry) string {
	if e.Role == format.RoleSummary {
		return path.Base(path.Dir(e.Path)) + "/"
	}
	return path.Base(e.Path)
}

// bodyText returns the text of an entry, its summary first.
func bodyText(e *format.Entry) string {
	text := strings.TrimSpace(e.Body.Of(e.Text))
	if s := strings.TrimSpace(e.Summary); s != "" && !strings.Contains(text, s) {
		text = s + "\n\n" + text
	}
	return text
}

// cut is the beginning of a text in about n tokens, up to a line end if there is one in its
// second half.
func cut(text string, n int) string {
	all := tokens.Estimate(text)
	if all <= n {
		return text
	}
	text = strings.ToValidUTF8(text[:int(int64(len(text))*int64(n)/int64(all))], "")
	if end := strings.LastIndexByte(text, '\n'); end > len(text)/2 {
		text = text[:end]
	}
	return text + "\n[…]"
}

// question builds the request to a model.
type question struct {
	name     string // of its prompt
	folder   string
	limit    int // tokens of the answer
	most     int // tokens of the material
	material []child
	time     time.Duration
}

func (q *question) names() (out []string) {
	for _, c := range q.material {
		out = append(out, c.name)
	}
	return out
}

// ask puts the question and returns the model's text, not yet checked.
func (q *question) ask(ctx context.Context, m llm.Model) (string, error) {
	var all []string
	for _, c := range q.material {
		all = append(all, c.name, c.title, c.text)
	}
	quote := retrieval.Quote(append(all, q.folder)...)
	out, err := llm.Fitted(ctx, m, llm.Limits{Turns: 1, Time: q.time, Silence: silence}, func(context int) (llm.Request, error) {
		bare, err := q.request(quote, 0)
		if err != nil {
			return bare, err
		}
		share := min(q.most, bare.Room(context)) / max(1, len(q.material))
		if share < leastShown {
			return bare, unfit("%d entries and folders are more than a prompt holds", len(q.material))
		}
		return q.request(quote, share)
	})
	switch {
	case err != nil:
		return "", err
	case out.End != llm.EndAnswer:
		return "", out.End.Limited(m.Name())
	}
	return secrets.Redact(strings.TrimSpace(quote.Clean(answered(out.Text))), nil), nil
}

// request shows each text of the material in a share of so many tokens.
func (q *question) request(quote retrieval.Quotation, share int) (llm.Request, error) {
	data := struct {
		Nonce, Folder, Material string
		Words                   int
	}{Nonce: quote.Nonce(), Folder: quote.Line(q.folder), Words: max(20, q.limit*wordsPerToken/100)}
	for _, c := range q.material {
		data.Material += quote.Entry(c.name, c.title, cut(c.text, share))
	}
	system, err := execute("system.md", data)
	if err != nil {
		return llm.Request{}, err
	}
	user, err := execute(q.name+".md", data)
	return llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.RoleUser, Text: user}},
		MaxTokens: q.limit*3/2 + 64, Temperature: temperature, Schema: answerForm, Patience: q.time,
	}, err
}

// wordsPerToken is about how many words 100 tokens of prose with names are; people and
// models count words.
const wordsPerToken = 65

// answered takes the text out of the form that was asked for, also out of a fence. Models
// that know no forms answer in plain text.
func answered(text string) string {
	text = strings.TrimSpace(text)
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```"))
	var form struct{ Summary *string }
	if strings.HasPrefix(inner, "{") && json.Unmarshal([]byte(inner), &form) == nil && form.Summary != nil {
		return *form.Summary
	}
	return text
}
