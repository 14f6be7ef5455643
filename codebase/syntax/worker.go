package syntax

import (
	"errors"
	"fmt"
	"io"
)

// WorkerMain is the worker's whole program: it answers the requests it reads
// from stdin on stdout until stdin ends, and returns the exit code. It returns
// when stdin ends even while a parse hangs, so that no worker outlives the
// program that started it; the caller must exit the process then.
func WorkerMain(stdin io.Reader, stdout io.Writer) int {
	limitWorker()
	requests := make(chan *request)
	ended := make(chan error, 1)
	go func() {
		in := newReceiver[request](stdin)
		for {
			req, err := in.receive()
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
	out := newSender[answer](stdout)
	for req := range requests {
		if err := out.send(reply(p, req)); err != nil {
			failed <- err
			return
		}
	}
}

// reply parses one file; a panic becomes a reason.
func reply(p *parser, req *request) (a *answer) {
	defer func() {
		if r := recover(); r != nil {
			a = &answer{File{Partial: fmt.Sprintf("no syntax: %v", r)}}
		}
	}()
	return &answer{p.parse(req.Request, req.Limit)}
}
