package provider

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/remote"
	"github.com/brv-lsp/brv-lsp/retrieval/meaning"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// encoder remembers with which settings a folder's encoder was made.
type encoder struct {
	mu      sync.Mutex // guards what follows
	options remote.Options
	of      settings.Embedding
}

// encoders keeps one for each open folder.
var encoders = workspace.NewMemory(func(*workspace.Workspace) *encoder { return new(encoder) })

// readingPassages is the title of the progress of an encoder.
const readingPassages = "Reading passages with the encoder"

// UseEncoder gives a workspace the encoder that settings name, or takes it away: where they name none, and where it cannot be
// asked, which the error says. Its key is found as a model's is ([Choose]). Credentials in what it is sent are taken out, as
// [llm.Guard] does.
func UseEncoder(w *workspace.Workspace, s settings.Embedding, key func(origin string) string, getenv func(string) string,
	log *slog.Logger) error {
	o, err := encoderOptions(s, key, getenv)
	o.Log = log
	now := encoders.Of(w.View())
	now.mu.Lock()
	defer now.mu.Unlock()
	if err == nil && now.of == s && now.options == o {
		return nil
	}
	now.options, now.of = o, s
	if err != nil || s.Endpoint == "" {
		w.SetMeaning(nil)
		return err
	}
	e, err := remote.NewEncoder(o)
	if err != nil {
		w.SetMeaning(nil)
		return err
	}
	w.SetMeaning(meaning.New(meaning.Options{
		Encode: func(ctx context.Context, texts []string) ([][]float32, error) {
			safe := make([]string, len(texts))
			for i, t := range texts {
				safe[i] = llm.Scrub(t)
			}
			return e.Embed(ctx, safe)
		},
		Name: e.String(), QueryPrefix: s.QueryPrefix, PassagePrefix: s.PassagePrefix, Cache: w.Cache(), Root: w.Shared(), Now: w.Now,
		Patience: w.EncoderPatience(),
		Progress: func(done, total int) {
			w.TellProgress(workspace.Progress{Title: readingPassages, Done: done, Total: total, End: done == total})
		},
	}))
	return nil
}

// DescribeEncoder names the encoder that settings name, "" for none, or says why it cannot be asked.
func DescribeEncoder(s settings.Embedding, key func(origin string) string, getenv func(string) string) (string, error) {
	o, err := encoderOptions(s, key, getenv)
	if err != nil || s.Endpoint == "" {
		return "", err
	}
	e, err := remote.NewEncoder(o)
	if err != nil {
		return "", err
	}
	return e.String(), nil
}

// encoderOptions reads how to reach the encoder that settings name, and finds its key.
func encoderOptions(s settings.Embedding, key func(origin string) string, getenv func(string) string) (remote.Options, error) {
	o := remote.Options{Protocol: remote.Embeddings, Endpoint: s.Endpoint, Model: strings.TrimSpace(s.Model), Patience: localPatience}
	if s.Endpoint == "" {
		return o, nil
	}
	own, err := remote.Origin(remote.OpenAI, "")
	if err != nil {
		return o, err
	}
	origin, err := remote.Origin(remote.Embeddings, s.Endpoint)
	if err != nil {
		return o, fmt.Errorf("brv.embedding.endpoint: %w", err)
	}
	k := keyring{setting: "brv.embedding.keyVariable", own: own, maker: makers[remote.OpenAI], origin: origin,
		named: strings.TrimSpace(s.KeyVariable), stored: key, getenv: getenv}
	o.Key, _, err = k.find()
	return o, err
}
