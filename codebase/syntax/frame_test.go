package syntax

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFramesCarryMessagesInTurn(t *testing.T) {
	var buf bytes.Buffer
	out, in := newSender[request](&buf), newReceiver[request](&buf)
	for i := range 3 {
		want := &request{Request: Request{"a.go", Go, bytes.Repeat([]byte{'x'}, i)}, Limit: ParseLimit}
		if err := out.send(want); err != nil {
			t.Fatal(err)
		}
		got, err := in.receive()
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Request.Source) == 0 {
			want.Request.Source = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := in.receive(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestDamagedFramesAreErrors(t *testing.T) {
	for name, data := range map[string]string{
		"over the cap": "\xff\xff\xff\xff",
		"not gob":      "\x00\x00\x00\x03abc",
		"cut short":    "\x00\x00\x00\x09abc",
		"half a head":  "\x00\x00",
	} {
		_, err := newReceiver[answer](bytes.NewReader([]byte(data))).receive()
		if err == nil || err == io.EOF {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := newReceiver[answer](bytes.NewReader([]byte("\xff\xff\xff\xff"))).receive()
	if !errors.Is(err, errFrame) {
		t.Errorf("got %v", err)
	}
}

// FuzzReceive feeds a parent what a broken worker might send.
func FuzzReceive(f *testing.F) {
	var buf bytes.Buffer
	_ = newSender[answer](&buf).send(&answer{File{Symbols: []Symbol{{Name: "x"}}}})
	f.Add(buf.Bytes())
	f.Add([]byte("\x00\x00\x00\x03abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newReceiver[answer](bytes.NewReader(data))
		for {
			if _, err := in.receive(); err != nil {
				return
			}
		}
	})
}
