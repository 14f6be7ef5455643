package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// gossip is a model that repeats all that it is told, as an operation, and sometimes fails
// with it.
type gossip struct {
	mu    sync.Mutex
	heard strings.Builder // every request
	asked int
}

func (g *gossip) Name() string { return "gossip" }

func (g *gossip) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	all := llmtest.Format(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard.WriteString(all)
	if g.asked++; g.asked%7 == 0 {
		return llm.Response{}, errors.New("cannot answer: " + all)
	}
	op := plan.Op{Type: plan.OpAdd, Path: "notes/heard", Title: fmt.Sprintf("Heard %d", g.asked), Reason: "heard",
		Content: format.Content{Narrative: format.Narrative{Highlights: r.Messages[len(r.Messages)-1].Text}}}
	text, err := json.Marshal(map[string]any{"operations": []plan.Op{op}})
	return llm.Response{Text: string(text)}, err
}

// TestCredentialsReachNothing has credentials of all formats stand in what is drafted from, in
// what is stored and in questions, and looks for them in what was written to the tree, in what a
// model was told, in answers and in the log.
func TestCredentialsReachNothing(t *testing.T) {
	root := t.TempDir()
	known := map[string]string{} // secret → its text
	var unknown []string
	var hand []string // titles of entries with credentials that somebody wrote into them
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	all := someCanaries(t)
	const each = 4     // in one text
	var texts []string // with their credentials
	byHand := 0
	for i := 0; i < len(all); i += each {
		var text strings.Builder
		for _, c := range all[i:min(i+each, len(all))] {
			if !strings.Contains(c.Text, c.Secret) || len(secrets.Scan(c.Text)) == 0 {
				unknown = append(unknown, c.Secret)
				continue
			}
			known[c.Secret] = c.Text
			text.WriteString(c.Text + "\n")
		}
		texts = append(texts, text.String())
		write(fmt.Sprintf("in/%d.txt", len(texts)-1), text.String())
		if len(texts)%8 == 0 {
			byHand++
			hand = append(hand, fmt.Sprint("Entry ", i))
			write(fmt.Sprintf(".brv/context-tree/kept/by_hand/entry_%d.md", i), "---\ntitle: \"Entry "+fmt.Sprint(i)+
				"\"\n---\nThe deployment reads this.\n\n"+text.String()+"\n## Raw Concept\n**Task:**\n"+text.String())
		}
	}
	if len(known) < len(secretstest.Formats())*9/10 || len(unknown) > len(all)/100 {
		t.Fatalf("%d credentials, %d are not found", len(all), len(unknown))
	}
	var log strings.Builder
	var answers strings.Builder
	w, err := workspace.Open(t.Context(), root, workspace.Options{Trusted: true,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	g := &gossip{}
	provider.UseModel(w, provider.ModelState{Provider: "given"}, g, nil)
	ctx := t.Context()
	do := func(res any, err error) {
		t.Helper()
		text, jsonErr := json.Marshal(res)
		if jsonErr != nil {
			t.Fatal(jsonErr)
		}
		answers.Write(text)
		if err != nil {
			answers.WriteString(err.Error())
		}
	}
	for i, text := range texts {
		do(drafting.Propose(ctx, w.View(), drafting.ProposeRequest{Files: []string{fmt.Sprintf("in/%d.txt", i)},
			Instruction: text[:min(len(text), 4000)], NoModel: i%4 == 0, Author: text}))
		do(curation.Curate(ctx, w, plan.Batch{Ops: []plan.Op{{
			Type: plan.OpAdd, Path: "notes/curated", Title: fmt.Sprintf("Curated %d", i), Summary: text, Reason: text,
			Content: format.Content{Lists: format.Lists{Tags: []string{text}}, Snippets: []string{text}, Narrative: format.Narrative{Rules: text},
				Facts: []format.Fact{{Statement: text}}, RawConcept: format.RawConcept{Task: text}},
		}}, Author: text}))
		if i%8 == 0 {
			do(consult.Query(ctx, w.View(), consult.QueryRequest{Text: "deployment reads " + text}))
		}
	}
	for _, title := range hand { // an answer tells what is there, and what it would no longer say
		for _, op := range []plan.Op{
			{Type: plan.OpAdd, Path: "kept/by_hand", Title: title, Summary: "s", Reason: "r"},
			{Type: plan.OpUpdate, Path: "kept/by_hand", Title: title, Replace: []format.Part{format.PartTask},
				Content: format.Content{RawConcept: format.RawConcept{Task: "new"}}, Reason: "r"},
		} {
			for _, b := range []plan.Batch{{DryRun: true}, {Origin: format.Origin{Kind: format.OriginAgent, Tool: "canary"}}} {
				b.Ops = []plan.Op{op}
				r, err := curation.Curate(t.Context(), w, b)
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(r)
				if told := r.Results[0]; err != nil || told.Existing == "" && len(told.Losses) == 0 {
					t.Fatalf("%s of %s tells nothing of what is there: %s, %v", op.Type, title, text, err)
				}
				answers.Write(text)
			}
		}
	}
	do(consult.Query(ctx, w.View(), consult.QueryRequest{Text: "what does the deployment read"}))
	do(consult.Search(ctx, w.View(), consult.QueryRequest{Text: "deployment reads"}))
	do(contextpack.Pack(ctx, w.View(), contextpack.PackRequest{Task: "deployment reads this", BudgetTokens: 50_000}))
	do(curation.Log(ctx, w, curation.LogRequest{}))
	do(upkeep.Status(ctx, w.View(), upkeep.StatusRequest{}))
	do(curation.Reviews(ctx, w, struct{}{}))
	if err := w.Close(); err != nil { // writes the generated files
		t.Fatal(err)
	}
	places := map[string]string{"what the model was told": g.heard.String(), "the answers": answers.String(), "the log": log.String()}
	err = filepath.WalkDir(filepath.Join(root, ".brv"), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(p, "by_hand/entry_") {
			data, readErr := os.ReadFile(p)
			places[strings.TrimPrefix(p, root)], err = string(data), readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for where, text := range places {
		for secret := range known {
			if strings.Contains(text, secret) || strings.Contains(text, jsonText(secret)) {
				if found++; found < 12 {
					t.Errorf("%s: %q, which stands in %q", where, secret, known[secret])
				}
			}
		}
	}
	t.Logf(
		"%d credentials in %d formats, %d entries of them written by hand; %d places, %d questions to the model, %d found; the "+
			"scanner does not know %d more", len(known), len(secretstest.Formats()), byHand, len(places), g.asked, found, len(unknown))
}

// someCanaries are credentials of every format: all that there are in a long run, else one of each.
func someCanaries(t *testing.T) (some []secretstest.Canary) {
	t.Helper()
	all := secretstest.Canaries()
	if sampletest.Long() {
		return all
	}
	random, each := sampletest.Rand(t), len(all)/len(secretstest.Formats())
	for of := range slices.Chunk(all, each) {
		some = append(some, of[random.IntN(each)])
	}
	return some
}

// jsonText is a text as it stands in JSON.
func jsonText(s string) string {
	data, _ := json.Marshal(s)
	return strings.Trim(string(data), `"`)
}
