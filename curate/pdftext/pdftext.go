// Package pdftext takes the text out of a PDF, in a worker process that is killed
// when it takes too long.
//
// A PDF is a program for drawing pages, with objects that refer to each other in any
// way. A file that was made to harm can loop in its page tree, unpack to gigabytes or
// meet a mistake of the library, and nothing inside a process can stop a goroutine
// that does not end. So [Convert] starts the program itself again with [WorkerArg] as
// its argument, sends the file through a pipe and reads page by page what comes back;
// the program's main function hands that argument to [WorkerMain]. A worker that is
// killed leaves the pages that it had read.
//
// Text is what the operators of a page show, in the order of the file, one line for
// each line that the page sets. Text in columns, tables and forms comes in that order
// too; text in pictures is none. Nothing is decrypted but what needs no password.
//
// Limits: files of [MaxFile] bytes, [MaxPages] pages, [MaxText] characters,
// [KillAfter] of wall time, and on Linux 256 MiB of memory (package quota).
package pdftext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/quota"
)

// WorkerArg is the command-line argument that makes the program a worker.
const WorkerArg = "pdf-worker"

// The limits of one file.
const (
	MaxFile   = 20 << 20         // bytes; own choice: a book without pictures has five
	MaxPages  = 500              // pages that are looked at
	MaxText   = 40_000           // characters of text (paper, section 4.1.1: of one source)
	KillAfter = 10 * time.Second // wall time until the worker is killed; a page takes milliseconds
)

// maxReply bounds what is read from a worker, in bytes: the text in JSON, where a
// character can take twelve bytes, and a line for each page.
const maxReply = 12*MaxText + 256*MaxPages

// The reasons for which a file has no text; test with [errors.Is].
var (
	ErrEncrypted = errors.New("it is encrypted")
	ErrNoText    = errors.New("no text in it; pictures of text are not read")
	ErrTooLarge  = fmt.Errorf("a PDF may have at most %d MiB", MaxFile>>20)
)

// Text is what a PDF says.
type Text struct {
	Text  string
	Read  int    // pages that Text is of, from the first
	Pages int    // pages that the file says it has
	Note  string // why it is not all, "" if it is
}

// page is one line of the worker's reply.
type page struct {
	Pages     int    `json:"pages,omitempty"` // of the file; the first line says so
	Text      string `json:"text,omitempty"`
	Error     string `json:"error,omitempty"`     // the page's, or the file's if there are no pages
	Encrypted bool   `json:"encrypted,omitempty"` // Error is that
	Full      bool   `json:"full,omitempty"`      // there is more text than MaxText
}

// Options are for tests and for programs that are not their own worker.
type Options struct {
	Command   []string      // the worker; this program with [WorkerArg] if empty
	KillAfter time.Duration // [KillAfter] if zero
}

// Convert takes the text out of a PDF. The end of ctx kills the worker.
func Convert(ctx context.Context, data []byte, o Options) (Text, error) {
	if len(data) > MaxFile {
		return Text{}, ErrTooLarge
	}
	if o.KillAfter == 0 {
		o.KillAfter = KillAfter
	}
	if len(o.Command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return Text{}, fmt.Errorf("PDF worker: %w", err)
		}
		o.Command = []string{exe, WorkerArg}
	}
	within, cancel := context.WithTimeout(ctx, o.KillAfter)
	defer cancel()
	out, err := converse(within, o.Command, data)
	switch {
	case ctx.Err() != nil:
		return Text{}, ctx.Err()
	case within.Err() != nil:
		err = fmt.Errorf("reading it took more than %v", o.KillAfter)
	}
	return out.finish(err)
}

// reading is what came of a worker so far.
type reading struct {
	Text
	refused error // the file's own error
	wrong   string
	full    bool
	ended   bool // the worker said all it had
}

// converse runs a worker over a file.
func converse(ctx context.Context, command []string, data []byte) (r reading, err error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none"} // a worker needs nothing of ours
	cmd.Stdin = bytes.NewReader(data)
	cmd.WaitDelay = time.Second
	stderr := &head{left: 4 << 10}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return r, fmt.Errorf("PDF worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("PDF worker: %w", err)
	}
	r.take(stdout)
	if !r.ended {
		_ = cmd.Process.Kill()
	}
	if err := cmd.Wait(); err != nil && !r.ended {
		if quota.OutOfMemory(stderr.text.String()) {
			return r, fmt.Errorf("reading it takes more than %d MiB of memory", workerMemory>>20)
		}
		return r, fmt.Errorf("its reader failed: the file is damaged, or takes more than %d MiB of memory", workerMemory>>20)
	}
	return r, nil
}

// head keeps the beginning of what is written to it.
type head struct {
	text strings.Builder
	left int
}

func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), h.left)
	h.text.Write(b[:n])
	h.left -= n
	return len(b), nil
}

// take reads a worker's reply.
func (r *reading) take(stdout io.Reader) {
	var b strings.Builder
	dec := json.NewDecoder(io.LimitReader(stdout, maxReply))
	for {
		var p page
		if err := dec.Decode(&p); err != nil {
			r.ended = err == io.EOF && r.Pages > 0 && (r.full || r.Read == min(r.Pages, MaxPages)) || r.refused != nil
			break
		}
		switch {
		case p.Encrypted:
			r.refused = ErrEncrypted
		case r.Pages == 0 && p.Error != "":
			r.refused = errors.New(oneLine(p.Error))
		case r.Pages == 0:
			r.Pages = max(p.Pages, 1)
		default:
			r.Read++
			r.full = r.full || p.Full
			b.WriteString(p.Text)
			if p.Error != "" && r.wrong == "" {
				r.wrong = fmt.Sprintf("page %d: %s", r.Read, oneLine(p.Error))
			}
		}
	}
	r.Text.Text = strings.TrimSpace(b.String())
}

// finish says what came out; err is why the worker ended early.
func (r reading) finish(err error) (Text, error) {
	t := r.Text
	if r.refused != nil {
		return Text{}, r.refused
	}
	if t.Text == "" {
		switch {
		case err != nil:
			return Text{}, err
		case r.wrong != "":
			return Text{}, errors.New(r.wrong)
		}
		return Text{}, ErrNoText
	}
	var notes []string
	if t.Read < t.Pages || r.full {
		notes = append(notes, fmt.Sprintf("the text of pages 1 to %d of %d", t.Read, t.Pages))
	}
	if r.full {
		notes = append(notes, fmt.Sprintf("cut to %d characters", utf8.RuneCountInString(t.Text)))
	}
	if r.wrong != "" {
		notes = append(notes, "some text could not be read ("+r.wrong+")")
	}
	if err != nil {
		notes = append(notes, err.Error())
	}
	t.Note = strings.Join(notes, "; ")
	return t, nil
}

// oneLine is an error of the library as part of a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
