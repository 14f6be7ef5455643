package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// stuck is a client that takes nothing until it is closed.
type stuck struct{ closed chan struct{} }

func (s stuck) Write([]byte) (int, error) {
	<-s.closed
	return 0, io.ErrClosedPipe
}

func TestClientThatDoesNotReadEndsTheSession(t *testing.T) {
	client := stuck{make(chan struct{})}
	s := newStream(bytes.NewReader(nil), client, slog.New(slog.DiscardHandler))
	s.stall = time.Millisecond
	go s.writeLoop()
	note := jsonrpc2.NewNotification("x", nil)
	if _, err := s.Write(context.Background(), note); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	if _, err := s.Write(context.Background(), note); err == nil {
		t.Error("a write after the end succeeded")
	}
	close(client.closed)
	<-s.drained
}

func TestQueueIsBounded(t *testing.T) {
	s := newStream(bytes.NewReader(nil), io.Discard, slog.New(slog.DiscardHandler)) // and nobody writes
	large := append(bytes.Repeat([]byte(" "), 1<<20), "{}"...)
	n := 0
	for ; n < 100; n++ {
		if _, err := s.Write(context.Background(), jsonrpc2.NewNotification("x", large)); err != nil {
			break
		}
	}
	if n < 60 || n > 64 {
		t.Errorf("%d MiB were queued", n)
	}
	<-s.ended
}

func TestDepth(t *testing.T) {
	for body, want := range map[string]bool{
		``: false, `"`: false, `"\`: false, `"\"`: false, `{"a":"[[["}`: false,
		strings.Repeat("[", maxDepth): false, strings.Repeat("[", maxDepth+1): true,
		`["\\",` + strings.Repeat("{", maxDepth): true, `["\"` + strings.Repeat("[", maxDepth+1): false,
		strings.Repeat("[]", 2*maxDepth): false,
	} {
		if got := tooDeep([]byte(body)); got != want {
			t.Errorf("%.40s: %v", body, got)
		}
	}
}

// A body may begin with byte order marks, as other JSON that programs send.
func TestMarksBeforeABodyAreNoPartOfIt(t *testing.T) {
	const body = "\ufeff\ufeff" + `{"jsonrpc":"2.0","method":"x","id":1}`
	s := newStream(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)), io.Discard, slog.New(slog.DiscardHandler))
	if msg, _, err := s.Read(context.Background()); err != nil || !strings.Contains(fmt.Sprintf("%+v", msg), "x") {
		t.Errorf("%+v, %v", msg, err)
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":1}  "))
	f.Add([]byte("\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := newStream(bytes.NewReader(raw), io.Discard, slog.New(slog.DiscardHandler))
		for {
			if _, _, err := s.Read(context.Background()); err != nil {
				break
			}
		}
		if cap(s.body) > 4*len(raw)+bodyChunk {
			t.Errorf("%d bytes made a buffer of %d", len(raw), cap(s.body))
		}
	})
}
