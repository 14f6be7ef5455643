// Package terminal shows pages in a terminal: each a list, the text of the selected row, and keys that do something. It
// knows nothing of trees, entries or packs; the pages of `brv-lsp ui` are in cmd/brv-lsp.
//
// The messages of keys, mouse and window are taken one by one, and nothing that they start is waited for: what a page loads
// and does runs beside them, ends where Esc cancels it, and changes the screen by a message of its own. Only the rows and
// lines that fit are drawn, so that a list may be long.
//
// Whatever a page says may come from a stranger. Rows and messages become one line, and texts lose all that is no visible
// character, before they are drawn: no sequence that a terminal obeys is left.
//
// A plain screen is for screen readers, and for terminals that can do nothing: lines are written one below the other, and
// none is drawn over.
package terminal

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Options say how a screen is shown.
type Options struct {
	Plain bool // write line by line
	ASCII bool // write no other signs
	In    io.Reader
	Out   io.Writer
	// Changes tells that others changed something of what pages show.
	Changes <-chan struct{}
}

// Run shows pages until the user quits or ctx ends. It leaves the terminal as it was, also after a panic.
func Run(ctx context.Context, pages []*Page, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newScreen(ctx, pages, o)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(o.In), tea.WithOutput(o.Out)}
	if o.Plain {
		options = append(options, tea.WithoutRenderer())
	}
	p := tea.NewProgram(s, options...)
	s.send = p.Send
	go func() {
		for {
			select {
			case <-o.Changes:
				p.Send(applied(s.renew))
			case <-ctx.Done():
				return
			}
		}
	}()
	_, err := p.Run()
	cancel()
	if s.act != nil { // what is being written is written to its end
		s.act.running.Lock()
	}
	if o.Plain {
		s.write("\n")
	}
	if errors.Is(err, context.Canceled) && !errors.Is(err, tea.ErrProgramPanic) {
		return nil
	}
	return err
}

// running is a program that is run in the terminal.
type running func() error

// Run runs it. It has the terminal's own streams.
func (r running) Run() error { return r() }

// SetStdin does nothing.
func (running) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (running) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (running) SetStderr(io.Writer) {}
