package syntax

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Between parent and worker each message is a frame: its length as four bytes,
// big endian, then that many bytes. A request's are the limit in microseconds,
// the language, the path and the source, the texts with their lengths before
// them as varints; an answer's are the compact form of a File. A parent sends
// requests ahead; the answers come in the same order.

// maxFrame bounds one message. A request is at most MaxSource and its path; an
// answer is bounded by maxMatches.
const maxFrame = 64 << 20

var errFrame = errors.New("damaged frame")

// request is a message to a worker.
type request struct {
	Request
	Limit time.Duration
}

// appendRequest appends a request's frame to b.
func appendRequest(b []byte, r *request) []byte {
	return appendFrame(b, func(b []byte) []byte {
		b = binary.AppendUvarint(b, uint64(max(0, r.Limit.Microseconds())))
		b = appendText(b, string(r.Language))
		b = appendText(b, r.Path)
		b = binary.AppendUvarint(b, uint64(len(r.Source)))
		return append(b, r.Source...)
	})
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendAnswer appends an answer's frame to b. A File that no frame can hold is
// replaced by the reason.
func appendAnswer(b []byte, f *File) []byte {
	start := len(b)
	b = appendFrame(b, f.Append)
	if len(b)-start-4 > maxFrame {
		f = &File{Partial: "no syntax: too many symbols"}
		b = appendFrame(b[:start], f.Append)
	}
	return b
}

// appendFrame appends what write appends, with its length before it.
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

// keepBuffer is the largest buffer that is kept from frame to frame.
const keepBuffer = 1 << 20

// next returns the next frame, which is good until the call after it, or io.EOF
// if the stream ends between two frames.
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
	for len(b) < size { // no more is allocated than has arrived, doubled
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
	return DecodeFile(b)
}

// request reads the next frame as a request, which keeps nothing of the frame.
func (v *receiver) request() (*request, error) {
	b, err := v.next()
	if err != nil {
		return nil, err
	}
	limit, n := binary.Uvarint(b)
	if n <= 0 || limit > math.MaxInt64/uint64(time.Microsecond) {
		return nil, errFrame
	}
	r := &request{Limit: time.Duration(limit) * time.Microsecond}
	texts := [3][]byte{}
	b = b[n:]
	for i := range texts {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return nil, errFrame
		}
		texts[i], b = b[n:n+int(size)], b[n+int(size):]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", errFrame, len(b))
	}
	r.Language, r.Path = Language(texts[0]), string(texts[1])
	r.Source = append([]byte(nil), texts[2]...)
	return r, nil
}
