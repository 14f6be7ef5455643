package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// The peers are programs for node; peers/measure.mjs runs one of them on one set.
//
//go:embed peers/*.mjs peers/package.json peers/package-lock.json
var peerFiles embed.FS

// enginePeers are the peers' names, here and in peers/measure.mjs.
var enginePeers = []string{"minisearch", "bm25"}

// peerFolder is where the peers stand with the packages they need; they are installed
// there the first time, and again when their versions change.
func peerFolder(ctx context.Context) (string, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("the peers need %s 20 or newer: %w", tool, err)
		}
	}
	files, err := fs.Sub(peerFiles, "peers")
	if err != nil {
		return "", err
	}
	sum := crc32.NewIEEE()
	names, _ := fs.Glob(files, "*")
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "brv-lsp-bench", fmt.Sprintf("peers-%08x", sum.Sum32()))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, installPeers(ctx, files, dir)
}

// installPeers installs beside the folder and then moves there, so that what is there
// is whole.
func installPeers(ctx context.Context, files fs.FS, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := os.CopyFS(part, files); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir = part
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(part, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// peerLine is one line of a peer's output: an outcome, and at last the costs.
type peerLine struct {
	ID   string               `json:"id"`
	Hits [][2]json.RawMessage `json:"hits"`
	spent
	IndexMS   float64 `json:"indexMs"`
	IndexCPU  float64 `json:"indexCpuMs"`
	HeapMB    float64 `json:"heapMB"`
	RSSPeakMB float64 `json:"rssPeakMB"`
}

// measurePeer runs a peer on a set, in a process of its own.
func measurePeer(ctx context.Context, dir, engine string, set *dataset) (findings, error) {
	found := findings{engine: engine}
	job, err := peerJob(engine, set)
	if err != nil {
		return found, err
	}
	node := exec.CommandContext(ctx, "node", "--expose-gc", "measure.mjs")
	node.Dir, node.Stdin = dir, job
	var said bytes.Buffer
	node.Stderr = &said
	out, err := node.Output()
	if err != nil {
		return found, fmt.Errorf("%s: %w\n%s", engine, err, said.Bytes())
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	for _, p := range set.passes() {
		outcomes := make([]outcome, len(p.questions))
		for i, q := range p.questions {
			if outcomes[i], err = readOutcome(lines, q.ID); err != nil {
				return found, fmt.Errorf("%s: %w", engine, err)
			}
		}
		found.passes = append(found.passes, outcomes)
	}
	var last peerLine
	if err := lines.Decode(&last); err != nil {
		return found, fmt.Errorf("%s: its costs: %w", engine, err)
	}
	found.costs.Index = spent{Wall: last.IndexMS, CPU: last.IndexCPU}
	found.costs.HeapMB, found.costs.RSSPeakMB = last.HeapMB, last.RSSPeakMB
	return found, nil
}

func readOutcome(lines *json.Decoder, id string) (outcome, error) {
	var line peerLine
	if err := lines.Decode(&line); err != nil {
		return outcome{}, fmt.Errorf("question %s: %w", id, err)
	}
	if line.ID != id {
		return outcome{}, fmt.Errorf("question %q was answered in place of %q", line.ID, id)
	}
	o := outcome{id: id, searched: line.spent, refused: len(line.Hits) == 0}
	for _, h := range line.Hits {
		var r ranked
		if err := errors.Join(json.Unmarshal(h[0], &r.id), json.Unmarshal(h[1], &r.score)); err != nil {
			return o, fmt.Errorf("question %s: %w", id, err)
		}
		o.hits = append(o.hits, r)
	}
	return o, nil
}

// peerJob is the input of peers/measure.mjs.
func peerJob(engine string, set *dataset) (io.Reader, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	err := lines.Encode(map[string]any{"engine": engine, "documents": len(set.docs), "depth": depth, "warmup": warmUp(set)})
	for _, d := range set.docs {
		err = errors.Join(err, lines.Encode(d))
	}
	for _, p := range set.passes() {
		for _, q := range p.questions {
			err = errors.Join(err, lines.Encode(q))
		}
	}
	return &b, err
}
