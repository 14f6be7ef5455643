package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/organisation"
)

// Limits of a push. Each step has its own deadline, since a store that cannot write may hold a connection for
// ever. A failed step is sent again: every step may be repeated.
const (
	stepWithin = time.Minute
	attempts   = 4
	firstWait  = time.Second // doubled with each attempt
	rounds     = 3           // of manifest and texts: texts that another push removed are sent again
)

// Report is the result of a push.
type Report struct {
	Repository string            `json:"repository"`
	Commit     string            `json:"commit"`
	Number     int64             `json:"number"`
	Entries    int               `json:"entries"`           // that the organisation now has
	Sent       int               `json:"sent"`              // texts that were lacking
	Refused    map[string]string `json:"refused,omitempty"` // path → why it was not taken
}

// Pusher pushes a repository's entries.
type Pusher struct {
	gateway *outbound.Client
	sleep   func(context.Context, time.Duration)
	within  time.Duration
}

// NewPusher returns a pusher to a gateway, with a repository's key.
func NewPusher(endpoint, key string) (*Pusher, error) {
	at, err := outbound.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	return &Pusher{gateway: outbound.NewClient(at, outbound.Bearer(key), organisation.MaxBody), sleep: sleep, within: stepWithin}, nil
}

// sleep waits until d is over or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Plan adds the texts to a push, without sending anything. Entries with a credential are left out.
func Plan(to *organisation.Push, texts map[string]string) Report {
	r := Report{Repository: to.Repository, Commit: to.Commit, Number: to.Number, Refused: map[string]string{}}
	to.Entries = map[string]string{}
	for path, text := range texts {
		if why := organisation.Credential(text); why != "" {
			r.Refused[path] = why
			continue
		}
		to.Entries[path] = organisation.Digest(text)
	}
	r.Entries = len(to.Entries)
	return r
}

// Push makes the gateway have exactly these texts, by path. Entries with a credential are left out. If it is
// interrupted, the former state stays.
func (p *Pusher) Push(ctx context.Context, to organisation.Push, texts map[string]string) (Report, error) {
	r := Plan(&to, texts)
	for range rounds {
		var said organisation.Pushed
		if err := p.say(ctx, "/v1/push", to, &said); err != nil {
			return r, err
		}
		if len(said.Lacking) == 0 {
			r.Entries = len(to.Entries)
			return r, nil
		}
		if err := p.send(ctx, &to, said.Lacking, texts, &r); err != nil {
			return r, err
		}
	}
	return r, fmt.Errorf("%s repeatedly lost texts that were sent; check whether another push is running", p.gateway)
}

// send sends texts in batches, and removes refused ones from the manifest.
func (p *Pusher) send(ctx context.Context, to *organisation.Push, lacking []string, texts map[string]string, r *Report) error {
	batch, size := organisation.Texts{Repository: to.Repository}, 0
	flush := func() error {
		if len(batch.Documents) == 0 {
			return nil
		}
		var said organisation.Refused
		if err := p.say(ctx, "/v1/texts", batch, &said); err != nil {
			return err
		}
		r.Sent += len(batch.Documents) - len(said.Refused)
		for path, why := range said.Refused {
			delete(to.Entries, path)
			r.Refused[path] = line(why, maxNote)
		}
		batch.Documents, size = nil, 0
		return nil
	}
	for _, path := range lacking {
		text, ok := texts[path]
		if _, named := to.Entries[path]; !ok || !named {
			return fmt.Errorf("%s requested a text that was not offered", p.gateway)
		}
		if size+len(text) > organisation.MaxBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		batch.Documents, size = append(batch.Documents, organisation.Document{Path: path, Text: text}), size+len(text)
	}
	return flush()
}

// say repeats a step until it is answered.
func (p *Pusher) say(ctx context.Context, path string, body, into any) error {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		err := func() error {
			ctx, cancel := context.WithTimeout(ctx, p.within)
			defer cancel()
			_, err := p.gateway.Do(ctx, http.MethodPost, path, body, into)
			return err
		}()
		var refused *outbound.Status
		if err == nil || ctx.Err() != nil || attempt == attempts || errors.As(err, &refused) && refused.Code < 500 {
			return err
		}
		p.sleep(ctx, wait)
		wait *= 2
	}
}

// Paths lists the entries that were refused.
func (r Report) Paths() []string { return slices.Sorted(maps.Keys(r.Refused)) }
