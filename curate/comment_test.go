package curate

import "testing"

func TestCommentedOut(t *testing.T) {
	for line, want := range map[string]bool{
		"if x == nil { panic(\"never\") }":       true,
		"return errors.New(\"it is required\")":  true,
		"s.mustDrop(\"never do this\");":         true,
		"x := load()":                            true,
		"}":                                      true,
		"for _, s := range all {":                true,
		"const limit = 5":                        true,
		"def never(self):":                       true,
		"import os":                              true,
		"":                                       false,
		"It must be called once (see Load).":     false,
		"return values must be checked":          false,
		"go through the queue (never past it)":   false,
		"the path is always /users/{id}":         false,
		"if the token is expired, it is refused": false,
		"class of service: never bulk":           false,
		"import must not run twice":              false,
	} {
		if got := commentedOut().MatchString(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
