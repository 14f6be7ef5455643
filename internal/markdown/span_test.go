package markdown

import "testing"

// TestMarksBeforeATextAreBlanked keeps all places, and everything that stands behind the first other sign.
func TestMarksBeforeATextAreBlanked(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\ufeff{}", "   {}"},
		{"\ufeff\ufeff\r\n \ufeff[1]", "      \r\n    [1]"},
		{"{\"a\": \"\ufeff\"}\ufeff", "{\"a\": \"\ufeff\"}\ufeff"},
		{" \n{}", " \n{}"}, {"", ""}, {"\ufeff", "   "}, {"\xef\xbb{}", "\xef\xbb{}"}, {"x\ufeff", "x\ufeff"},
	} {
		in := []byte(c.text)
		if got := string(WithoutMarks(in)); got != c.want || string(in) != c.text {
			t.Errorf("%q: %q, want %q; the text is now %q", c.text, got, c.want, in)
		}
	}
}
