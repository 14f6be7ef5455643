package alike

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

// maxNormal is the longest text that is normalised for a key, in bytes: a pasted file
// is compared as it is.
const maxNormal = 8 << 10

// Key is what the same question in the same bounds has: a hash of its normalised text.
type Key [sha256.Size]byte

// KeyOf returns the key of a question. Two texts have the same one that differ in case,
// width, accents, white space and the punctuation at their end only. The bounds are what
// beside the text decides on the answer.
func KeyOf(text, bounds string) (k Key) {
	if len(text) <= maxNormal {
		text = normalText(text)
	}
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(bounds))))
	h.Write([]byte(bounds))
	h.Write([]byte(text))
	h.Sum(k[:0])
	return k
}

// normalText is a text as the exact cache compares it: case, width and accents
// folded, white space single, without the punctuation of a sentence's end. A
// short word in capitals among others that are not keeps them: IT is not it.
func normalText(text string) string {
	text = words.NFKC(text)
	lower := strings.ContainsFunc(text, unicode.IsLower)
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if folded := words.Fold(word); lower && words.IsStop(folded) && len(word) > 1 && strings.ToUpper(word) == word {
			b.WriteString(word)
		} else if strings.HasPrefix(word, "-") {
			b.WriteString(word) // -v is not -V
		} else {
			b.WriteString(folded)
		}
	}
	out := b.String()
	for {
		cut := strings.TrimRight(out, "?.…。？")
		if word := strings.TrimRight(cut, "!！"); !strings.HasSuffix(word, " ") {
			cut = word
		}
		cut = strings.TrimRight(cut, " ")
		if cut == out || cut == "" {
			return out
		}
		out = cut
	}
}
