package codebase

import "testing"

func TestTestsInsideASourceFileAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"fn a() {}\n\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {}\n}\n\nfn c() {}\n": "#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {}\n}\n",
		"def a():\n    pass\n\nif __name__ == '__main__':\n    a()\n\nb = 1\n":                 "if __name__ == '__main__':\n    a()\n\n",
		"f()\ndescribe('x', () => {\n  it('y')\n})\ng()\n":                                     "describe('x', () => {\n  it('y')\n})\n",
		"describe(":                     "describe(",
		"described(1)\n  if __name__\n": "",
	} {
		got := ""
		for _, s := range testSpans(text) {
			got += text[s.Start:s.End]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
