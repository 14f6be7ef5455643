package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/client"
	"github.com/brv-lsp/brv-lsp/organisation/folder"
	"github.com/brv-lsp/brv-lsp/organisation/gateway"
	"github.com/brv-lsp/brv-lsp/organisation/opensearch"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// engineKey is the variable that has the value of the engine's Authorization header.
const engineKey = "BRV_ENGINE_AUTHORIZATION"

// serveOrganisation is the gateway in front of an organisation's store.
func serveOrganisation(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("serve-organisation")
	listen := f.String("listen", "127.0.0.1:8750", "")
	access, dir, engines := f.String("access", "", ""), f.String("folder", "", ""), f.String("opensearch", "", "")
	cert, key, proxy := f.String("tls-cert", "", ""), f.String("tls-key", "", ""), f.Bool("behind-proxy", false, "")
	replicas := f.Int("replicas", 1, "")
	if err := f.parseOnly(args); err != nil {
		return exitUsage, err
	}
	at, err := netip.ParseAddrPort(*listen)
	switch {
	case err != nil:
		return exitUsage, fmt.Errorf("%w: --listen is an address with a port, such as 127.0.0.1:8750", errUsage)
	case *access == "":
		return exitUsage, fmt.Errorf("%w: --access names the file that says who may read what (docs/organisation.md)", errUsage)
	case (*dir == "") == (*engines == ""):
		return exitUsage, fmt.Errorf("%w: name --folder or --opensearch", errUsage)
	case (*cert == "") != (*key == ""):
		return exitUsage, fmt.Errorf("%w: --tls-cert and --tls-key go together", errUsage)
	case !at.Addr().IsLoopback() && *cert == "" && !*proxy:
		return exitUsage, fmt.Errorf("%w: tokens would travel unprotected: name --tls-cert and --tls-key, or "+
			"--behind-proxy if one speaks TLS", errUsage)
	}
	log := slog.New(slog.NewJSONHandler(e.stderr, nil))
	var s organisation.Store
	if *dir != "" {
		kept, err := folder.Open(ctx, *dir)
		if err != nil {
			return exitFailed, fmt.Errorf("--folder: %w", err)
		}
		defer kept.Close()
		s = kept
	} else if s, err = opensearch.Open(ctx, opensearch.Options{Endpoints: strings.Split(*engines, ","), Key: os.Getenv(engineKey),
		Replicas: *replicas}); err != nil {
		return exitFailed, fmt.Errorf("--opensearch: %w", err)
	}
	l, err := gateway.Listen(at)
	if err != nil {
		return exitFailed, err
	}
	log.Info("serving", "address", l.Addr().String(), "version", versionText())
	return exitOK, gateway.New(gateway.Options{Store: s, Access: *access, Log: log}).Serve(ctx, l, *cert, *key)
}

// index pushes this repository's entries to an organisation's gateway.
func index(ctx context.Context, f *flags, args []string, _ env) (answer, error) {
	to, name := f.String("to", "", ""), f.String("repository", cmp.Or(os.Getenv("GITHUB_REPOSITORY"), os.Getenv("CI_PROJECT_PATH")), "")
	variable := f.String("key-variable", "BRV_INDEX_KEY", "")
	commit := f.String("commit", cmp.Or(os.Getenv("GITHUB_SHA"), os.Getenv("CI_COMMIT_SHA")), "")
	number := f.String("number", cmp.Or(os.Getenv("GITHUB_RUN_ID"), os.Getenv("CI_PIPELINE_ID")), "")
	dry := f.Bool("dry-run", false, "")
	words, err := f.parse(args)
	if err != nil {
		return answer{}, err
	}
	p := organisation.Push{Repository: *name, Commit: *commit}
	key := os.Getenv(*variable)
	switch p.Number, err = strconv.ParseInt(*number, 10, 64); {
	case len(words) != 1 || words[0] != "push":
		return answer{}, fmt.Errorf("%w: say index push", errUsage)
	case *to == "" || *name == "" || *commit == "" || err != nil:
		return answer{}, fmt.Errorf("%w: outside of GitHub's and GitLab's CI name --repository, --commit and --number; "+
			"always name --to", errUsage)
	case key == "" && !*dry:
		return answer{}, fmt.Errorf("the environment variable %s, which has this repository's key, is not set", *variable)
	}
	if err := p.Check(); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errUsage, err)
	}
	if event := cmp.Or(os.Getenv("GITHUB_EVENT_NAME"), os.Getenv("CI_PIPELINE_SOURCE")); strings.HasPrefix(event, "pull_request") ||
		event == "merge_request_event" || os.Getenv("CI_COMMIT_BRANCH") != os.Getenv("CI_DEFAULT_BRANCH") {
		return answer{}, errors.New("only the default branch is pushed: this job runs for another one")
	}
	texts, err := f.searchable(ctx)
	if err != nil {
		return answer{}, err
	}
	pusher, err := client.NewPusher(*to, key)
	if err != nil {
		return answer{}, fmt.Errorf("%w: --to: %w", errUsage, err)
	}
	r := client.Plan(&p, texts)
	if !*dry {
		if r, err = pusher.Push(ctx, p, texts); err != nil {
			return answer{}, fmt.Errorf("the organisation has what it had: %w", err)
		}
	}
	text := textf("%s: %d entries of %s, %d of them sent\n", r.Repository, r.Entries, r.Commit, r.Sent)
	code := exitOK
	for _, path := range r.Paths() {
		text, code = text+textf("left out: %s: %s\n", path, r.Refused[path]), exitFailed
	}
	if *dry {
		code = exitOK
	}
	return answer{json: r, text: text, code: code}, nil
}

// searchable are the texts of the tree that a search finds, by path.
func (f *flags) searchable(ctx context.Context) (map[string]string, error) {
	root, err := f.folder()
	if err != nil {
		return nil, err
	}
	tree, err := store.Open(ctx, filepath.Join(root, ".brv"), store.Options{})
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	texts := map[string]string{}
	for _, entry := range tree.Snapshot().Entries() {
		if format.Searchable(entry) {
			texts[entry.Path] = entry.Text
		}
	}
	return texts, nil
}
