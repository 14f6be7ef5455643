package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/trust"
)

// trusts reports whether the user trusts a folder, and if not why: what the servers ask.
func trusts(folder string) (bool, string) {
	store, err := trust.OfUser()
	if err != nil {
		return false, err.Error()
	}
	return store.Trusts(folder)
}

// trustFolder grants trust in a folder, takes it away, or lists what is trusted.
func trustFolder(_ context.Context, args []string, e env) (int, error) {
	f := newFlags("trust")
	list := f.Bool("list", false, "")
	revoke := f.Bool("revoke", false, "")
	words, err := f.parse(args)
	switch {
	case err != nil:
		return exitUsage, err
	case len(words) > 1, len(words) == 1 && f.root != "":
		return exitUsage, fmt.Errorf("%w: trust takes one folder", errUsage)
	case *list && (*revoke || len(words) > 0):
		return exitUsage, fmt.Errorf("%w: trust --list takes nothing else", errUsage)
	case len(words) == 1:
		f.root = words[0]
	}
	store, err := trust.OfUser()
	if err != nil {
		return exitFailed, err
	}
	if *list {
		return listTrusted(f, e, store)
	}
	folder, err := f.folder()
	if err != nil {
		return exitFailed, err
	}
	if *revoke {
		return revokeTrust(f, e, store, folder)
	}
	real, aside, err := store.Grant(folder, time.Now())
	if err != nil {
		return exitFailed, err
	}
	if aside != "" {
		fmt.Fprintf(e.stderr, "brv-lsp: %s was damaged and is kept as %s; what else was trusted is trusted no more\n", store.Path(),
			aside)
	}
	if f.json {
		return exitOK, printJSON(e.stdout, map[string]any{"folder": real, "trusted": true})
	}
	return exitOK, e.print("%s is trusted while its .brv/config.json stays as it is. Restart servers that are running.\n", real)
}

func revokeTrust(f *flags, e env, store trust.Store, folder string) (int, error) {
	real, was, err := store.Revoke(folder)
	if err != nil {
		return exitFailed, err
	}
	if f.json {
		return exitOK, printJSON(e.stdout, map[string]any{"folder": real, "trusted": false})
	}
	if !was {
		return exitOK, e.print("%s was not trusted.\n", real)
	}
	return exitOK, e.print("%s is not trusted any more. Restart servers that are running.\n", real)
}

func listTrusted(f *flags, e env, store trust.Store) (int, error) {
	grants, err := store.List()
	if err != nil {
		return exitFailed, err
	}
	if f.json {
		return exitOK, printJSON(e.stdout, map[string]any{"folders": grants})
	}
	var text strings.Builder
	for _, g := range grants {
		fmt.Fprintf(&text, "%s  since %s", g.Folder, g.Granted.Format(time.DateOnly))
		if !g.Holds {
			text.WriteString("  (gone or changed since, so no more)")
		}
		text.WriteString("\n")
	}
	if len(grants) == 0 {
		text.WriteString("No folder is trusted.\n")
	}
	return exitOK, e.print("%s", text.String())
}
