package lru_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/lru"
)

func TestLastUsedStay(t *testing.T) {
	c := lru.New[string, int](3)
	for i, key := range []string{"a", "b", "c"} {
		c.Add(key, i, 1)
	}
	c.Get("a")
	c.Peek("b")
	if evicted := c.Add("d", 3, 1); evicted != 1 {
		t.Errorf("%d made room", evicted)
	}
	if got := c.Keys(); !slices.Equal(got, []string{"c", "a", "d"}) {
		t.Errorf("%q stay", got)
	}
	c.Remove("a")
	if _, ok := c.Get("a"); ok {
		t.Error("a removed value is found")
	}
}

func TestCostIsThatOfWhatIsKept(t *testing.T) {
	const most = 1000
	c := lru.New[string, int](most)
	costs := map[string]int{}
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		key, cost := fmt.Sprint(r.IntN(50)), r.IntN(most+most/10)
		c.Add(key, cost, cost)
		costs[key] = cost
		if _, ok := c.Peek(key); ok != (cost <= most) {
			t.Fatalf("a value of %d of %d: kept %t", cost, most, ok)
		}
		sum := 0
		for _, key := range c.Keys() {
			if v, _ := c.Peek(key); v != costs[key] {
				t.Fatalf("%q is %d, want %d", key, v, costs[key])
			}
			sum += costs[key]
		}
		if n, size := c.Size(); n != len(c.Keys()) || size != sum || sum > most {
			t.Fatalf("%d values, %d of %d, counted %d", n, size, most, sum)
		}
	}
}
