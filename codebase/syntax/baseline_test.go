package syntax

import "testing"

func TestBaselineFindsCaptures(t *testing.T) {
	if !Available {
		t.Skip("built without cgo")
	}
	b := NewBaseline()
	defer b.Close()
	few, err := b.Captures(Go, []byte("package p\n\nfunc F() {}\n"))
	if err != nil || few == 0 {
		t.Errorf("%d captures, %v", few, err)
	}
	more, err := b.Captures(Go, []byte("package p\n\nfunc F() {}\n\nfunc G() { F() }\n"))
	if err != nil || more <= few {
		t.Errorf("%d captures in more code, %d in less; %v", more, few, err)
	}
	if _, err := b.Captures("klingon", []byte("x")); err == nil {
		t.Error("a language without a grammar was read")
	}
	if n, err := b.Captures(Go, []byte("package p\x00")); n != 0 || err != nil {
		t.Errorf("%d captures in what is no text, %v", n, err)
	}
}
