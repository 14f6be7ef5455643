package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/trust"
)

// trusts reports whether the user trusts a folder, and if not, the reason. The servers ask for it.
func trusts(folder string) (bool, string) {
	store, err := trust.OfUser()
	if err != nil {
		return false, err.Error()
	}
	return store.Trusts(folder)
}

// trustFolder grants or revokes trust in a folder, or lists the trusted folders.
func trustFolder(_ context.Context, f *flags, o *struct{ List, Revoke bool }, e env) (answer, error) {
	switch n := len(f.words); {
	case n == 1 && f.root != "":
		return answer{}, fmt.Errorf("%w: trust takes FOLDER or --root", errUsage)
	case o.List && (o.Revoke || n > 0):
		return answer{}, fmt.Errorf("%w: trust --list takes no folder or --revoke", errUsage)
	case n == 1:
		f.root = f.words[0]
	}
	store, err := trust.OfUser()
	if err != nil {
		return answer{}, err
	}
	if o.List {
		return listTrusted(store)
	}
	folder, err := f.folder()
	if err != nil {
		return answer{}, err
	}
	if o.Revoke {
		real, was, err := store.Revoke(folder)
		text := textf("%s itself was not trusted.\n", real)
		if was {
			text = textf("%s is no longer trusted. Restart your editor and agents: until then, they still trust it.\n", real)
		}
		if by := store.Through(folder); by != "" {
			text += textf("But it is still trusted together with another working tree, %s. To end that, run `brv-lsp trust --revoke` "+
				"there.\n", by)
		}
		return answer{json: map[string]any{"folder": real, "trusted": false}, text: text}, err
	}
	real, aside, err := store.Grant(folder, time.Now())
	if aside != "" && err == nil {
		sayf(e.stderr, "brv-lsp: %s was damaged and was moved to %s. Other folders are no longer trusted: run `brv-lsp trust` in "+
			"each.\n", store.Path(), aside)
	}
	with := ""
	if git.Shared(real) != "" {
		with = ", with the other working trees of its repository,"
	}
	return answer{json: map[string]any{"folder": real, "trusted": true},
		text: textf("%s is now trusted%s until its .brv/config.json changes. Restart your editor and agents.\n", real, with)}, err
}

func listTrusted(store trust.Store) (answer, error) {
	grants, err := store.List()
	var text strings.Builder
	for _, g := range grants {
		sayf(&text, "%s  since %s", g.Folder, g.Granted.Format(time.DateOnly))
		if !g.Holds {
			text.WriteString("  (no longer trusted: it is gone or has changed)")
		}
		text.WriteString("\n")
	}
	if len(grants) == 0 {
		text.WriteString("No folder is trusted.\n")
	}
	return answer{json: map[string]any{"folders": grants}, text: text.String()}, err
}
