package syntax

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// Each message between parent and worker is a frame: its length as four bytes, big endian, then that many bytes in
// the form of package codec. A frame is a request, or its answer, the compact form of a File. A parent sends
// requests ahead; the answers come in the same order.

// maxFrame bounds one message. A request has at most maxSource bytes and a path; maxMatches bounds an answer.
const maxFrame = 64 << 20

var errFrame = errors.New("damaged frame")

// request is a message to a worker.
type request struct {
	Request
	Limit time.Duration
}

// appendRequest appends a request's frame to b.
func appendRequest(b []byte, r *request) []byte {
	return appendFrame(b, func(b []byte) []byte { return codec.Append(b, r.describe) })
}

func (r *request) describe(c *codec.Coder) {
	codec.Uint(c, &r.Limit)
	c.Text((*string)(&r.Language), &r.Path)
	c.Bytes(&r.Source)
}

// appendAnswer appends an answer's frame to b. A File that no frame can hold is
// replaced by the reason.
func appendAnswer(b []byte, f *File) []byte {
	start := len(b)
	b = appendFrame(b, f.Append)
	if len(b)-start-4 > maxFrame {
		f = &File{Partial: "not parsed: too many symbols"}
		b = appendFrame(b[:start], f.Append)
	}
	return b
}

// appendFrame appends the output of write, with its length before it.
func appendFrame(b []byte, write func([]byte) []byte) []byte {
	start := len(b)
	b = write(append(b, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

// receiver reads frames one after the other.
type receiver struct {
	r   *bufio.Reader
	buf []byte
}

func newReceiver(r io.Reader) *receiver { return &receiver{r: bufio.NewReaderSize(r, 1<<16)} }

// keepBuffer is the largest buffer that is kept for the next frame.
const keepBuffer = 1 << 20

// next returns the next frame, which is valid until the next call. It returns io.EOF if the stream ends between
// two frames.
func (v *receiver) next() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(v.r, head[:]); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[:]))
	if size > maxFrame {
		return nil, fmt.Errorf("%w: %d bytes", errFrame, size)
	}
	b := v.buf[:0]
	for len(b) < size { // memory grows with what has arrived, by doubling
		n := min(size-len(b), max(len(b), keepBuffer))
		b = append(b, make([]byte, n)...)
		if _, err := io.ReadFull(v.r, b[len(b)-n:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	v.buf = nil
	if cap(b) <= keepBuffer {
		v.buf = b
	}
	return b, nil
}

// answer reads the next frame as an answer.
func (v *receiver) answer() (File, error) {
	b, err := v.next()
	if err != nil {
		return File{}, err
	}
	return decodeFile(b)
}

// request reads the next frame as a request, which keeps nothing of the frame.
func (v *receiver) request() (*request, error) {
	b, err := v.next()
	if err != nil {
		return nil, err
	}
	r := &request{}
	if err := codec.Decode(b, r.describe); err != nil {
		return nil, err
	}
	r.Source = bytes.Clone(r.Source)
	return r, nil
}
