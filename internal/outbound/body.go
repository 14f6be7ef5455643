package outbound

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

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
