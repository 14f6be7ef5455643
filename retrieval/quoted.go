package retrieval

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Quotation quotes texts for a model as tiers 3 and 4 do (quote.go), for other questions
// about entries.
type Quotation struct{ quoter quoter }

// Quote returns a quotation for texts, all that its blocks will hold.
func Quote(texts ...string) Quotation {
	seed := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return Quotation{quoter{freshNonce(
		func(n int) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %x", n, seed)))[:12] },
		func(nonce string) bool {
			for _, t := range texts {
				if strings.Contains(t, nonce) {
					return true
				}
			}
			return false
		})}}
}

// Nonce is what the names of the tags end in.
func (q Quotation) Nonce() string { return q.quoter.nonce }

// Entry quotes what an entry says.
func (q Quotation) Entry(name, title, text string) string {
	return q.quoter.block("entry", text, attribute{"name", name}, attribute{"title", title})
}

// Line is a text in one line, without what could end a tag.
func (q Quotation) Line(text string) string { return q.quoter.line(text) }

// Clean is a model's text without what people do not see, and without the tags' names.
func (q Quotation) Clean(text string) string { return q.quoter.clean(text) }
