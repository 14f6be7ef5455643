package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	var err error
	scratch, err = os.MkdirTemp("", "steps")
	must(err)
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// linear fails if the bytes that a reader allocates grow much faster than a text of a shape, twice in a row. A cost that
// is as small as few says nothing, and of three tries the least counts: what else allocates meanwhile is no growth.
func linear(t *testing.T, r reader, s shape, size int) {
	t.Helper()
	r.read(s.text(size)) // what is made once is made
	var costs []uint64
	for range 3 {
		least := ^uint64(0)
		for range 3 {
			if least = min(least, allocated(r.read, s.text(size))); least < few {
				break
			}
		}
		if costs = append(costs, least); len(costs) > 1 && grown(costs[len(costs)-2], least) <= most {
			return
		}
		size *= factor
	}
	t.Errorf("%s: %v: %d bytes are allocated; each text is %d times the one before", r.name, s, costs, factor)
}

// TestReadersAllocateLinearly reads each known shape with each reader. The program itself also counts steps.
func TestReadersAllocateLinearly(t *testing.T) {
	for _, r := range readers {
		for _, s := range known {
			linear(t, r, s, 1<<10)
		}
	}
}

// FuzzReaders looks for texts, a part repeated behind a head and closed as often, that a reader does not read in linear
// memory.
func FuzzReaders(f *testing.F) {
	for i, s := range known {
		f.Add(i, s.head, s.open, s.close)
	}
	f.Fuzz(func(t *testing.T, i int, head, open, end string) {
		if len(open) == 0 || len(head)+len(open)+len(end) > 256 {
			return
		}
		linear(t, readers[uint(i)%uint(len(readers))], shape{head, open, end}, 2<<10)
	})
}
