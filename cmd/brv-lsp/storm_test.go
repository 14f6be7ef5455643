package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/mcp/mcptest"
)

// TestStormOfRequests sends random requests, most of them wrong, to the program over its standard
// input, in both eras of the protocol: it lives, and answers each request with an id exactly
// once. BRV_NIGHTLY=1 sends 50,000 in each era to a program of its own build.
func TestStormOfRequests(t *testing.T) {
	n, program := sampletest.Count(300, 50_000), filepath.Join(t.TempDir(), "brv-lsp")
	if sampletest.Long() {
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v %s", err, out)
		}
	} else if self, err := os.Executable(); err != nil {
		t.Fatal(err)
	} else if err := os.Symlink(self, program); err != nil { // TestMain makes this executable the program
		t.Skip(err)
	}
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateless=%v", modern), func(t *testing.T) {
			s := newStorm(t, program, 1, modern)
			s.run(n)
			t.Logf("%d requests: %d results, %d errors; %d questions of the server; %d answers to what is no request",
				n, s.results, s.errors, s.questions, s.others)
		})
	}
}

// inFlight is how many requests wait for an answer at once.
const inFlight = 64

// storm is a client that keeps book of its requests.
type storm struct {
	*testing.T
	cmd    *exec.Cmd
	stderr bytes.Buffer
	out    *bufio.Reader
	room   chan struct{} // holds an element for each request without an answer
	modern bool
	seed   uint64

	writing sync.Mutex // held while a line is written; never by who reads, or both sides might wait
	in      io.WriteCloser

	mu   sync.Mutex        // guards the fields below
	open map[string]string // id → line
	sent int

	results, errors, questions, others int // of the reader
}

func newStorm(t *testing.T, program string, seed uint64, modern bool) *storm {
	root, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"src/sign.go": "package src\n\n// SignToken signs a token.\nfunc SignToken(user string) string { return user }\n",
		".brv/context-tree/authentication/jwt/tokens.md": "---\ntitle: Access tokens\n---\nRS256, see `SignToken`.\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := &storm{T: t, modern: modern, seed: seed, room: make(chan struct{}, inFlight), open: map[string]string{}}
	s.cmd = exec.Command(program, "mcp", "--root", root)
	s.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config")
	s.cmd.Stderr = &s.stderr
	in, out, err := piped(s.cmd)
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	t.Cleanup(func() { s.cmd.Process.Kill() }) // where the test failed; else it is gone
	return s
}

// run sends that many requests and reads until each is answered, and then until the end of
// the process.
func (s *storm) run(n int) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		if !s.modern {
			s.send(mcptest.Request("hello", false, "initialize", json.RawMessage(
				`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{}},`+
					`"clientInfo":{"name":"storm","version":"1"}}`)), `"hello"`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
		source := mcptest.NewStorm(s.seed, s.modern)
		for range n {
			s.send(source.Next())
		}
		for range inFlight { // until all are answered
			s.room <- struct{}{}
		}
		s.in.Close()
	}()
	replies := mcptest.NewStorm(s.seed+1, s.modern)
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			break
		}
		s.receive(line, replies)
	}
	s.mu.Lock()
	for id, line := range s.open {
		s.Errorf("no answer to %s: %.300s", id, line)
	}
	s.mu.Unlock()
	if err := s.cmd.Wait(); err != nil || bytes.Contains(s.stderr.Bytes(), []byte("panic")) {
		s.Fatalf("after %d requests the process ends with %v\n%.4000s", s.sent, err, s.stderr.String())
	}
	<-written
}

// send writes a request, and behind it what nobody waits for, once there is room.
func (s *storm) send(line, id, behind string) {
	s.room <- struct{}{}
	s.mu.Lock()
	s.open[same(json.RawMessage(id))] = line
	s.sent++
	s.mu.Unlock()
	s.write(line + "\n" + behind)
}

func (s *storm) write(line string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	io.WriteString(s.in, line+"\n") // where nobody reads, the reader says so
}

// receive notes an answer, or answers what the server asks.
func (s *storm) receive(line []byte, replies *mcptest.Storm) {
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(line, &m); err != nil || !utf8.Valid(line) {
		s.Errorf("%.300q: %v", line, err)
		return
	}
	switch {
	case m.Method != "" && m.ID == nil:
		return
	case m.Method != "":
		s.questions++
		go s.write(replies.Reply(m.ID))
		return
	case m.Error != nil && (m.Error.Code == 0 || m.Error.Message == "" || len(m.Error.Message) > 3_000):
		s.Errorf("an error that says little: %.300q", line)
	case m.Error == nil && m.Result == nil:
		s.Errorf("neither result nor error: %.300q", line)
	}
	if string(m.ID) == "null" || m.ID == nil {
		s.others++
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := same(m.ID)
	if _, waits := s.open[id]; !waits {
		s.Errorf("an answer to nothing, or a second one: %.300q", line)
		return
	}
	delete(s.open, id)
	<-s.room
	if m.Error != nil {
		s.errors++
	} else {
		s.results++
	}
}

// same is an id as it compares, however it is written.
func same(id json.RawMessage) string {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return string(id)
	}
	return fmt.Sprintf("%T %v", v, v)
}
