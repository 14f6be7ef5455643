package position

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	stdutf16 "unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

var encodings = []Encoding{UTF8, UTF16, UTF32}

func TestPositionsInEachEncoding(t *testing.T) {
	const text = "a\r\nb\rc\n\u2028x\U0001F600\u4e2d\u00e9\n"
	tests := []struct {
		at   string // the text from the offset on begins with it
		line uint32
		want [3]uint32 // utf-8, utf-16, utf-32
	}{
		{"a\r\n", 0, [3]uint32{0, 0, 0}},
		{"\r\nb", 0, [3]uint32{1, 1, 1}},
		{"\nb", 0, [3]uint32{1, 1, 1}}, // inside "\r\n": the line's end
		{"b\r", 1, [3]uint32{0, 0, 0}},
		{"\rc", 1, [3]uint32{1, 1, 1}},
		{"c\n", 2, [3]uint32{0, 0, 0}},
		{"\u2028", 3, [3]uint32{0, 0, 0}}, // not a line end
		{"x\U0001F600", 3, [3]uint32{3, 1, 1}},
		{"\U0001F600", 3, [3]uint32{4, 2, 2}},
		{"\u4e2d", 3, [3]uint32{8, 4, 3}},
		{"\u00e9", 3, [3]uint32{11, 5, 4}},
		{"", 4, [3]uint32{0, 0, 0}},
	}
	for _, test := range tests {
		off := strings.Index(text, test.at)
		if test.at == "" {
			off = len(text)
		}
		for i, enc := range encodings {
			m := NewMapper(text, enc)
			want := protocol.Position{Line: test.line, Character: test.want[i]}
			if got := m.Position(off); got != want {
				t.Errorf("%s: position of %q: %v, want %v", enc.Kind(), test.at, got, want)
			}
			if back := m.Offset(want); back != off && test.at != "\nb" {
				t.Errorf("%s: offset of %v: %d, want %d", enc.Kind(), want, back, off)
			}
		}
	}
}

func TestPositionsOutsideAreClamped(t *testing.T) {
	const text = "ab\U0001F600c\r\nd"
	for _, test := range []struct {
		enc  Encoding
		at   protocol.Position
		want int
	}{
		{UTF16, protocol.Position{Line: 0, Character: 99}, 7},
		{UTF16, protocol.Position{Line: 0, Character: math.MaxUint32}, 7},
		{UTF16, protocol.Position{Line: 9, Character: 0}, 10},
		{UTF16, protocol.Position{Line: math.MaxUint32, Character: math.MaxUint32}, 10},
		{UTF16, protocol.Position{Line: 0, Character: 3}, 2}, // between the surrogates
		{UTF8, protocol.Position{Line: 0, Character: 4}, 2},
		{UTF8, protocol.Position{Line: 0, Character: math.MaxUint32}, 7},
		{UTF32, protocol.Position{Line: 0, Character: 3}, 6},
		{UTF32, protocol.Position{Line: 1, Character: 5}, 10},
	} {
		if got := NewMapper(text, test.enc).Offset(test.at); got != test.want {
			t.Errorf("%s %v: %d, want %d", test.enc.Kind(), test.at, got, test.want)
		}
	}
	m := NewMapper(text, UTF16)
	if got := m.Span(protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{}}); got != (markdown.Span{Start: 0,
		End: 9}) {
		t.Errorf("an inverted range: %v", got)
	}
	if got := m.Position(-5); got != (protocol.Position{}) {
		t.Errorf("a negative offset: %v", got)
	}
	if got := m.Position(500); got != (protocol.Position{Line: 1, Character: 1}) {
		t.Errorf("an offset behind the end: %v", got)
	}
	if got := NewMapper("", UTF16).Offset(protocol.Position{Line: 3, Character: 3}); got != 0 {
		t.Errorf("a position in an empty text: %d", got)
	}
}

// oracleLines splits a text the slow way: each line's content and its offset.
func oracleLines(text string) (lines []string, starts []int) {
	starts = []int{0}
	begin := 0
	for i := 0; i < len(text); i++ {
		end := i
		switch {
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i++
		case text[i] != '\r' && text[i] != '\n':
			continue
		}
		lines = append(lines, text[begin:end])
		begin = i + 1
		starts = append(starts, begin)
	}
	return append(lines, text[begin:]), starts
}

// oracleOffset converts a position by encoding the line's every prefix.
func oracleOffset(text string, p protocol.Position, enc Encoding) int {
	lines, starts := oracleLines(text)
	if int64(p.Line) >= int64(len(lines)) {
		return len(text)
	}
	line, best := lines[p.Line], 0
	for i := 0; i <= len(line); {
		if oracleUnits(line[:i], enc) <= uint64(p.Character) {
			best = i
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		i += max(1, size)
	}
	return starts[p.Line] + best
}

func oracleUnits(s string, enc Encoding) uint64 {
	switch enc {
	case UTF8:
		return uint64(len(s))
	case UTF32:
		return uint64(utf8.RuneCountInString(s))
	}
	return uint64(len(stdutf16.Encode([]rune(s))))
}

func FuzzPositions(f *testing.F) {
	f.Add("a\r\nb\rc\n\u2028x\U0001F600\u4e2d\u00e9\n", uint32(3), uint32(3))
	f.Add("\r\r\n\n\r", uint32(2), uint32(1))
	f.Add("\xff\xfe\n\xf0\x9f\x98", uint32(0), uint32(1))
	f.Add("", uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, text string, line, character uint32) {
		for _, enc := range encodings {
			m := NewMapper(text, enc)
			p := protocol.Position{Line: line, Character: character}
			off := m.Offset(p)
			if want := oracleOffset(text, p, enc); off != want {
				t.Fatalf("%s %v in %q: %d, want %d", enc.Kind(), p, text, off, want)
			}
			canonical := m.Position(off)
			for _, at := range []markdown.Span{{Start: off, End: off}, {Start: off, End: off + 3}, {Start: off - 2, End: len(text)}} {
				if got, want := m.Single(at), m.Bounds(at); got != want {
					t.Fatalf("%q: %v alone is at %v, want %v", text, at, got, want)
				}
			}
			if back := m.Offset(canonical); back != off {
				t.Fatalf("%s: offset %d is at %v, which is offset %d, in %q", enc.Kind(), off, canonical, back, text)
			}
		}
	})
}

// alphabet holds what is hard to count.
var alphabet = []string{"a", "b", "\n", "\r\n", "\r", "\u2028", "\u00e9", "e\u0301", "\u4e2d", "\U0001F600",
	"\U0001F468\u200D\U0001F469", "\t", " ", "@x/y.md"}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// TestEditsEqualFullText applies random incremental edits and compares each
// result with the text that the client has, which was edited by byte offsets.
// Positions may lie outside of the text or inside of characters and line ends.
func TestEditsEqualFullText(t *testing.T) {
	edits := 30_000 // in each encoding
	if os.Getenv("BRV_NIGHTLY") != "" {
		edits = 1_000_000
	}
	defer func() { t.Logf("%d edits in each encoding", edits) }()
	for _, enc := range encodings {
		r := rand.New(rand.NewPCG(uint64(enc), 7))
		text := ""
		for i := range edits {
			a, b := randomPosition(r, text), randomPosition(r, text)
			insert := randomText(r, 6)
			from, to := oracleOffset(text, a, enc), oracleOffset(text, b, enc)
			if from > to {
				from, to = to, from
			}
			want := text[:from] + insert + text[to:]
			got, err := changed(text, changesOf(t, a, b, insert), enc)
			if err != nil || got != want {
				t.Fatalf("%s, edit %d: %v-%v ← %q in %q: %q, want %q (%v)", enc.Kind(), i, a, b, insert, text, got, want, err)
			}
			if text = got; len(text) > 400 {
				text = ""
			}
		}
	}
}

// FuzzChanges applies two changes in one notification, the second on the result of the
// first, in each encoding.
func FuzzChanges(f *testing.F) {
	f.Add("a\r\nb\rc\n\u2028x\U0001F600\u4e2d\u00e9\n", "\n", uint32(3), uint32(3), uint32(1), uint32(0))
	f.Add("\r\r\n\n\r", "\r", uint32(2), uint32(1), uint32(0), uint32(9))
	f.Add("\xff\xfe\n\xf0\x9f\x98", "\U0001F600", uint32(0), uint32(1), uint32(1), uint32(2))
	f.Add("", "x", uint32(0), uint32(0), uint32(math.MaxUint32), uint32(math.MaxUint32))
	f.Fuzz(func(t *testing.T, text, insert string, line, character, line2, character2 uint32) {
		insert = strings.ToValidUTF8(insert, "?") // as any JSON reader makes it
		a, b := protocol.Position{Line: line, Character: character}, protocol.Position{Line: line2, Character: character2}
		for _, enc := range encodings {
			want := text
			for range 2 {
				from, to := oracleOffset(want, a, enc), oracleOffset(want, b, enc)
				want = want[:min(from, to)] + insert + want[max(from, to):]
			}
			change := changesOf(t, a, b, insert)
			if got, err := changed(text, append(change, change...), enc); got != want || err != nil {
				t.Fatalf("%s: %v-%v ← %q in %q: %q, want %q (%v)", enc.Kind(), a, b, insert, text, got, want, err)
			}
		}
	})
}

// changed is what becomes of a text.
func changed(text string, changes []Change, enc Encoding) (string, error) {
	m, err := NewMapper(text, enc).Apply(changes)
	return m.Text, err
}

func randomPosition(r *rand.Rand, text string) protocol.Position {
	lines, _ := oracleLines(text)
	n := r.IntN(len(lines) + 1)
	length := 3
	if n < len(lines) {
		length += len(lines[n])
	}
	return protocol.Position{Line: uint32(n), Character: uint32(r.IntN(length))}
}

// changesOf sends one change through the decoder.
func changesOf(t *testing.T, a, b protocol.Position, text string) []Change {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	raw := fmt.Sprintf(`{"contentChanges":[{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":%s}]}`,
		a.Line, a.Character, b.Line, b.Character, quoted)
	c, err := DecodeChanges([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return c.Changes
}

func TestChangesAsClientsSendThem(t *testing.T) {
	tests := []struct{ changes, want string }{
		{`[{"text":"new"}]`, "new"},
		{`[{"range":null,"text":"new"}]`, "new"},
		{`[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"rangeLength":1,"text":"X"}]`, "aXc\ndef"},
		{`[{"range":{"start":{"line":0,"character":1.0},"end":{"line":0,"character":9007199254740991}},"text":"X"}]`, "aX\ndef"},
		{`[{"range":{"start":{"line":-1,"character":-1},"end":{"line":1e300,"character":0}},"text":""}]`, ""},
		{`[{"text":"one"},{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":3}},"text":"!"},{"text":"two"}]`, "two"},
		{`[]`, "abc\ndef"},
		{`null`, "abc\ndef"},
	}
	for _, test := range tests {
		c, err := DecodeChanges([]byte(`{"textDocument":{"uri":"file:///x","version":2},"contentChanges":` + test.changes + `}`))
		if err != nil {
			t.Errorf("%s: %v", test.changes, err)
			continue
		}
		if got, err := changed("abc\ndef", c.Changes, UTF16); got != test.want || err != nil {
			t.Errorf("%s: %q, %v", test.changes, got, err)
		}
	}
	for _, bad := range []string{`[{}]`, `[{"range":{"start":{},"end":{}}}]`, `[{"text":null}]`} {
		c, err := DecodeChanges([]byte(`{"contentChanges":` + bad + `}`))
		if err == nil {
			_, err = changed("abc", c.Changes, UTF16)
		}
		if err == nil {
			t.Errorf("%s was understood", bad)
		}
	}
}

func BenchmarkMapper(b *testing.B) {
	text := strings.Repeat("a line of code with an é in it, as long as lines are\n", 20_000) // 1 MB
	at := protocol.Position{Line: 19_000, Character: 20}
	b.Run("edit", func(b *testing.B) {
		for b.Loop() {
			NewMapper(text, UTF16).Offset(at)
		}
	})
	m := NewMapper(text, UTF16)
	m.index()
	b.Run("position", func(b *testing.B) {
		for b.Loop() {
			m.Position(m.Offset(at))
		}
	})
}
