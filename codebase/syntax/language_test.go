package syntax

import "testing"

func TestLanguageFor(t *testing.T) {
	for _, c := range []struct {
		path, head string
		want       Language
	}{
		{"a/b.GO", "", Go},
		{"a.tsx", "", TSX},
		{"x.kts", "", Kotlin},
		{"x.tfvars", "", HCL},
		{"x.txt", "#!/bin/sh\n", ""},
		{"x.h", "/* the device class of it */\nstruct a { int class_id; };\n", C},
		{"x.h", "#pragma once\nnamespace a {\n", Cpp},
		{"x.h", "#ifdef X\n  template <class T>\nstruct a;\n", Cpp},
		{"x.hpp", "", Cpp},
		{"bin/run", "#!/bin/sh -e\necho\n", Bash},
		{"bin/run", "#!/usr/bin/env -S python3 -u\n", Python},
		{"bin/run", "#! /usr/bin/env node\n", JavaScript},
		{"bin/run", "#!/usr/bin/env\n", ""},
		{"bin/run", "#!\n", ""},
		{"Makefile", "all:\n", ""},
		{"empty", "", ""},
	} {
		if got := LanguageFor(c.path, []byte(c.head)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.path, c.head, got, c.want)
		}
	}
}

func TestLanguageForLooksOnlyAtTheHead(t *testing.T) {
	text := make([]byte, maxHead, maxHead+20)
	for i := range text {
		text[i] = '\n'
	}
	if got := LanguageFor("x.h", append(text, "namespace a {"...)); got != C {
		t.Errorf("got %q", got)
	}
}

func TestEveryExtensionHasAListedLanguage(t *testing.T) {
	listed := map[Language]bool{}
	for _, l := range languages() {
		listed[l] = true
	}
	for ext, l := range languageOfExt {
		if !listed[l] {
			t.Errorf("%s: %q is not in Languages()", ext, l)
		}
	}
	for l := range listed {
		found := false
		for _, of := range languageOfExt {
			found = found || of == l
		}
		if !found {
			t.Errorf("no extension leads to %q", l)
		}
	}
}
