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

// encoder remembers the settings of a folder's encoder.
type encoder struct {
	mu      sync.Mutex // guards the fields below
	options remote.Options
	of      settings.Embedding
}

// encoders holds one for each open folder.
var encoders = workspace.NewMemory(func(*workspace.Workspace) *encoder { return new(encoder) })

// readingPassages is the title of the progress of an encoder.
const readingPassages = "Reading passages with the encoder"

// UseEncoder gives a workspace the encoder that the settings name. If they name none, or if it cannot be used, it
// removes the encoder; the error tells the reason. Its key is found like a model's ([Choose]). Credentials are
// removed from its input, as in [llm.Guard].
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

// DescribeEncoder names the encoder in the settings, "" if there is none, or returns why it cannot be used.
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

// encoderOptions returns the connection options of the encoder in the settings, with its key.
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
