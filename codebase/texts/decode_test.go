package texts

import "testing"

func TestTextsInUTF16AreDecoded(t *testing.T) {
	for in, want := range map[string]string{
		"\xff\xfed\x00e\x00f\x00": "def", "\xfe\xff\x00d\x00e\x00f": "def", "\xff\xfe=\xd8\x00\xde": "\U0001F600", "\xff\xfed\x00e": "d",
		"\xff\xfe": "", "\xff": "\xff", "def": "def", "": "",
	} {
		if got := string(Decode("a.py", []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
