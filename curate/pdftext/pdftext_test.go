package pdftext

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestMain makes the test binary its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerArg {
		os.Exit(WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

var (
	objects = regexp.MustCompile(`(?m)^(\d+) 0 obj`)
	streams = regexp.MustCompile(`(?s)LENGTH(.*?)stream\n(.*?)\nendstream`)
)

// built is the PDF of its parts.
func built(parts string) []byte {
	parts = streams.ReplaceAllStringFunc(parts, func(s string) string {
		m := streams.FindStringSubmatch(s)
		return strings.Replace(s, "LENGTH", strconv.Itoa(len(m[2])), 1)
	})
	body, trailer, _ := strings.Cut(parts, "trailer")
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	b.WriteString(body)
	start := b.Len()
	if i := bytes.Index(b.Bytes(), []byte("\nxref\n")); i >= 0 {
		start = i + 1
	} else {
		at := objects.FindAllSubmatchIndex(b.Bytes(), -1)
		fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
		for _, m := range at {
			fmt.Fprintf(&b, "%010d 00000 n \n", m[0])
		}
		if trailer == "" {
			trailer = fmt.Sprintf(" << /Size %d /Root 1 0 R >>\n", len(at)+1)
		}
	}
	if trailer != "" {
		b.WriteString("trailer" + trailer)
	}
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// short is as long as a test waits for what never ends.
const short = 300 * time.Millisecond

func TestConvert(t *testing.T) {
	const file = "testdata/files.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil || len(a.Files) == 0 {
		t.Fatal(err)
	}
	for i := 0; i < len(a.Files); i += 2 {
		t.Run(a.Files[i].Name, func(t *testing.T) {
			o := Options{}
			if strings.Contains(string(a.Files[i+1].Data), short.String()) {
				o.KillAfter = short
				if strings.Contains(a.Files[i].Name, "parents") {
					o.KillAfter = 2 * time.Second // the first page must get its turn on a busy machine
				}
			}
			got := shown(Convert(t.Context(), built(string(a.Files[i].Data)), o))
			got = strings.ReplaceAll(got, o.KillAfter.String(), short.String())
			if *update {
				a.Files[i+1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[i+1].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func shown(text Text, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if text.Note != "" {
		text.Text += "\nnote: " + text.Note
	}
	return text.Text + "\n"
}

// onePage is a PDF whose page has this content. Unlike [built] it does not look at it,
// which takes long where it is large.
func onePage(content string, filter string) []byte {
	head := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R >> endobj\n4 0 obj << " + filter +
		fmt.Sprintf(" /Length %d >> stream\n", len(content))
	var b bytes.Buffer
	b.WriteString(head + content + "\nendstream endobj\n")
	start := b.Len()
	b.WriteString("xref\n0 5\n0000000000 65535 f \n")
	for _, m := range objects.FindAllStringIndex(head, -1) {
		fmt.Fprintf(&b, "%010d 00000 n \n", m[0])
	}
	fmt.Fprintf(&b, "trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// deflated compresses a head and a text n times over. Of a third time on it repeats the
// compressed bytes, which mean the same behind the same text; the checksum is wrong then.
func deflated(head, text string, n int) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(head))
	second := 0
	for range min(n, 2) {
		second = b.Len()
		w.Write([]byte(text))
		w.Flush()
	}
	again := strings.Repeat(b.String()[second:], max(0, n-2))
	if n > 2 {
		return b.String() + again + "\x01\x00\x00\xff\xff\x00\x00\x00\x00"
	}
	w.Close()
	return b.String()
}

const flate = "/Filter /FlateDecode"

// A stream that unpacks to gigabytes ends at the limit of text, or with the worker;
// this process does not grow.
func TestBombs(t *testing.T) {
	long := strings.Repeat("lorem ipsum ", 1<<20/12)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"of text", onePage(deflated("", strings.Repeat("(lorem ipsum) Tj\n", 1000), 2000), flate), "cut to 40000 characters"},
		{"of blanks", onePage(deflated("", strings.Repeat(" ", 1<<20), 4096), flate), "error: "},
		{"of operands", onePage(deflated("", strings.Repeat("1 ", 1<<19), 4096), flate), "error: "},
		{"of one string", onePage(deflated("(", long, 4096), flate), "error: "},
		{"of columns", onePage(deflated("", strings.Repeat("\x02 (a) Tj", 1<<17), 4096),
			flate+" /DecodeParms << /Predictor 12 /Columns 400000000 >>"), "takes more than 256 MiB of memory"},
		{"of depth", onePage(deflated("", strings.Repeat("[", 1<<20), 4096), flate), "error: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.data) > MaxFile {
				t.Fatalf("%d bytes", len(c.data))
			}
			o := Options{KillAfter: 2 * short}
			if !strings.HasPrefix(c.want, "error: ") {
				o.KillAfter = 0 // it ends by itself
			}
			got, err := Convert(t.Context(), c.data, o)
			if s := shown(got, err); !strings.Contains(s, c.want) || utf8.RuneCountInString(got.Text) > MaxText {
				t.Errorf("%d characters, note %q, error %v", len(got.Text), got.Note, err)
			}
		})
	}
}

func TestLimitsOfAFile(t *testing.T) {
	if _, err := Convert(t.Context(), make([]byte, MaxFile+1), Options{}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := Convert(t.Context(), []byte("%PDF-1.4\n"), Options{}); err == nil {
		t.Error("a header is no PDF")
	}
	newer := bytes.Replace(onePage("(PDF 2) Tj", ""), []byte("%PDF-1.4\n"), []byte("%PDF-2.0\n"), 1)
	if got, err := Convert(t.Context(), append(newer, "\r\n<html>"...), Options{}); got.Text != "PDF 2" {
		t.Errorf("%q, %v", got.Text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Convert(ctx, newer, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Convert(t.Context(), newer, Options{Command: []string{"./nothing-is-here"}}); err == nil ||
		!strings.HasPrefix(err.Error(), "PDF worker: ") {
		t.Error(err)
	}
}

// Whatever the bytes, the worker's program neither panics nor says more than it may.
func FuzzPages(f *testing.F) {
	f.Add(onePage("BT (x) Tj [(a) -300 (b)] TJ ET", ""))
	f.Add(onePage(deflated("", "BT (x) Tj ET\n", 2), flate))
	f.Add([]byte("%PDF-1.4\nstartxref\n0\n%%EOF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		ended := make(chan int, 1)
		go func() {
			n := 0
			for p := range pagesOf(bytes.Clone(data)) {
				n += utf8.RuneCountInString(p.Text)
				if !utf8.ValidString(p.Text) {
					n = MaxText + 1
				}
			}
			ended <- n
		}()
		select {
		case n := <-ended:
			if n > MaxText {
				t.Errorf("%d characters", n)
			}
		case <-time.After(5 * time.Second): // a loop: that is what the worker is for
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	data := onePage(strings.Repeat("BT (Refresh tokens are rotated at every use.) Tj ET\n", 400), "")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Convert(b.Context(), data, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
