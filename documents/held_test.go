package documents

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// Where nobody searches, a set that was read again holds none of those before it.
func TestReadAgainHoldsNoOlderSet(t *testing.T) {
	dir := t.TempDir()
	root := jailtest.Open(t, dir)
	var freed atomic.Int32
	var last *Set
	const times = 20
	for i := range times {
		jailtest.Write(t, dir, "README.md", fmt.Sprintf("# Read me\n\nThis is number %d.\n", i))
		s, err := Read(t.Context(), root, Options{}, last)
		if err != nil {
			t.Fatal(err)
		}
		s.Pages()
		runtime.AddCleanup(s, func(n *atomic.Int32) { n.Add(1) }, &freed)
		last = s
	}
	for range 1000 {
		runtime.GC()
		if freed.Load() >= times-2 {
			break
		}
		runtime.Gosched()
	}
	if n := freed.Load(); n < times-2 {
		t.Errorf("%d of %d are freed", n, times)
	}
	runtime.KeepAlive(last)
}
