package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/llm"
)

var (
	update = flag.Bool("update", false, "rewrite requests and what is wanted in testdata/dialects")
	record = flag.String(
		"record", "", "name of an archive in testdata/dialects: ask its server, with the key in BRV_RECORD_KEY, and keep what it says")
)

// tape plays the exchanges of an archive in their order, or records them. Strictly: another
// request than the next one is an error, and so is one that is left.
type tape struct {
	t       *testing.T
	archive *txtar.Archive
	key     string
	real    http.RoundTripper // nil plays
	next    int
}

func (p *tape) file(name string) *txtar.File {
	i := slices.IndexFunc(p.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &p.archive.Files[i]
}

// put sets a file; what is wanted stays the last.
func (p *tape) put(name string, data []byte) {
	if f := p.file(name); f != nil {
		f.Data = data
		return
	}
	at := len(p.archive.Files)
	if w := p.file("want"); w != nil {
		at = slices.IndexFunc(p.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	}
	p.archive.Files = slices.Insert(p.archive.Files, at, txtar.File{Name: name, Data: data})
}

func (p *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	p.next++
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	asked, answer := fmt.Sprintf("%d.request", p.next), fmt.Sprintf("%d.response", p.next)
	got := p.format(r, body)
	if *update || p.real != nil {
		p.put(asked, got)
	}
	if want := p.file(asked); want == nil {
		return nil, fmt.Errorf("no request %d is on the tape", p.next)
	} else if diff := cmp.Diff(string(want.Data), string(got)); diff != "" {
		p.t.Errorf("%s (-want +got)\n%s", asked, diff)
	}
	if p.real != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		response, err := p.real.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		p.put(answer, p.keep(response))
	}
	f := p.file(answer)
	if f == nil {
		return nil, fmt.Errorf("no response %d is on the tape", p.next)
	}
	head, text, _ := bytes.Cut(f.Data, []byte("\n\n"))
	head = append(bytes.ReplaceAll(head, []byte("\n"), []byte("\r\n")), "\r\n\r\n"...)
	return http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(text))), r)
}

// format is a request for people, without the key.
func (p *tape) format(r *http.Request, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.URL)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.ReplaceAll(r.Header.Get(name), p.key, "[key]"))
	}
	b.WriteString("\n")
	json.Indent(&b, body, "", "  ")
	b.WriteString("\n")
	return b.Bytes()
}

// keep is a response as it stands on the tape.
func (p *tape) keep(r *http.Response) []byte {
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		p.t.Fatal(err)
	}
	out := fmt.Sprintf("HTTP/1.1 %s\nContent-Type: %s\n\n%s", r.Status, r.Header.Get("Content-Type"), text)
	if !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return []byte(strings.ReplaceAll(strings.ReplaceAll(out, "\r\n", "\n"), p.key, "[key]"))
}

// Each archive is a server's dialect: options, what is asked, the exchanges, and what comes
// of them.
func TestDialects(t *testing.T) {
	names, _ := filepath.Glob("testdata/dialects/*.txtar")
	if len(names) < 7 {
		t.Fatal("no testdata")
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := &tape{t: t, archive: archive, key: "key-of-the-tape"}
			var o Options
			var questions []llm.Request
			read(t, p.file("options.json"), &o)
			read(t, p.file("questions.json"), &questions)
			recording := *record == strings.TrimSuffix(filepath.Base(name), ".txtar")
			if o.Key = p.key; recording {
				p.key = os.Getenv("BRV_RECORD_KEY")
				o.Key = p.key
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.Contains(f.Name, ".re") })
			}
			m, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if recording {
				p.real = m.transport
			}
			m.transport = p
			m.sleep = func(context.Context, time.Duration) {}
			var got strings.Builder
			for i, q := range questions {
				fmt.Fprintf(&got, "question %d\n%s", i+1, outcome(t, m, q))
			}
			if *update || recording {
				p.put("want", []byte(got.String()))
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(p.file("want").Data), got.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if p.file(fmt.Sprintf("%d.request", p.next+1)) != nil {
				t.Errorf("only %d requests were made", p.next)
			}
		})
	}
}

func read(t *testing.T, f *txtar.File, into any) {
	t.Helper()
	if f == nil {
		t.Fatal("options.json or questions.json is missing")
	}
	d := json.NewDecoder(bytes.NewReader(f.Data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
}

// outcome shows what comes of a question.
func outcome(t *testing.T, m *Model, q llm.Request) string {
	var b strings.Builder
	pieces := 0
	streamed := ""
	q.Stream = func(p string) { pieces++; streamed += p }
	said, err := m.Complete(t.Context(), q)
	if err != nil {
		return fmt.Sprintf("%s error %v\n", kindOf(t, err), err)
	}
	if q.Schema == nil && streamed != said.Text {
		t.Errorf("streamed %q, said %q", streamed, said.Text)
	}
	fmt.Fprintf(&b, "text in %d pieces %q\n", pieces, said.Text)
	for _, c := range said.Calls {
		fmt.Fprintf(&b, "call %q %s %s\n", c.ID, c.Tool, c.Arguments)
	}
	fmt.Fprintf(&b, "usage %d %d\n", said.Usage.Input, said.Usage.Output)
	return b.String()
}
