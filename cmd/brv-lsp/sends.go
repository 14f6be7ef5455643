package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/remote"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// wouldBe is a request that would be sent.
type wouldBe struct {
	Requests []sending `json:"requests"`      // none: no model would be asked
	Why      string    `json:"why,omitempty"` // how it would go without
}

// sending is a request as it would go out.
type sending struct {
	URL  string          `json:"url"`
	Body json.RawMessage `json:"body"`
}

// wouldSend opens the folder and does something there, of which nothing leaves this program; it must change nothing.
func (f *flags) wouldSend(ctx context.Context, do func(*workspace.Workspace) (why string, err error)) (answer, error) {
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	return sent(w, do)
}

// sent is wouldSend in an open folder.
func sent(w *workspace.Workspace, do func(*workspace.Workspace) (why string, err error)) (answer, error) {
	model, ok := llm.As[*remote.Model](provider.Model(w))
	if !ok {
		return answer{}, fmt.Errorf("no model behind an address is set up: nothing would be sent; the model is %s", provider.StateOf(w))
	}
	d := &dryModel{Model: model}
	provider.SetModel(w, d)
	if err := provider.UseOrganisation(w, settings.Organisation{}, nil, nil); err != nil {
		return answer{}, err
	}
	why, err := do(w)
	if err != nil && len(d.sent) == 0 {
		return answer{}, err
	}
	r := &wouldBe{append([]sending{}, d.sent...), why}
	return answer{json: r, text: r.text()}, nil
}

// dryModel keeps what it would send.
type dryModel struct {
	*remote.Model

	mu   sync.Mutex // guards sent
	sent []sending
}

// Complete sends nothing. What is asked for in a form is answered with as little as that takes, so that further
// questions follow.
func (d *dryModel) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	url, body, err := d.Model.Sends(r)
	if err != nil {
		return llm.Response{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, sending{url, body})
	if r.Schema == nil {
		return llm.Response{}, errors.New("nothing is sent")
	}
	var form struct {
		Properties map[string]struct{ Type string }
	}
	least := map[string]any{}
	err = json.Unmarshal(r.Schema.JSON, &form)
	for name, of := range form.Properties {
		if least[name] = ""; of.Type == "array" {
			least[name] = []any{}
		}
	}
	text, _ := json.Marshal(least)
	return llm.Response{Text: string(text)}, err
}

func (r *wouldBe) text() (text string) {
	if len(r.Requests) == 0 && r.Why == "" {
		return "No model would be asked.\n"
	}
	if len(r.Requests) == 0 {
		return "No model would be asked: " + r.Why + "\n"
	}
	for _, s := range r.Requests {
		var b bytes.Buffer
		_ = json.Indent(&b, s.Body, "", "  ") // it was made as JSON
		text += textf("POST %s\n\n%s\n", s.URL, passage(sanitize.JSON(b.String())))
	}
	return text
}
