package syntax

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"
)

// Between parent and worker each message is a frame: its length as four bytes,
// big endian, then that many bytes of one gob stream per direction. The stream
// keeps gob's type descriptions from being sent again with every file; the
// frame bounds what either side will read.

// maxFrame bounds one message. A request is at most MaxSource and its path; an
// answer is bounded by maxMatches.
const maxFrame = 64 << 20

var errFrame = errors.New("damaged frame")

// request and answer are what travels.
type request struct {
	Request Request
	Limit   time.Duration
}

type answer struct{ File File }

// sender writes messages of type T.
type sender[T any] struct {
	w   io.Writer
	buf bytes.Buffer
	enc *gob.Encoder
}

func newSender[T any](w io.Writer) *sender[T] {
	s := &sender[T]{w: w}
	s.enc = gob.NewEncoder(&s.buf)
	return s
}

func (s *sender[T]) send(v *T) error {
	s.buf.Reset()
	s.buf.Write(make([]byte, 4))
	if err := s.enc.Encode(v); err != nil {
		return err
	}
	size := s.buf.Len() - 4
	if size > maxFrame {
		return fmt.Errorf("%w: %d bytes", errFrame, size)
	}
	binary.BigEndian.PutUint32(s.buf.Bytes(), uint32(size))
	_, err := s.w.Write(s.buf.Bytes())
	return err
}

// receiver reads messages of type T.
type receiver[T any] struct {
	r   *bufio.Reader
	buf bytes.Buffer
	dec *gob.Decoder
}

func newReceiver[T any](r io.Reader) *receiver[T] {
	v := &receiver[T]{r: bufio.NewReader(r)}
	v.dec = gob.NewDecoder(&v.buf)
	return v
}

// receive returns io.EOF if the stream ends between two messages.
func (v *receiver[T]) receive() (*T, error) {
	var head [4]byte
	if _, err := io.ReadFull(v.r, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > maxFrame {
		return nil, fmt.Errorf("%w: %d bytes", errFrame, size)
	}
	v.buf.Reset()
	if _, err := io.CopyN(&v.buf, v.r, size); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	out := new(T)
	if err := v.dec.Decode(out); err != nil {
		return nil, fmt.Errorf("%w: %v", errFrame, err)
	}
	if v.buf.Len() > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", errFrame, v.buf.Len())
	}
	return out, nil
}
