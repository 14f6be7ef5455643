package remote

import (
	"context"
	"net/http"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
)

// The providers' own addresses.
const (
	defaultOpenAI    = "https://api.openai.com"
	defaultAnthropic = "https://api.anthropic.com"
)

// Origin returns the scheme, host and port of an endpoint, to which a key is bound, or an error for an invalid
// endpoint. It is in lower case and without the scheme's default port.
func Origin(p Protocol, address string) (string, error) {
	e, err := parse(p, address)
	return e.Origin, err
}

// parse parses an endpoint. Its errors do not quote the endpoint, which may contain a password.
func parse(p Protocol, address string) (outbound.Address, error) {
	tail := "/chat/completions"
	switch {
	case p != OpenAI && p != Anthropic && p != Embeddings:
		return outbound.Address{}, &Error{Kind: KindAddress, what: "unknown protocol; use openai or anthropic",
			hint: "check brv.model.provider"}
	case address == "" && p == OpenAI:
		address = defaultOpenAI + "/v1"
	case address == "" && p == Anthropic:
		address = defaultAnthropic + "/v1"
	}
	switch p {
	case Anthropic:
		tail = "/messages"
	case Embeddings:
		tail = "/embeddings"
	}
	at, err := outbound.Parse(address)
	if err != nil {
		return at, &Error{Kind: KindAddress, what: err.Error(), hint: "check brv.model.endpoint"}
	}
	at.Base = strings.TrimRight(strings.TrimSuffix(at.Base, tail), "/")
	return at, nil
}

func newRequest(ctx context.Context, address string, body []byte) (*http.Request, error) {
	r, err := outbound.NewRequest(ctx, http.MethodPost, address, body)
	if err == nil {
		r.Header.Set("Accept", "text/event-stream, application/json")
	}
	return r, err
}
