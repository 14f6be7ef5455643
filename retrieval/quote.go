package retrieval

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Anyone who can write to the tree can write entries, and a model reads them together with its rules. So
// entries are quoted between tags whose name ends in a nonce that no quoted text contains, so that no text
// can close its own quotation. The nonce is derived from the tree and the question, not random: the same
// question to the same tree is the same prompt, which model providers can cache and tests can compare. If a
// later text, the result of a tool, contains the nonce, it is removed there.
//
// Invisible text, which models would read, is left out of quotations ([sanitize.Visible]).

// quoter quotes texts in one conversation.
type quoter struct{ nonce string }

// newQuoter derives a nonce that no text of the tree and no part of the question
// holds.
func newQuoter(snap *tree.Snapshot, question string) quoter {
	seed := snap.Fingerprint() + " " + question
	return quoter{freshNonce(
		func(n int) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s", n, seed)))[:12] },
		func(nonce string) bool { return strings.Contains(question, nonce) || quoter{nonce}.occurs(snap) })}
}

// freshNonce is the first candidate that does not occur in the texts. Twelve hexadecimal digits do not occur
// by chance; the bound of 64 candidates guarantees that this ends.
func freshNonce(candidate func(n int) string, taken func(nonce string) bool) string {
	n := 0
	for n < 63 && taken(candidate(n)) {
		n++
	}
	return candidate(n)
}

func (q quoter) occurs(snap *tree.Snapshot) bool {
	for _, e := range snap.Entries() {
		if strings.Contains(e.Text, q.nonce) || strings.Contains(e.Path, q.nonce) {
			return true
		}
	}
	return false
}

// attribute is a name and a value in the opening tag of a quotation.
type attribute struct{ name, value string }

// block quotes a text in a tag of that name. Attributes without a value are left out.
func (q quoter) block(word, text string, attributes ...attribute) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s-%s", word, q.nonce)
	for _, a := range attributes {
		if value := q.line(a.value); value != "" {
			fmt.Fprintf(&b, " %s=\"%s\"", a.name, value)
		}
	}
	fmt.Fprintf(&b, ">\n%s\n</%s-%s>\n", strings.Trim(q.clean(text), "\n"), word, q.nonce)
	return b.String()
}

// clean removes text that is not allowed in a quotation.
func (q quoter) clean(text string) string {
	text = sanitize.Visible(text)
	for strings.Contains(text, q.nonce) { // again: removing something may have joined the parts of another one
		text = sanitize.Visible(strings.ReplaceAll(text, q.nonce, ""))
	}
	return text
}

// maxAttribute bounds a title or path in a tag, in characters: longer than any that
// says something.
const maxAttribute = 200

// line is a text as the value of an attribute, or as an item of a list: one line, without characters that
// close the value or the tag.
func (q quoter) line(text string) string {
	text = strings.Join(strings.Fields(q.clean(text)), " ")
	text = strings.NewReplacer(`"`, "'", "<", "(", ">", ")").Replace(text)
	return sanitize.First(text, maxAttribute)
}
