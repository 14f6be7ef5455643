package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// patience is how long an answer may take before the session counts as stuck.
const patience = 2 * time.Minute

// client is one session with a server process, made for timing: frames are written
// whole, and a goroutine stamps the time at which an answer's last byte arrived before it
// looks into it.
type client struct {
	*process.Process
	write  sync.Mutex    // guards In
	broken chan struct{} // closed when the server's output ended

	mu    sync.Mutex // guards the fields below
	last  int64
	waits map[string]chan reply
}

// reply is an answer and when it was complete.
type reply struct {
	message
	at time.Time
}

// message is any message of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type object = map[string]any

func start(ctx context.Context, command []string) (*client, error) {
	p, err := process.Start(ctx, command[0], command[1:]...)
	if err != nil {
		return nil, err
	}
	c := &client{Process: p, waits: map[string]chan reply{}, broken: make(chan struct{})}
	go c.read(bufio.NewReaderSize(p.Out, 1<<16))
	return c, nil
}

// pending is a request under way.
type pending struct {
	id     int64
	method string
	sent   time.Time // before its first byte was written
	came   chan reply
}

// begin sends a request, and before it in the same write the notifications.
func (c *client) begin(method string, params any, before ...notification) (*pending, error) {
	c.mu.Lock()
	c.last++
	p := &pending{id: c.last, method: method, came: make(chan reply, 1)}
	c.waits[strconv.FormatInt(p.id, 10)] = p.came
	c.mu.Unlock()
	var frames []byte
	for _, n := range before {
		frame, err := encode(object{"jsonrpc": "2.0", "method": n.method, "params": n.params})
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame...)
	}
	frame, err := encode(object{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	p.sent = time.Now()
	if err := c.send(append(frames, frame...)); err != nil {
		return nil, c.failed(method, err)
	}
	return p, nil
}

// notification is a message without an answer.
type notification struct {
	method string
	params any
}

// wait waits for an answer.
func (c *client) wait(p *pending) (reply, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r := <-p.came:
		return r, nil
	case <-c.broken:
		return reply{}, c.failed(p.method, errors.New("the server ended its output"))
	case <-timer.C:
		return reply{}, c.failed(p.method, fmt.Errorf("no answer within %s", patience))
	}
}

// call sends a request and waits for its answer. It returns the result as it came and the
// time from the first byte written to the last byte read.
func (c *client) call(method string, params any) (json.RawMessage, time.Duration, error) {
	p, err := c.begin(method, params)
	if err != nil {
		return nil, 0, err
	}
	r, err := c.wait(p)
	if err != nil {
		return nil, 0, err
	}
	if r.Error != nil {
		return nil, r.at.Sub(p.sent), fmt.Errorf("%s: %w: %s (%d)", method, errAnswer, r.Error.Message, r.Error.Code)
	}
	return r.Result, r.at.Sub(p.sent), nil
}

// errAnswer marks an answer that is an error.
var errAnswer = errors.New("the server answered")

func (c *client) failed(method string, err error) error {
	return errors.Join(fmt.Errorf("%s: %w", method, err), c.Said())
}

func (c *client) notify(method string, params any) error {
	frame, err := encode(object{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return err
	}
	return c.send(frame)
}

func encode(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...), nil
}

func (c *client) send(frame []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.In.Write(frame)
	return err
}

// read hands answers to the calls that wait. Requests of the server are answered as by an
// editor without settings and dialogues; its notifications are dropped.
func (c *client) read(out *bufio.Reader) {
	defer close(c.broken)
	for {
		body, err := readFrame(out)
		if err != nil {
			return
		}
		r := reply{at: time.Now()}
		if json.Unmarshal(body, &r.message) != nil {
			return
		}
		if r.Method == "" {
			c.mu.Lock()
			came := c.waits[string(r.ID)]
			delete(c.waits, string(r.ID))
			c.mu.Unlock()
			if came != nil {
				came <- r
			}
			continue
		}
		if r.ID != nil {
			if f, err := encode(object{"jsonrpc": "2.0", "id": r.ID, "result": answered(r.message)}); err == nil {
				_ = c.send(f) // a server that no longer reads is noticed by the next call
			}
		}
	}
}

// answered is the answer to a request of the server: no value for each setting, else null.
func answered(m message) any {
	var asked struct{ Items []any }
	if m.Method != "workspace/configuration" || json.Unmarshal(m.Params, &asked) != nil {
		return nil
	}
	return make([]any, len(asked.Items))
}

// readFrame reads one message's body.
func readFrame(r *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 {
		return nil, errors.New("a message without Content-Length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

// initialize opens a session in a folder, with the capabilities of an editor that pulls
// diagnostics, and that watches files where watches is true. It returns the time from the start of the process to the answer, and what
// the server says it can do.
func (c *client) initialize(root string, watches bool) (took time.Duration, can map[string]json.RawMessage, err error) {
	raw, _, err := c.call("initialize", object{
		"processId":        os.Getpid(),
		"rootUri":          uri(root),
		"workspaceFolders": []object{{"uri": uri(root), "name": filepath.Base(root)}},
		"initializationOptions": object{
			"markdownFileExtensions": []string{"md"}, // without it the Markdown server sees no file
		},
		"capabilities": object{
			"general": object{"positionEncodings": []string{"utf-16"}},
			"textDocument": object{
				"hover":      object{"contentFormat": []string{"markdown"}},
				"definition": object{"linkSupport": true},
				"diagnostic": object{},
				"completion": object{"completionItem": object{"documentationFormat": []string{"markdown"}}},
				"codeAction": object{
					"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"", "quickfix", "refactor",
						"source"}}},
					"dataSupport": true, "resolveSupport": object{"properties": []string{"edit"}},
				},
			},
			"workspace": object{
				"workspaceFolders": true, "configuration": true, "applyEdit": true,
				"didChangeWatchedFiles": object{"dynamicRegistration": watches, "relativePatternSupport": watches},
				"workspaceEdit":         object{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}},
			},
		},
	})
	if err != nil {
		return 0, nil, err
	}
	took = time.Since(c.Spawned)
	var result struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return 0, nil, err
	}
	return took, result.Capabilities, c.notify("initialized", object{})
}

func uri(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

// close ends the session as an editor does.
func (c *client) close() error {
	_, _, err := c.call("shutdown", nil)
	if err == nil {
		err = c.notify("exit", nil)
	}
	c.In.Close()
	_, wait := c.Wait()
	<-c.broken
	c.Out.Close()
	return errors.Join(err, wait)
}
