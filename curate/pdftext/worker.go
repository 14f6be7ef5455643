package pdftext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"github.com/brv-lsp/brv-lsp/internal/quota"
)

// What a worker's heap is kept below while that is possible, and how much memory it may take
// at all beyond what it has at its start, in bytes: the largest file takes 60 MB while it is read, and what is unpacked
// of it at once is a page. A heap that has nothing to give back ends the worker.
const (
	workerHeap   = 128 << 20
	workerMemory = 256 << 20
)

// WorkerMain is the worker's whole program: it reads a PDF from stdin, writes its
// pages to stdout, and returns the exit code. Should its parent die it ends by itself.
func WorkerMain(stdin io.Reader, stdout io.Writer) int {
	time.AfterFunc(KillAfter+time.Second, func() { os.Exit(1) })
	quota.Memory(workerMemory)
	debug.SetMemoryLimit(workerHeap)
	data, err := io.ReadAll(io.LimitReader(stdin, MaxFile+1))
	if err != nil || len(data) > MaxFile {
		return 1
	}
	enc := json.NewEncoder(stdout)
	for p := range pagesOf(data) {
		if enc.Encode(p) != nil {
			return 1
		}
	}
	return 0
}

// pagesOf gives a line with the number of pages or the file's error, then one for
// each page.
func pagesOf(data []byte) func(yield func(page) bool) {
	return func(yield func(page) bool) {
		data := usual(data)
		var r *pdf.Reader
		n := 0
		err := safely(func() (err error) {
			if r, err = pdf.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
				n = r.NumPage()
			}
			return err
		})
		switch {
		case errors.Is(err, pdf.ErrInvalidPassword) || err != nil && strings.Contains(err.Error(), "encrypt"):
			yield(page{Error: err.Error(), Encrypted: true})
			return
		case err == nil && n <= 0:
			err = errors.New("it has no pages")
		}
		if err != nil {
			yield(page{Error: err.Error()})
			return
		}
		if !yield(page{Pages: n}) {
			return
		}
		left := MaxText
		for i := 1; i <= min(n, MaxPages); i++ {
			p := pageText(r, i, left)
			left -= utf8.RuneCountInString(p.Text)
			if !yield(p) || p.Full {
				return
			}
		}
	}
}

// usual makes of a file one that the library takes: it knows versions up to 1.7, whose
// difference from 2.0 is not in the text, and no bytes behind the end, which may be
// within the last 1,024 (ISO 32000-1, annex H.3, notes 13 and 18).
func usual(data []byte) []byte {
	tail := max(0, len(data)-1024)
	if i := bytes.LastIndex(data[tail:], []byte("%%EOF")); i >= 0 {
		data = data[:tail+i+len("%%EOF")]
	}
	if len(data) > 8 && bytes.HasPrefix(data, []byte("%PDF-")) {
		copy(data[5:], "1.7")
		if data[8] != '\r' {
			data[8] = '\n'
		}
	}
	return data
}

// safely turns a panic of the library into an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil && p != any(errFull) {
			err = fmt.Errorf("malformed PDF: %s", strings.TrimPrefix(fmt.Sprint(p), "malformed PDF: "))
		}
	}()
	return f()
}

// errFull ends a page whose text is too much.
var errFull = errors.New("full")

// pageText is the text of a page, at most so many characters of it.
func pageText(r *pdf.Reader, number, most int) page {
	w := &writer{left: most, fonts: map[string]*pdf.Font{}}
	err := safely(func() error {
		w.page = r.Page(number)
		contents := w.page.V.Key("Contents")
		if kind := contents.Kind(); kind == pdf.Stream || kind == pdf.Array {
			pdf.Interpret(contents, w.operator)
		}
		return nil
	})
	w.line()
	p := page{Text: w.b.String(), Full: w.full}
	if err != nil {
		p.Error = err.Error()
	}
	return p
}

// gap is how far a text is moved on inside of a line, in thousandths of the font's
// size, to be read as a space: a space has 250 or more in usual fonts, kerning less
// than 100.
const gap = 180

// writer collects the text that a page shows.
type writer struct {
	page  pdf.Page
	fonts map[string]*pdf.Font
	enc   pdf.TextEncoding
	b     strings.Builder
	left  int // characters
	full  bool
	y     float64 // of the line, as Tm sets it
}

// operator is called for each operator of a page (ISO 32000-1, section 9.4).
func (w *writer) operator(stk *pdf.Stack, op string) {
	args := make([]pdf.Value, stk.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stk.Pop()
	}
	last := func() pdf.Value {
		if len(args) == 0 {
			return pdf.Value{}
		}
		return args[len(args)-1]
	}
	switch op {
	case "BT", "ET", "T*":
		w.line()
	case "Td", "TD":
		if len(args) == 2 && args[1].Float64() == 0 {
			w.space()
		} else {
			w.line()
		}
	case "Tm":
		if y := last().Float64(); y != w.y {
			w.line()
			w.y = y
		} else {
			w.space()
		}
	case "Tf":
		if len(args) == 2 {
			w.font(args[0].Name())
		}
	case "'", `"`:
		w.line()
		w.show(last())
	case "Tj":
		w.show(last())
	case "TJ":
		for i, v := 0, last(); i < v.Len(); i++ {
			switch x := v.Index(i); x.Kind() {
			case pdf.String:
				w.show(x)
			case pdf.Integer, pdf.Real:
				if x.Float64() < -gap {
					w.space()
				}
			}
		}
	}
}

func (w *writer) font(name string) {
	f, ok := w.fonts[name]
	if !ok {
		found := w.page.Font(name)
		f = &found
		w.fonts[name] = f
	}
	w.enc = f.Encoder()
}

// show writes a string. The panic at its end is the only way out of the interpreter.
func (w *writer) show(v pdf.Value) {
	if v.Kind() != pdf.String {
		return
	}
	text := v.RawString()
	if w.enc != nil {
		text = w.enc.Decode(text)
	}
	text = strings.ToValidUTF8(text, "")
	for i := range text {
		if w.left == 0 {
			w.b.WriteString(text[:i])
			w.full = true
			panic(errFull)
		}
		w.left--
	}
	w.b.WriteString(text)
}

func (w *writer) line()  { w.separate('\n') }
func (w *writer) space() { w.separate(' ') }

// separate puts a character between two texts, of several only one.
func (w *writer) separate(with byte) {
	s := w.b.String()
	if s == "" || s[len(s)-1] == '\n' || s[len(s)-1] == ' ' && with == ' ' || w.left == 0 {
		return
	}
	w.left--
	w.b.WriteByte(with)
}
