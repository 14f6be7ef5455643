package lsp

import (
	"context"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// silent is a client that takes everything.
type silent struct{ jsonrpc2.Conn }

func (silent) Call(context.Context, string, any, any) (jsonrpc2.ID, error) { return jsonrpc2.ID{}, nil }
func (silent) Notify(context.Context, string, any) error                   { return nil }

func TestFoldersOpenAfterTheAnswerToInitialize(t *testing.T) {
	for _, answered := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		s := newServer(ctx, silent{}, Options{}.withDefaults())
		f := state.NewFolder(t.TempDir())
		s.config.AddFolder(f)
		if answered {
			s.config.Greet()
			if _, err := f.Wait(ctx); err != nil {
				t.Error(err)
			}
		} else if f.Current() != nil {
			t.Error("open before the answer")
		}
		cancel()
		s.release()
		if opened := f.Settings.Load() != nil; opened != answered {
			t.Errorf("answered %v, opened %v", answered, opened)
		}
	}
}
