package lsp_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// Headers after which nobody knows where the next message begins.
var brokenHeaders = map[string]string{
	"no length":           "Content-Type: x\r\n\r\n",
	"empty block":         "\r\n",
	"negative":            "Content-Length: -5\r\n\r\n",
	"no number":           "Content-Length: many\r\n\r\n",
	"hexadecimal":         "Content-Length: 0x10\r\n\r\n",
	"fraction":            "Content-Length: 2.0\r\n\r\n{}",
	"empty":               "Content-Length:\r\n\r\n{}",
	"overflow":            "Content-Length: 99999999999999999999\r\n\r\n",
	"twice, different":    "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
	"no colon":            "Content-Length 2\r\n\r\n{}",
	"endless line":        strings.Repeat("x", 8<<10) + "\r\n\r\n",
	"endless value":       "Content-Length: " + strings.Repeat("1", 1<<20),
	"endless block":       strings.Repeat("X: y\r\n", 40) + "\r\n",
	"NUL":                 "\x00\x00\x00\x00\r\n\r\n",
	"HTTP":                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"body as a header":    `{"jsonrpc":"2.0","id":1,"method":"shutdown"}` + "\r\n\r\n",
	"length of an hour":   "Content-Length: 9223372036854775807\r\n\r\n{}",
	"ends in the block":   "Content-Length: 10\r\n",
	"ends in the body":    "Content-Length: 10\r\n\r\n{",
	"ends in a huge body": "Content-Length: 1073741824\r\n\r\n{",
}

func TestBrokenHeadersEndTheSession(t *testing.T) {
	for name, raw := range brokenHeaders {
		t.Run(name, func(t *testing.T) {
			e, ctx := session(t, lsp.Options{}, lsptest.Session{})
			done := make(chan error, 1)
			go func() { done <- e.SendRaw([]byte(raw)) }() // the server may stop reading half-way
			if strings.HasPrefix(name, "ends in") || strings.HasPrefix(name, "length of") {
				<-done
				e.Close()
			}
			if got, err := e.ExitCode(ctx); got != 1 || err != nil {
				t.Errorf("exit code %d, %v", got, err)
			}
		})
	}
	t.Logf("%d headers", len(brokenHeaders))
}

func TestUnusualHeadersAreRead(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	body := `{"jsonrpc":"2.0","method":"$/none"}`
	for _, header := range []string{
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: %d\r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=\"UTF-8\"\r\nContent-Length: %d\r\n\r\n",
		"content-length:%d\r\n\r\n",
		"CONTENT-LENGTH:   %d  \r\nX-Other:\r\n\r\n",
		"Content-Length: %d\n\n",
		"Content-Length: 000%d\r\n\r\n",
		"Content-Length: %[1]d\r\nContent-Length: %[1]d\r\n\r\n",
	} {
		if err := e.SendRaw(fmt.Appendf(nil, header+"%[2]s", len(body), body)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
	}
}

func TestForeignCharsetIsRefused(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	for n, charset := range []string{"utf-16", "latin1", `"ISO-8859-1"; x=y`, ";"} {
		frame := "Content-Length: 4\r\nContent-Type: application/vscode-jsonrpc; charset=" + charset + "\r\n\r\n{\x00}\x00"
		if err := e.SendRaw([]byte(frame)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
		if got := e.Received("error"); len(got) != n+1 || !strings.Contains(string(got[n].Params), "UTF-8") {
			t.Errorf("%s: answers %v", charset, got)
		}
	}
}

func TestOversizedMessageIsSkipped(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	const size = 64<<20 + 1
	if err := e.SendRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", size)); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 1<<20)
	for sent := 0; sent < size; sent += len(part) {
		if err := e.SendRaw(part[:min(len(part), size-sent)]); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, e, ctx)
	if got := e.Received("error"); len(got) != 1 || !strings.Contains(string(got[0].Params), "-32600") {
		t.Errorf("answers: %v", got)
	}
}

// A length that is not true costs the message that it is of, and no other.
func TestFalseLengthLeavesTheSessionAlive(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	bodies := []string{
		"", "{}", `{"jsonrpc":"2.0","method":"$/none"}`, "no\njson\r\nat all\n", `{"text":"Content-Length: 5\r\n\r\n"}`,
		strings.Repeat("x", 1<<20), strings.Repeat("x", 4<<10-1), strings.Repeat("x", 4<<10-9),
		strings.Repeat("x", 4<<10-25), "Content-Length: x\n",
	}
	for n, body := range bodies {
		for _, length := range []string{"99999999999", "67108865", "9223372036854775807"} {
			if err := e.SendRaw([]byte("Content-Length: " + length + "\r\n\r\n" + body)); err != nil {
				t.Fatal(err)
			}
			alive(t, e, ctx)
		}
		got := e.Received("error")
		if len(got) != 3*(n+1) || !strings.Contains(string(got[0].Params), "larger than 67108864 bytes") {
			t.Errorf("%.40q: answers: %v", body, got)
		}
	}
}

func TestAnnouncedLengthAllocatesNothing(t *testing.T) {
	for _, length := range []int64{63 << 20, 1 << 30, 1 << 40} {
		e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
		alive(t, e, ctx)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		// A pipe without a buffer: once the byte of the body is taken, the header was read.
		if err := e.SendRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n{", length)); err != nil {
			t.Fatal(err)
		}
		e.Close()
		runtime.ReadMemStats(&after)
		grown := after.TotalAlloc - before.TotalAlloc
		if grown > 1<<20 {
			t.Errorf("a header of %d bytes made the server allocate %d", length, grown)
		}
		t.Logf("length %d: %d bytes allocated, closed after %v", length, grown, time.Since(begin))
	}
}

func TestLargeMessageIsRead(t *testing.T) {
	root := t.TempDir()
	e, ctx := session(t, lsp.WithText(lsp.Options{}), lsptest.Session{Folders: []string{root}})
	text := strings.Repeat("line of a large file\n", 200_000) // 4 MB
	file := filepath.Join(root, "large.txt")
	if err := e.Open(file, "plaintext", text); err != nil {
		t.Fatal(err)
	}
	var got struct{ Text string }
	if err := e.Call(ctx, "test/text", map[string]string{"uri": lsptest.URI(file)}, &got); err != nil || got.Text != text {
		t.Errorf("%d bytes arrived, %v", len(got.Text), err)
	}
}
