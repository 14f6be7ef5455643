package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Encoder is a scripted server of embeddings: texts with the same words have the same vector, and words of one group are
// one word. It is safe for concurrent use.
type Encoder struct {
	URL string // ends in /v1

	groups [][]string
	mu     sync.Mutex // guards what follows
	asked  []string
	broken http.HandlerFunc
}

// dimensions is the length of an encoder's vectors.
const dimensions = 64

// groupWeight weighs a word of a group; other words weigh 1.
const groupWeight = 4

// ServeEncoder starts an encoder, which stops when the test ends. Each group is of words that mean the same.
func ServeEncoder(t testing.TB, groups ...[]string) *Encoder {
	t.Helper()
	e := &Encoder{groups: groups}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.URL = server.URL + "/v1"
	return e
}

// Break makes h answer all requests from now on; nil restores the server.
func (e *Encoder) Break(h http.HandlerFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = h
}

// Asked lists the texts embedded so far, in order.
func (e *Encoder) Asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.asked...)
}

// ServeHTTP answers one request.
func (e *Encoder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAsked))
	var q struct{ Input []string }
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	e.mu.Lock()
	broken := e.broken
	if broken == nil {
		e.asked = append(e.asked, q.Input...)
	}
	e.mu.Unlock()
	switch {
	case broken != nil:
		broken(w, r)
	case !strings.HasSuffix(r.URL.Path, "/v1/embeddings"):
		http.NotFound(w, r)
	case err != nil:
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
	default:
		var data []object
		for i, text := range q.Input {
			data = append(data, object{"index": i, "embedding": e.vector(text)})
		}
		whole(w, object{"data": data})
	}
}

func (e *Encoder) vector(text string) []float32 {
	v := make([]float32, dimensions)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return c < 'a' && c >= 0x20 || c == '\n' }) {
		weight := float32(1)
		for i, group := range e.groups {
			if slices.Contains(group, word) {
				word, weight = fmt.Sprint("group ", i), groupWeight
			}
		}
		h := fnv.New32a()
		h.Write([]byte(word))
		v[h.Sum32()%dimensions] += weight
	}
	v[0] += 0.1 // an empty text has no direction
	return v
}
