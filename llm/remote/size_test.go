package remote

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// endless sends a beginning and then the same bytes, up to 10 GB, and counts them.
func endless(sent *atomic.Int64, begin, again string) http.HandlerFunc {
	block := []byte(strings.Repeat(again, 1+(64<<10)/len(again)))
	return func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		fmt.Fprint(c, begin)
		for sent.Load() < 10e9 {
			n, err := c.Write(block)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
}

// bomb is 1 GB of blanks in 1 MB, behind a beginning: archives one behind the other.
func bomb(begin string) []byte {
	pack := func(text []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(text)
		z.Close()
		return b.Bytes()
	}
	return append(pack([]byte(begin)), bytes.Repeat(pack(bytes.Repeat([]byte(" "), 1<<20)), 1<<10)...)
}

// emptyArchive is gzip of nothing, again and again.
func emptyArchive() string {
	var b bytes.Buffer
	gzip.NewWriter(&b).Close()
	return b.String()
}

// L3: whatever a server sends, at most 4 MiB of it are taken up, one event is at most 64 KiB,
// and the memory in use grows by less than 16 MiB.
func TestAnswersWithoutEnd(t *testing.T) {
	const head, zipHead = "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
	packed := bomb("{")
	if len(packed) > 2<<20 {
		t.Fatalf("the bomb takes %d bytes", len(packed))
	}
	sent := new(atomic.Int64)
	for _, c := range []struct {
		name    string
		handle  http.HandlerFunc
		kind    Kind
		text    string
		garbage bool // each event leaves some, which is collected meanwhile
	}{
		{"10 GB of JSON", endless(sent, head+`{"a":"`, "xxxxxxxx"), KindTooLarge, "longer than 4 MiB", false},
		{"10 GB of blanks", endless(sent, head, " \n"), KindTooLarge, "longer than 4 MiB", false},
		{"10 GB of events", endless(sent, head, firstOK), KindTooLarge, "longer than 4 MiB", true},
		{"10 GB of comments", endless(sent, head, ": PROCESSING\n\n"), KindTooLarge, "longer than 4 MiB", false},
		{"10 GB of calls",
			endless(
				sent, head,
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"","function":{"name":"f","arguments":"{}"}}]}}]}`+"\n\n"),
			KindTooLarge, "more than 256 tool calls", false},
		{"one line of 10 GB", endless(sent, head+"data: ", "x"), KindTooLarge, "longer than 64 KiB", false},
		{"one event of 10 GB", endless(sent, head, "data: xxxxxxxxxxxxxxx\n"), KindTooLarge, "longer than 64 KiB", false},
		{"10 GB of a page", endless(sent, head+"<html>", "x"), KindAnswer, "web page", false},
		{"10 GB of an error", endless(sent, "HTTP/1.1 400 Bad Request\r\n\r\n", "x"), KindRequest, "xxx", false},
		{"10 GB of headers", endless(sent, "HTTP/1.1 200 OK\r\n", "X-A: xxxxxxxxxxxxxxx\r\n"), KindTooLarge, "headers", false},
		{"one header of 10 GB", endless(sent, "HTTP/1.1 200 OK\r\nX-A: ", "x"), KindTooLarge, "headers", false},
		{"10 GB of early answers", endless(sent, "", "HTTP/1.1 103 Early Hints\r\n\r\n"), "", "", false},
		{"10 GB of a chunk's extension", endless(sent, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x"), KindAnswer,
			"", false},
		{"10 GB of empty archives", endless(sent, zipHead, emptyArchive()), KindTooLarge, "longer than 4 MiB", false},
		{"1 GB in a bomb", status(200, string(packed), "Content-Encoding", "gzip"), KindTooLarge, "longer than 4 MiB", false},
		{"1 GB in a bomb of an error", status(400, string(packed), "Content-Encoding", "gzip"), KindRequest, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := serve(t, c.handle)
			m, _ := newModel(t, Options{Endpoint: url})
			sent.Store(0)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			r, peak := ask("why"), uint64(0)
			pieces := 0
			r.Stream = func(string) {
				if pieces++; pieces%2000 == 0 {
					runtime.ReadMemStats(&after)
					peak = max(peak, after.HeapInuse)
				}
			}
			_, err := m.Complete(t.Context(), r)
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapInuse)
			if kind := kindOf(t, err); c.kind != "" && kind != c.kind || !strings.Contains(fmt.Sprint(err), c.text) || err == nil {
				t.Error(err)
			}
			grown, made := int64(peak)-int64(before.HeapInuse), after.TotalAlloc-before.TotalAlloc
			if grown > 16<<20 || made > 16<<20 && !c.garbage {
				t.Errorf("the heap grew by %d, %d were allocated", grown, made)
			}
			if sent.Load() > 32<<20 { // what the system takes up beside
				t.Errorf("%d bytes were sent", sent.Load())
			}
			t.Logf("heap %+d KiB, allocated %d KiB, sent %d KiB", grown>>10, made>>10, sent.Load()>>10)
		})
	}
}

// lines is an event with a field of its own for each part, in so many bytes of data.
func lines(size int) string {
	data := strings.TrimPrefix(strings.TrimSpace(strings.Replace(firstOK, "fine", "", 1)), "data: ")
	return "data: " + data + strings.Repeat("\ndata:", size-len(data)) + "\n\n" // each adds the end of a line
}

// What is just within the limits is an answer. They are written out, so that the constants are
// pinned.
func TestAnswersJustWithinTheLimits(t *testing.T) {
	around := len(plainOK) - len("fine")
	event := len(strings.TrimSpace(firstOK)) - len("data: fine")
	for name, c := range map[string]struct {
		body string
		text int // its length; -1 for too large
	}{
		"4 MiB of JSON":         {strings.Replace(plainOK, "fine", strings.Repeat("x", 4<<20-around), 1), 4<<20 - around},
		"4 MiB of JSON and one": {strings.Replace(plainOK, "fine", strings.Repeat("x", 4<<20-around+1), 1), -1},
		"a line of 64 KiB": {strings.Replace(firstOK, "fine", strings.Repeat("x", 64<<10-event-len("data: ")),
			1) + lastOK, 64<<10 - event - len("data: ")},
		"an event of 64 KiB in lines":          {lines(64<<10) + lastOK, 0},
		"an event of 64 KiB and more in lines": {lines(64<<10+1) + lastOK, -1},
		"a line of one more": {strings.Replace(firstOK, "fine", strings.Repeat("x", 64<<10-event-len("data: ")+1),
			1) + lastOK, -1},
	} {
		for _, handle := range []http.HandlerFunc{status(200, c.body), zipped(c.body)} {
			url, _ := serve(t, handle)
			m, _ := newModel(t, Options{Endpoint: url})
			said, err := m.Complete(t.Context(), ask("why"))
			if c.text < 0 && kindOf(t, err) != KindTooLarge || c.text >= 0 && (err != nil || len(said.Text) != c.text) {
				t.Errorf("%s: %d, %v", name, len(said.Text), err)
			}
		}
	}
}

// L4: no redirect is followed: not one byte reaches another server, nor another path of the
// same one.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other, connections := listen(t, func(c net.Conn) { c.Close() })
	for _, code := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
		var same atomic.Int32
		var url string
		for name, to := range map[string]string{
			"elsewhere": "http://" + other + "/v1/chat/completions", "elsewhere, without a scheme": "//" + other + "/v1",
			"https elsewhere": "https://" + other,
			"the same server": "/v2", "the same path": "", "nonsense": "http://[::1]:namedport", "the key in it": "http://" + other +
				"/hunter2-hunter2",
		} {
			url, _ = serve(t, func(w http.ResponseWriter, r *http.Request) {
				same.Add(1)
				w.Header().Set("Location", to)
				w.Header().Set("Refresh", "0; url="+to)
				w.WriteHeader(code)
			})
			m, _ := newModel(t, Options{Endpoint: url, Key: "hunter2-hunter2"})
			same.Store(0)
			_, err := m.Complete(t.Context(), ask("why"))
			if kindOf(t, err) != KindAddress || same.Load() != 1 || !strings.Contains(err.Error(), "redirects are not followed") ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%d to %s: %v, %d requests", code, name, err, same.Load())
			}
		}
	}
	if connections.Load() != 0 {
		t.Errorf("%d connections to the other server", connections.Load())
	}
}
