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

// client is one session with a server process, made for timing: frames are
// written whole, and a goroutine stamps the time at which an answer's last byte
// arrived before it looks into it. One call is under way at a time.
type client struct {
	*process.Process
	write  sync.Mutex // guards In: calls, and answers to the server's requests
	last   int64
	waits  chan reply
	broken chan struct{} // closed when the server's output ended
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
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type object = map[string]any

func start(ctx context.Context, bin string) (*client, error) {
	p, err := process.Start(ctx, bin)
	if err != nil {
		return nil, err
	}
	c := &client{Process: p, waits: make(chan reply, 1), broken: make(chan struct{})}
	go c.read(bufio.NewReaderSize(p.Out, 1<<16))
	return c, nil
}

// call sends a request and waits for its answer. It returns the result as it
// came and the time from the first byte written to the last byte read.
func (c *client) call(method string, params any) (json.RawMessage, time.Duration, error) {
	c.last++
	frame, err := encode(object{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params})
	if err != nil {
		return nil, 0, err
	}
	start := time.Now()
	if err := c.send(frame); err != nil {
		return nil, 0, c.failed(method, err)
	}
	r, err := c.await(method)
	if err != nil {
		return nil, 0, err
	}
	if r.Error != nil {
		return nil, 0, fmt.Errorf("%s: %s (%d)", method, r.Error.Message, r.Error.Code)
	}
	return r.Result, r.at.Sub(start), nil
}

// await waits for the answer to the last request.
func (c *client) await(method string) (reply, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case r := <-c.waits:
			if string(r.ID) == strconv.FormatInt(c.last, 10) {
				return r, nil
			}
		case <-c.broken:
			return reply{}, c.failed(method, errors.New("the server ended its output"))
		case <-timer.C:
			return reply{}, c.failed(method, fmt.Errorf("no answer within %s", patience))
		}
	}
}

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

// read hands answers to the call that waits. Requests of the server are answered
// with null, as by an editor without settings and dialogues; its notifications
// are dropped.
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
			c.waits <- r
		} else if r.ID != nil {
			if f, err := encode(object{"jsonrpc": "2.0", "id": r.ID, "result": nil}); err == nil {
				_ = c.send(f) // a server that no longer reads is noticed by the next call
			}
		}
	}
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

// initialize opens a session in a folder, with positions counted in bytes. It
// returns the time from the start of the process to the answer.
func (c *client) initialize(root string) (time.Duration, error) {
	raw, _, err := c.call("initialize", object{
		"processId":        os.Getpid(),
		"rootUri":          uri(root),
		"workspaceFolders": []object{{"uri": uri(root), "name": filepath.Base(root)}},
		"capabilities": object{
			"general": object{"positionEncodings": []string{"utf-8"}},
			"textDocument": object{
				"hover":      object{"contentFormat": []string{"markdown"}},
				"definition": object{"linkSupport": true},
				"completion": object{"completionItem": object{"documentationFormat": []string{"markdown"}}},
			},
		},
	})
	if err != nil {
		return 0, err
	}
	took := time.Since(c.Spawned)
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return 0, err
	}
	if got := result.Capabilities.PositionEncoding; got != "utf-8" {
		return 0, fmt.Errorf("initialize: the server counts positions in %q, this client in utf-8", got)
	}
	return took, c.notify("initialized", object{})
}

func uri(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

// usage is what a session cost the server's process.
type usage struct {
	cpu  time.Duration
	peak int64 // bytes resident
}

// close ends the session as an editor does.
func (c *client) close() (usage, error) {
	_, _, err := c.call("shutdown", nil)
	u := usage{peak: c.Peak()}
	if err == nil {
		err = c.notify("exit", nil)
	}
	c.In.Close()
	cpu, wait := c.Wait()
	<-c.broken
	c.Out.Close()
	u.cpu = cpu
	return u, errors.Join(err, wait)
}
