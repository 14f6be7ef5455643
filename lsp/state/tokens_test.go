package state

import (
	"fmt"
	"testing"
)

func TestTokenResultsAreBounded(t *testing.T) {
	var r TokenResults
	first := r.Keep("a", make([]uint32, 10))
	second := r.Keep("a", make([]uint32, 20))
	if _, ok := r.Find("a", first); ok {
		t.Error("the earlier result of a document is kept")
	}
	if data, ok := r.Find("a", second); !ok || len(data) != 20 {
		t.Error("the last result of a document is lost")
	}
	if _, ok := r.Find("b", second); ok {
		t.Error("a result serves another document")
	}
	for i := range 3 * maxTokenResults {
		r.Keep(fmt.Sprint(i), nil)
	}
	if len(r.kept) != maxTokenResults {
		t.Errorf("%d documents are kept", len(r.kept))
	}
	r.Keep("big", make([]uint32, maxTokenInts-1))
	r.Keep("small", make([]uint32, 2))
	if len(r.kept) != 1 || r.kept[0].key != "small" {
		t.Errorf("%d results are kept behind a large one", len(r.kept))
	}
	if r.Keep("huge", make([]uint32, maxTokenInts+1)); len(r.kept) != 0 {
		t.Error("a result is kept that is larger than all may be")
	}
}
