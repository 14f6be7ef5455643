package client

import (
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// maxTraced is how many bytes of a message's parameters a trace has.
const maxTraced = 4 << 10

// traceLevel is how much a trace tells.
type traceLevel int32

const (
	traceOff      traceLevel = iota
	traceMessages            // methods and durations
	traceVerbose             // parameters as well
)

func traceLevelOf(v protocol.TraceValue) traceLevel {
	switch v {
	case protocol.TraceValueMessages:
		return traceMessages
	case protocol.TraceValueVerbose:
		return traceVerbose
	}
	return traceOff
}

// SetTrace has a trace tell so much from now on.
func (c *Client) SetTrace(v protocol.TraceValue) { c.trace.Store(int32(traceLevelOf(v))) }

// Traced begins the trace of one message of the client's. What it returns ends it, with
// the error that a request was answered with.
func (c *Client) Traced(kind, name string, params jsonrpc2.RawMessage) (done func(error)) {
	level := traceLevel(c.trace.Load())
	if level == traceOff {
		return func(error) {}
	}
	begin, verbose := c.Now(), ""
	if level == traceVerbose {
		verbose = "Params: " + strings.ToValidUTF8(sanitize.Cut(string(params), maxTraced), "?")
	}
	return func(err error) {
		line := fmt.Sprintf("%s %s: %.1f ms", kind, name, float64(c.Now().Sub(begin).Microseconds())/1000)
		if err != nil {
			line += ": " + err.Error()
		}
		message := &protocol.LogTraceParams{Message: line}
		if verbose != "" {
			message.Verbose = &verbose
		}
		_ = c.Conn.LogTrace(c.Ctx, message) // fails only where nothing can be sent any more
	}
}
