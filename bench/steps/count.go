package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"runtime/coverage"
	"runtime/debug"
)

// cost counts the work of reading a text, without a clock: the same text costs nearly the same on any machine.
type cost struct {
	steps uint64 // basic blocks executed, as the compiler counts them for coverage
	bytes uint64 // allocated in all
}

// counted reports whether the program was built with counters (go build -cover -covermode=atomic).
func counted() bool { return coverage.WriteCounters(io.Discard) == nil }

// measure reads a text and returns what it took.
func measure(read func(string), text string) (c cost, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	steps, err := blocks()
	if err != nil {
		return cost{}, err
	}
	bytes := allocated(read, text)
	now, err := blocks()
	return cost{now - steps, bytes}, err
}

// allocated reads a text and returns how many bytes were allocated meanwhile.
func allocated(read func(string), text string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(text)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// blocks returns the sum of all counters. They come as a file of coverage data (internal/coverage/defs.go of Go): a
// head of 32 bytes; the head of the one segment, with how many functions there are and how long its strings and
// arguments are, which end at a multiple of 4; and then, as numbers of variable length, for each function
// how many counters it has, its package, its number, and its counters.
func blocks() (sum uint64, err error) {
	var b bytes.Buffer
	if err := coverage.WriteCounters(&b); err != nil {
		return 0, err
	}
	const head, segment = 32, 16
	data := b.Bytes()
	functions := binary.LittleEndian.Uint64(data[head:])
	skip := binary.LittleEndian.Uint32(data[head+8:]) + binary.LittleEndian.Uint32(data[head+12:])
	in := bytes.NewReader(data[head+segment+(skip+3)/4*4:])
	for range functions {
		n, _ := binary.ReadUvarint(in)
		_, _ = binary.ReadUvarint(in)
		_, _ = binary.ReadUvarint(in)
		for range n {
			c, err := binary.ReadUvarint(in)
			if err != nil {
				return 0, err
			}
			sum += c
		}
	}
	return sum, nil
}
