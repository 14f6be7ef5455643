package overlap

import (
	"reflect"
	"sync"
	"testing"
)

func TestOneIndexServesSeveralAtOnce(t *testing.T) {
	entries := generated(60)
	alone, shared := New(entries), New(entries)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, e := range entries {
				if got, want := shared.Near(e.Path), alone.Near(e.Path); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, want %v", e.Path, got, want)
				}
			}
		})
	}
	all.Wait()
}
