package meaning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
)

// fake is an encoder whose vectors count letters.
type fake struct {
	mu    sync.Mutex
	asked []string
	err   error
	dims  int
	long  int           // texts above are too long; 0: none
	hang  chan struct{} // not nil: waited for
}

func (f *fake) encode(ctx context.Context, texts []string) ([][]float32, error) {
	f.mu.Lock()
	hang, err := f.hang, f.err
	f.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var out [][]float32
	for _, t := range texts {
		if f.long > 0 && len(t) > f.long {
			return nil, fmt.Errorf("fake: %w", llm.ErrTooLong)
		}
		v := make([]float32, f.dims)
		for i := range t {
			v[int(t[i])%f.dims]++
		}
		out = append(out, v)
	}
	if err == nil {
		f.asked = append(f.asked, texts...)
	}
	return out, err
}

func (f *fake) set(err error, hang chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.hang = err, hang
}

func open(t *testing.T, f *fake, o Options) *Store {
	t.Helper()
	o.Encode, o.Name = f.encode, "fake"
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	s := New(o)
	t.Cleanup(s.Close)
	return s
}

func TestCosine(t *testing.T) {
	a, b, c := NewVector([]float32{3, 4}), NewVector([]float32{30, 40}), NewVector([]float32{-4, 3})
	if math.Abs(a.Cosine(b)-1) > 1e-9 || math.Abs(a.Cosine(c)) > 0.01 || a.Cosine(Vector{}) != 0 || a.Cosine(NewVector([]float32{1})) != 0 {
		t.Error(a.Cosine(b), a.Cosine(c))
	}
}

// A text is embedded once, also in the next process; another encoder's vectors are not read.
func TestEachTextIsEmbeddedOnce(t *testing.T) {
	dir, f := t.TempDir(), &fake{dims: 8}
	texts := make([]string, 2*Batch+1)
	for i := range texts {
		texts[i] = strings.Repeat("x", i+1)
	}
	told := 0
	s := open(t, f, Options{Cache: dir, Root: "/a", PassagePrefix: "passage: ", Progress: func(done, total int) {
		if told++; total != len(texts) || done > total {
			t.Error(done, total)
		}
	}})
	if _, ok := s.Of(texts); ok {
		t.Fatal("known before")
	}
	s.Expect(len(texts))
	if err := s.Learn(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if len(f.asked) != len(texts) || f.asked[0] != "passage: x" || told != 3 {
		t.Error(len(f.asked), told)
	}
	s.Close()
	again := open(t, f, Options{Cache: dir, Root: "/a", PassagePrefix: "passage: "})
	was, ok := again.Of(texts)
	if now, _ := s.Of(texts); !ok || was[3].Cosine(now[3]) < 0.999 {
		t.Error("the next process does not know them")
	}
	other := New(Options{Encode: f.encode, Name: "other", Cache: dir, Root: "/a", Now: time.Now})
	defer other.Close()
	if _, ok := other.Of(texts[:1]); ok {
		t.Error("another encoder's vectors are read")
	}
}

func TestTooLongTextsAreShortened(t *testing.T) {
	f := &fake{dims: 4, long: 10}
	s := open(t, f, Options{})
	texts := []string{"short", strings.Repeat("äö", 40)}
	if err := s.Learn(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Of(texts); !ok || v[1].length == 0 {
		t.Error("not known")
	}
}

// An encoder of the same name whose vectors have another length takes the place of what was kept; one that changes while it
// is asked is at fault.
func TestVectorsOfAnotherLength(t *testing.T) {
	dir := t.TempDir()
	s := open(t, &fake{dims: 8}, Options{Cache: dir})
	_ = s.Learn(t.Context(), []string{"a"})
	s.Close()
	f := &fake{dims: 5}
	s = open(t, f, Options{Cache: dir})
	if err := s.Learn(t.Context(), []string{"b"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Of([]string{"a"}); ok {
		t.Error("a vector of another length stays")
	}
	f.dims = 6
	if err := s.Learn(t.Context(), []string{"c"}); err == nil || !strings.Contains(err.Error(), "6 dimensions, but had 5") {
		t.Error(err)
	}
}

// A question waits for a late encoder once. Then none waits until that answers, or has rested.
func TestLateEncoderIsWaitedForOnce(t *testing.T) {
	now := time.Now()
	f := &fake{dims: 4, hang: make(chan struct{})}
	s := open(t, f, Options{Now: func() time.Time { return now }, Patience: time.Millisecond})
	if _, err := s.Question(t.Context(), "first"); !errors.Is(err, errLate) {
		t.Fatal(err)
	}
	s.Patience = time.Hour // who waits now hangs
	for range 3 {
		if _, err := s.Question(t.Context(), "second"); !errors.Is(err, errLate) {
			t.Fatal(err)
		}
	}
	a, _ := s.asked("first")
	close(f.hang)
	<-a.over // it came after all
	for _, text := range []string{"first", "second"} {
		if _, err := s.Question(t.Context(), text); err != nil {
			t.Error(text, err)
		}
	}
}

// An encoder that fails is asked again after a minute's rest.
func TestFailingEncoderRests(t *testing.T) {
	now := time.Now()
	f := &fake{dims: 4, err: errors.New("boom")}
	s := open(t, f, Options{Now: func() time.Time { return now }})
	if _, err := s.Question(t.Context(), "q"); err == nil {
		t.Fatal("no error")
	}
	if !s.Resting() {
		t.Error("it is asked for passages")
	}
	f.set(nil, nil)
	if _, err := s.Question(t.Context(), "q"); err == nil || err.Error() != "boom" || len(f.asked) > 0 {
		t.Error(err)
	}
	now = now.Add(rest)
	if v, err := s.Question(t.Context(), "q"); err != nil || v.length == 0 {
		t.Error(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	f.set(nil, make(chan struct{}))
	if _, err := s.Question(gone, "other"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkCosine compares a question with 10,000 vectors.
func BenchmarkCosine(b *testing.B) {
	vectors := make([]Vector, 10_000)
	for i := range vectors {
		v := make([]float32, 384)
		for j := range v {
			v[j] = float32(math.Sin(float64(i*j + j)))
		}
		vectors[i] = NewVector(v)
	}
	for b.Loop() {
		for _, v := range vectors {
			v.Cosine(vectors[0])
		}
	}
}
