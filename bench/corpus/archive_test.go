package corpus

import (
	"reflect"
	"testing"
)

func TestSections(t *testing.T) {
	got := Sections("for people\n-- a/b.md --\none\r\n-- not a heading\n-- c d --\r\n-- --\n--  --\n")
	want := []Section{{"a/b.md", 2, "one\r\n-- not a heading\n"}, {"c d", 5, "-- --\n--  --\n"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := Sections("no heading"); got != nil {
		t.Errorf("got %+v", got)
	}
}
