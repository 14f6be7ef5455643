package outbound

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Client asks one address in JSON. It prints without its key.
type Client struct {
	at        Address
	authorize func(http.Header)
	transport http.RoundTripper
	most      int
}

// NewClient returns a client; it opens no connection. Most is the number of bytes of an answer that are read, and
// authorize adds the key to a request, nil for none.
func NewClient(at Address, authorize func(http.Header), most int) *Client {
	return &Client{at: at, authorize: authorize, transport: at.Transport(), most: most}
}

// Bearer adds a token to requests; nil for no token.
func Bearer(token string) func(http.Header) {
	if token == "" {
		return nil
	}
	return func(h http.Header) { h.Set("Authorization", "Bearer "+token) }
}

// Origin is whom the client asks.
func (c *Client) Origin() string { return c.at.Origin }

// String is the origin alone.
func (c *Client) String() string { return c.at.Origin }

// Status is the error for an unsuccessful answer. Said is the body's beginning, in one line, without
// credentials.
type Status struct {
	Origin string
	Code   int
	Said   string
}

// Error names the server and its message.
func (s *Status) Error() string {
	text := fmt.Sprintf("%s refused the request (HTTP %d)", s.Origin, s.Code)
	if s.Code/100 == 3 {
		text = fmt.Sprintf("%s redirects (HTTP %d), and redirects are not followed", s.Origin, s.Code)
	}
	if s.Said != "" {
		text += ": " + s.Said
	}
	return text
}

// maxSaid bounds the quoted part of a refusal, in bytes.
const maxSaid = 300

// Do sends a request and decodes the answer's JSON into a value. The body is bytes or a value to be encoded
// as JSON, nil for none. Path and its query follow the address. The error of an unsuccessful status is a
// [*Status], and every error is within the context's deadline.
func (c *Client) Do(ctx context.Context, method, path string, send, into any) (http.Header, error) {
	raw, whole := send.([]byte)
	if !whole && send != nil {
		var err error
		if raw, err = json.Marshal(send); err != nil {
			return nil, err
		}
	}
	r, err := NewRequest(ctx, method, c.at.Base+path, raw)
	if err != nil {
		return nil, fmt.Errorf("%s is not an address that a request can be sent to", c.at.Origin)
	}
	if c.authorize != nil {
		c.authorize(r.Header)
	}
	response, err := c.transport.RoundTrip(r)
	if err != nil {
		return nil, c.wrong(ctx, err)
	}
	defer response.Body.Close()
	var text []byte
	body, err := Body(response, c.most)
	if err == nil {
		text, err = io.ReadAll(body)
	}
	if response.StatusCode/100 != 2 {
		said := sanitize.Line(secrets.Redact(string(text[:min(len(text), 4*maxSaid)])), maxSaid)
		return response.Header, &Status{c.at.Origin, response.StatusCode, said}
	}
	if err != nil {
		return nil, c.wrong(ctx, err)
	}
	if into == nil {
		return response.Header, nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		what := "the answer cannot be read"
		if strings.HasPrefix(strings.TrimSpace(string(text[:min(len(text), 64)])), "<") {
			what = "the answer is a web page"
		}
		return nil, fmt.Errorf("%s: %s", c.at.Origin, what)
	}
	return response.Header, nil
}

// wrong explains why there is no answer. It leaves out the address, whose path and query may be private.
func (c *Client) wrong(ctx context.Context, err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer in time: %w", c.at.Origin, ctx.Err())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrPacked), errors.Is(err, ErrElsewhere):
		return fmt.Errorf("%s: %w", c.at.Origin, err)
	}
	return fmt.Errorf("%s: cannot be reached: %s", c.at.Origin, sanitize.Line(err.Error(), maxSaid))
}

// The reasons why a body cannot be read.
var (
	ErrTooLarge = errors.New("the answer is too long")
	ErrPacked   = errors.New("the answer is compressed, but not with gzip")
)

// capped is a reader that fails behind so many bytes.
type capped struct {
	from io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, ErrTooLarge
	}
	n, err := c.from.Read(p[:min(len(p), c.left+1)])
	if c.left -= n; c.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}

// Body is an answer's decompressed body of at most so many bytes; a longer one fails with [ErrTooLarge].
// Compression was not requested. Compressed bytes are limited too: empty parts of an archive could come for
// ever and unpack to nothing.
func Body(response *http.Response, most int) (io.Reader, error) {
	raw := &capped{response.Body, most}
	switch packed := strings.ToLower(response.Header.Get("Content-Encoding")); packed {
	case "", "identity":
		return raw, nil
	case "gzip", "x-gzip":
		return &capped{&inflated{from: raw}, most}, nil
	}
	return nil, ErrPacked
}

// inflated unpacks gzip; its header is read with the first byte.
type inflated struct {
	from io.Reader
	zip  *gzip.Reader
}

func (i *inflated) Read(p []byte) (n int, err error) {
	if i.zip == nil {
		if i.zip, err = gzip.NewReader(i.from); err != nil {
			return 0, err
		}
	}
	return i.zip.Read(p)
}
