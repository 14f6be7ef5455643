package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

// Embeddings is OpenAI's protocol for vectors of texts, which llama.cpp's server, Ollama, vLLM and most hosts
// support.
const Embeddings Protocol = "embeddings"

// maxDimensions bounds the numbers in a vector: twice as many as in the largest models in use.
const maxDimensions = 8192

// Encoder turns texts into vectors through a server at an address. The rules for addresses, keys, redirects,
// It has the sizes, silence and rest of a [Model]. It is safe for concurrent use.
type Encoder struct{ server *Model }

// NewEncoder returns an encoder. The protocol in its options is [Embeddings]. It opens no connection.
func NewEncoder(o Options) (*Encoder, error) {
	o.Protocol = Embeddings
	m, err := New(o)
	if err != nil {
		return nil, ofEncoder(err)
	}
	return &Encoder{m}, nil
}

// String names the model and its address.
func (e *Encoder) String() string { return e.server.String() }

// Embed returns a vector for each text, all of the same length. Its error is an [*Error], or the context's. It
// sends one request.
func (e *Encoder) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	m := e.server
	if open := m.breaker.Enter(m.now()); open != nil {
		return nil, &Error{Kind: KindResting, Origin: m.at.Origin, what: open.Error()}
	}
	defer func() {
		v, how := verdict(err)
		m.breaker.Leave(m.now(), v, how)
	}()
	w := watch(ctx, m.patience, m.now)
	defer w.stop()
	vectors, fault := e.exchange(w, texts)
	switch {
	case fault == nil:
		return vectors, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	fault.Origin = m.at.Origin
	return nil, ofEncoder(fault)
}

func (e *Encoder) exchange(w *watcher, texts []string) ([][]float32, *Error) {
	m := e.server
	body, err := encode(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{m.name, texts})
	if err != nil {
		return nil, &Error{Kind: KindRequest, what: "the texts cannot be written as JSON: " + err.Error()}
	}
	request, err := newRequest(w.ctx, m.at.Base+"/embeddings", body)
	if err != nil {
		return nil, &Error{Kind: KindAddress, what: "the address is not valid"}
	}
	m.authorize(request.Header)
	response, err := m.transport.RoundTrip(request)
	if err != nil {
		return nil, m.unanswered(w, err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return nil, m.refused(response)
	}
	in, fault := unpacked(response)
	if fault != nil {
		return nil, fault
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, m.broken(w, err)
	}
	return readVectors(text, len(texts))
}

// readVectors parses the answer for a number of texts.
func readVectors(text []byte, texts int) ([][]float32, *Error) {
	var said struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Error json.RawMessage `json:"error"`
	}
	wrong := func(format string, a ...any) ([][]float32, *Error) {
		return nil, &Error{Kind: KindAnswer, what: fmt.Sprintf(format, a...)}
	}
	switch err := json.Unmarshal(text, &said); {
	case err != nil:
		return wrong("the answer contains no vectors")
	case len(said.Error) > 0 && string(said.Error) != "null":
		return nil, failed(text)
	case len(said.Data) != texts:
		return wrong("the answer contains %d vectors for %d texts", len(said.Data), texts)
	}
	out := make([][]float32, texts)
	for i, d := range said.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		sum := 0.0
		for _, x := range d.Embedding {
			sum += float64(x) * float64(x)
		}
		switch {
		case at < 0 || at >= texts || out[at] != nil:
			return wrong("the indexes of the answer's vectors are invalid or repeated")
		case len(d.Embedding) > maxDimensions || len(d.Embedding) != len(said.Data[0].Embedding):
			return wrong("the answer's vectors have unusable lengths, %d and %d", len(said.Data[0].Embedding), len(d.Embedding))
		case !(sum > 0) || math.IsInf(sum, 0):
			return wrong("the answer contains a zero or invalid vector")
		}
		out[at] = d.Embedding
	}
	return out, nil
}

// encoderKeys replaces the names of a model's settings by the encoder's.
var encoderKeys = strings.NewReplacer("brv.model.endpoint", "brv.embedding.endpoint", "brv.model.name", "brv.embedding.model",
	"brv.model.keyVariable", "brv.embedding.keyVariable", "brv.model.provider", "brv.embedding.endpoint",
	"; or raise brv.model.patienceSeconds", "", "brv.model", "brv.embedding")

// ofEncoder returns an error with the names of the encoder's settings.
func ofEncoder(err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	own := *e
	if own.Kind == KindSilent {
		own.hint = "check that the server has the model loaded"
	}
	own.what = encoderKeys.Replace(own.what)
	if own.hint == "" {
		own.hint = words[own.Kind].hint
	}
	own.hint = encoderKeys.Replace(own.hint)
	return &own
}
