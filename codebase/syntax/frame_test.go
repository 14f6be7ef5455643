package syntax

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFramesCarryMessagesInTurn(t *testing.T) {
	var stream []byte
	var want []*request
	for i := range 3 {
		r := &request{Request: Request{Path: "a.go", Language: Go, Source: bytes.Repeat([]byte{'x'}, i*i*70_000)}, Limit: parseLimit}
		want = append(want, r)
		stream = appendRequest(stream, r)
	}
	want[0].Source = []byte{} // an empty source comes back as one
	in := newReceiver(bytes.NewReader(stream))
	for _, w := range want {
		got, err := in.request()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(w, got) {
			t.Errorf("request of %d bytes came as %d bytes, limit %v", len(w.Source), len(got.Source), got.Limit)
		}
	}
	if _, err := in.request(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestAnswersDoNotShareTheFrame(t *testing.T) {
	f := sample()
	in := newReceiver(bytes.NewReader(appendAnswer(appendAnswer(nil, &f), &File{Partial: "other"})))
	first, err := in.answer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.answer(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), first); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedFramesAreErrors(t *testing.T) {
	for name, data := range map[string]string{
		"over the cap":         "\xff\xff\xff\xff",
		"no format":            "\x00\x00\x00\x03abc",
		"cut short":            "\x00\x00\x00\x09abc",
		"claims what is not":   "\x03\xff\xff\xffabc",
		"half a head":          "\x00\x00",
		"text over the end":    "\x00\x00\x00\x03\x01\x05a",
		"bytes after the last": "\x00\x00\x00\x05\x01\x00\x00\x00a",
	} {
		_, err := newReceiver(bytes.NewReader([]byte(data))).answer()
		if err == nil || err == io.EOF {
			t.Errorf("%s as an answer: %v", name, err)
		}
		_, err = newReceiver(bytes.NewReader([]byte(data))).request()
		if err == nil || err == io.EOF {
			t.Errorf("%s as a request: %v", name, err)
		}
	}
	_, err := newReceiver(bytes.NewReader([]byte("\xff\xff\xff\xff"))).answer()
	if !errors.Is(err, errFrame) {
		t.Errorf("got %v", err)
	}
}

// FuzzReceive feeds either side what a broken other side might send.
func FuzzReceive(f *testing.F) {
	s := sample()
	f.Add(appendAnswer(nil, &s))
	f.Add(appendRequest(nil, &request{Request: Request{Path: "a.go", Language: Go, Source: []byte("package a")}}))
	f.Add([]byte("\x00\x00\x00\x03abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		answers, requests := newReceiver(bytes.NewReader(data)), newReceiver(bytes.NewReader(data))
		for range len(data) {
			if _, err := answers.answer(); err != nil {
				break
			}
		}
		for range len(data) {
			if _, err := requests.request(); err != nil {
				break
			}
		}
	})
}
