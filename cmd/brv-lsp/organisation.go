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
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/client"
	"github.com/brv-lsp/brv-lsp/organisation/folder"
	"github.com/brv-lsp/brv-lsp/organisation/gateway"
	"github.com/brv-lsp/brv-lsp/organisation/opensearch"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// engineKey is the environment variable with the engine's Authorization header.
const engineKey = "BRV_ENGINE_AUTHORIZATION"

// gatewayOptions are the command line of serve-organisation.
type gatewayOptions struct {
	Listen   string   `flag:"listen"`
	Access   string   `flag:"access"`
	Folder   string   `flag:"folder"`
	Engines  []string `flag:"opensearch,list"`
	Replicas *int     `flag:"replicas"`
	Cert     string   `flag:"tls-cert"`
	Key      string   `flag:"tls-key"`
	Proxy    bool     `flag:"behind-proxy"`
}

// serveOrganisation runs the gateway in front of an organisation's store.
func serveOrganisation(ctx context.Context, _ *flags, o *gatewayOptions, e env) (int, error) {
	at, err := netip.ParseAddrPort(cmp.Or(o.Listen, "127.0.0.1:8750"))
	switch {
	case err != nil:
		return exitUsage, fmt.Errorf("%w: --listen is an address with a port, such as 127.0.0.1:8750", errUsage)
	case o.Access == "":
		return exitUsage, fmt.Errorf("%w: --access FILE is missing: the file says who may push and who may read", errUsage)
	case (o.Folder == "") == (len(o.Engines) == 0):
		return exitUsage, fmt.Errorf("%w: give --folder DIR or --opensearch URL", errUsage)
	case (o.Cert == "") != (o.Key == ""):
		return exitUsage, fmt.Errorf("%w: --tls-cert and --tls-key go together", errUsage)
	case !at.Addr().IsLoopback() && o.Cert == "" && !o.Proxy:
		return exitUsage, fmt.Errorf("%w: tokens would be sent without encryption: give --tls-cert and --tls-key, or "+
			"--behind-proxy if a proxy handles TLS", errUsage)
	}
	log := slog.New(slog.NewJSONHandler(e.stderr, nil))
	var s organisation.Store
	if o.Folder != "" {
		kept, err := folder.Open(ctx, o.Folder)
		if err != nil {
			return exitFailed, fmt.Errorf("--folder: %w", err)
		}
		defer kept.Close()
		s = kept
	} else if s, err = opensearch.Open(ctx, opensearch.Options{Endpoints: o.Engines, Key: os.Getenv(engineKey),
		Replicas: *cmp.Or(o.Replicas, new(1))}); err != nil {
		return exitFailed, fmt.Errorf("--opensearch: %w", err)
	}
	l, err := gateway.Listen(at)
	if err != nil {
		return exitFailed, err
	}
	log.Info("serving", "address", l.Addr().String(), "version", versionText())
	return exitOK, gateway.New(gateway.Options{Store: s, Access: o.Access, Log: log}).Serve(ctx, l, o.Cert, o.Key)
}

// indexOptions are the command line of index.
type indexOptions struct {
	To         string `flag:"to"`
	Repository string `flag:"repository"`
	Commit     string `flag:"commit"`
	Number     string `flag:"number"`
	Variable   string `flag:"key-variable"`
	Dry        bool   `flag:"dry-run"`
}

// index pushes this repository's entries to an organisation's gateway.
func index(ctx context.Context, f *flags, o *indexOptions, _ env) (_ answer, err error) {
	p := organisation.Push{Repository: cmp.Or(o.Repository, os.Getenv("GITHUB_REPOSITORY"), os.Getenv("CI_PROJECT_PATH")),
		Commit: cmp.Or(o.Commit, os.Getenv("GITHUB_SHA"), os.Getenv("CI_COMMIT_SHA"))}
	number, variable := cmp.Or(o.Number, os.Getenv("GITHUB_RUN_ID"), os.Getenv("CI_PIPELINE_ID")), cmp.Or(o.Variable, "BRV_INDEX_KEY")
	key := os.Getenv(variable)
	switch p.Number, err = strconv.ParseInt(number, 10, 64); {
	case !slices.Equal(f.words, []string{"push"}):
		return answer{}, fmt.Errorf("%w: unknown command %q; write `index push`", errUsage, "index "+strings.Join(f.words, " "))
	case o.To == "" || p.Repository == "" || p.Commit == "" || err != nil:
		return answer{}, fmt.Errorf("%w: index push needs --to, --repository, --commit and --number; "+
			"a CI job on GitHub or GitLab provides all of them but --to", errUsage)
	case key == "" && !o.Dry:
		return answer{}, fmt.Errorf("the environment variable %s is not set; it must hold this repository's key", variable)
	}
	if err := p.Check(); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errUsage, err)
	}
	if event := cmp.Or(os.Getenv("GITHUB_EVENT_NAME"), os.Getenv("CI_PIPELINE_SOURCE")); strings.HasPrefix(event, "pull_request") ||
		event == "merge_request_event" || os.Getenv("CI_COMMIT_BRANCH") != os.Getenv("CI_DEFAULT_BRANCH") {
		return answer{}, errors.New("nothing was pushed: this job does not run on the default branch; run it only there")
	}
	texts, err := f.searchable(ctx)
	if err != nil {
		return answer{}, err
	}
	pusher, err := client.NewPusher(o.To, key)
	if err != nil {
		return answer{}, fmt.Errorf("%w: --to: %w", errUsage, err)
	}
	r := client.Plan(&p, texts)
	if !o.Dry {
		if r, err = pusher.Push(ctx, p, texts); err != nil {
			return answer{}, fmt.Errorf("nothing was pushed: %w", err)
		}
	}
	text := textf("%s: %s at commit %s, %d sent\n", r.Repository, words.Counted(r.Entries, "entry", "entries"), r.Commit, r.Sent)
	code := exitOK
	for _, path := range r.Paths() {
		text, code = text+textf("left out: %s: %s\n", path, r.Refused[path]), exitFailed
	}
	if o.Dry {
		code = exitOK
	}
	return answer{json: r, text: text, code: code}, nil
}

// searchable returns the texts of the tree that search covers, by path.
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
