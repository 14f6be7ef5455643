// Package client sends a person's questions to an organisation's gateway, and pushes a repository's entries
// to it. The gateway's answers are not trusted: they are bounded and made harmless here.
package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/organisation"
)

// Within is how long a question waits for the organisation: an answer of the own tree takes less, and users
// would not wait for the hits below it. The issue's own figure.
const Within = 300 * time.Millisecond

// Bounds of what is shown of a gateway's answer, in characters.
const (
	maxNote    = 200
	maxTitle   = 200
	maxPassage = 1 << 10
	maxAnswer  = 256 << 10 // bytes that are read: ten hits of a passage each
)

// Client asks one gateway. It is safe for concurrent use.
type Client struct {
	gateway *outbound.Client
	within  time.Duration
}

// New returns a client; it opens no connection.
func New(endpoint, token string) (*Client, error) {
	at, err := outbound.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	return &Client{gateway: outbound.NewClient(at, outbound.Bearer(token), maxAnswer), within: Within}, nil
}

// Origin is the gateway's origin.
func (c *Client) Origin() string { return c.gateway.Origin() }

// Asked is a question that is under way.
type Asked struct {
	done   chan struct{}
	answer organisation.Answer
}

// Ask sends a question, without credentials, and returns at once.
func (c *Client) Ask(ctx context.Context, text string) *Asked {
	a := &Asked{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		ctx, cancel := context.WithTimeout(ctx, c.within)
		defer cancel()
		text = secrets.Redact(text)
		if len(text) > organisation.MaxQuestion {
			text = sanitize.Cut(text, organisation.MaxQuestion)
		}
		var said organisation.Answer
		if _, err := c.gateway.Do(ctx, http.MethodPost, "/v1/ask", organisation.Question{Text: text}, &said); err != nil {
			a.answer.Note = c.unreached(err)
			return
		}
		a.answer = c.harmless(said)
	}()
	return a
}

// Wait returns the hits, and a note about missing parts. It waits at most [Within], counted from the
// question.
func (a *Asked) Wait() ([]organisation.Hit, string) {
	<-a.done
	return a.answer.Hits, a.answer.Note
}

// Ready reports whether Wait returns at once.
func (a *Asked) Ready() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

func (c *Client) unreached(err error) string {
	var refused *outbound.Status
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("the organisation was not reached: %s gave no answer within %d ms", c.Origin(), c.within.Milliseconds())
	case errors.As(err, &refused) && refused.Code == http.StatusUnauthorized:
		return fmt.Sprintf("the organisation was not asked: %s refused the token; check brv.organisation.tokenFile", c.Origin())
	}
	return "the organisation was not reached: " + line(err.Error(), maxNote)
}

// harmless bounds an answer, and removes text that no gateway sends.
func (c *Client) harmless(said organisation.Answer) organisation.Answer {
	out := organisation.Answer{Note: line(said.Note, maxNote)}
	for _, h := range said.Hits[:min(len(said.Hits), organisation.MaxHits)] {
		if !organisation.IsRepository(h.Repository) || organisation.CheckPath(h.Path) != nil {
			continue
		}
		h.Title, h.Passage, h.Score = line(h.Title, maxTitle), harmlessText(h.Passage), min(1, max(0, h.Score))
		if !strings.HasPrefix(h.Link, "https://") || strings.ContainsFunc(h.Link, endsLink) {
			h.Link = ""
		}
		if len(out.Hits) > 0 {
			h.Score = min(h.Score, out.Hits[len(out.Hits)-1].Score)
		}
		out.Hits = append(out.Hits, h)
	}
	return out
}

// endsLink reports whether a character may end an address in Markdown, or is hidden in one.
func endsLink(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("<>()[]\\\"`", r) }

func line(text string, most int) string { return sanitize.Disarm(sanitize.Line(text, most)) }

// harmlessText is a passage that runs nothing, fetches nothing, hides nothing and holds no credential.
func harmlessText(text string) string {
	text = sanitize.Cut(strings.ToValidUTF8(text, "�"), maxPassage)
	return sanitize.Disarm(sanitize.Quote(secrets.Redact(text)))
}
