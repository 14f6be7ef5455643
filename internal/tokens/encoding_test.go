package tokens

import (
	"strings"
	"testing"
)

func TestModelsCountInTheirEncoding(t *testing.T) {
	for name, want := range map[string]string{
		"": "o200k_base", "o200k_base": "o200k_base", "cl100k_base": "cl100k_base", "bytes": "bytes",
		"gpt-5": "o200k_base", "gpt-5-mini": "o200k_base", "gpt-4.1": "o200k_base", "gpt-4o-2024-08-06": "o200k_base",
		"GPT-4o": "o200k_base", "o3-mini": "o200k_base",
		"gpt-4": "cl100k_base", "gpt-4-turbo": "cl100k_base", "gpt-3.5-turbo-16k": "cl100k_base",
	} {
		e, err := Named(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		again, _ := Named(want)
		if e.Name() != want || e != again {
			t.Errorf("%q is %s, want %s", name, e.Name(), want)
		}
	}
}

func TestUnknownNameIsToldWhatThereIs(t *testing.T) {
	for _, name := range []string{"gpt-4oo", "gpt", "gpt-2", "o", "bytes ", "unknown"} {
		e, err := Named(name)
		if err == nil {
			t.Errorf("%q is %s", name, e.Name())
			continue
		}
		for _, known := range append(Names(), name, "gpt-5", "gpt-4") {
			if !strings.Contains(err.Error(), known) {
				t.Errorf("%q: %v: does not name %s", name, err, known)
			}
		}
	}
}

// What "bytes" promises: never less than what an encoding counts.
func FuzzNoEncodingCountsMoreThanBytes(f *testing.F) {
	for _, s := range append(odd, hostile...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, e := range encodings {
			if got := e.Count(s); got > len(s) || got == 0 && s != "" {
				t.Errorf("%s: %q: %d tokens", e.name, s, got)
			}
		}
	})
}
