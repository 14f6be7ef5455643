package syntax

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/brv-lsp/brv-lsp/internal/quota"
)

// ahead is how many requests a worker reads while it parses. It is more than a parent sends, so that the parent
// never waits for the pipe.
const ahead = 2 * depth

// The worker's Go heap holds one file at a time and its captures. It is collected rarely, since that costs more
// than the memory: at four times its live size (a few MB), and before it grows over workerHeap bytes.
const (
	workerGC   = 400
	workerHeap = 256 << 20
)

// workerMemory bounds the memory that a worker may use beyond that at its start, in bytes. The largest allowed
// file needs about 150 MB.
const workerMemory = 1 << 30

// WorkerMain is the whole program of a worker. It reads requests from stdin and writes answers to stdout until
// stdin ends, and returns the exit code. It returns when stdin ends even if a parse hangs, so that no worker
// outlives the program that started it. The caller must exit the process then.
func WorkerMain(stdin io.Reader, stdout io.Writer) int {
	quota.Memory(workerMemory)
	debug.SetGCPercent(workerGC)
	debug.SetMemoryLimit(workerHeap)
	requests := make(chan *request, ahead)
	ended := make(chan error, 1)
	go func() {
		in := newReceiver(stdin)
		for {
			req, err := in.request()
			if err != nil {
				ended <- err
				return
			}
			requests <- req
		}
	}()
	failed := make(chan error, 1)
	go serve(requests, stdout, failed)
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return 0
		}
	case <-failed:
	}
	return 1
}

// serve answers one request after the other.
func serve(requests <-chan *request, stdout io.Writer, failed chan<- error) {
	p := newParser()
	var buf []byte
	for req := range requests {
		f := reply(p, req)
		buf = appendAnswer(buf[:0], &f)
		if _, err := stdout.Write(buf); err != nil {
			failed <- err
			return
		}
		if cap(buf) > keepBuffer {
			buf = nil
		}
	}
}

// reply parses one file; a panic becomes a reason.
func reply(p *parser, req *request) (f File) {
	defer func() {
		if r := recover(); r != nil {
			f = File{Partial: fmt.Sprintf("not parsed: %v", r)}
		}
	}()
	return p.parse(req.Request, req.Limit)
}
