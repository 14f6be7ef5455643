package history

import (
	"context"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// Reason is a commit whose message says more than what was done.
type Reason struct {
	Hash    string
	Time    time.Time
	Subject string
	Text    string   // all of the message but its trailers
	Files   []string // that it changed, as they are called now; none where that is not known
}

// How many of the newest commits are read, and how much of a message, in bytes. Most messages are far shorter: 2,000 take about one
// megabyte.
const (
	maxReasons = 2000
	maxReason  = 16 << 10
)

// minReason is how many words a message has at least behind its first line and without its trailers. Fewer are a reference.
const minReason = 8

// Reasons reads the newest commits of a history that say why, newest first.
func Reasons(ctx context.Context, repo *git.Repository, h *History) (out []Reason, err error) {
	files := make(map[string]int, maxReasons)
	for i := range min(h.Len(), maxReasons) { // both are newest first
		files[h.Hash(i)] = i
	}
	log := git.LogOptions{Head: h.Head(), MaxMessage: maxReason, MaxCommits: maxReasons, Messages: true}
	err = repo.Log(ctx, log, func(c git.Commit) error {
		subject, rest, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(c.Message, " ")), "\n")
		var body strings.Builder
		for line := range strings.Lines(rest) {
			if !isTrailer(strings.TrimRight(line, "\r\n")) {
				body.WriteString(line)
			}
		}
		text := strings.TrimSpace(body.String())
		if len(strings.Fields(text)) < minReason {
			return nil
		}
		r := Reason{Hash: c.Hash, Time: time.Unix(c.Time, 0).UTC(), Subject: subject, Text: subject + "\n\n" + text + "\n"}
		if i, ok := files[c.Hash]; ok {
			r.Files = h.Files(i)
		}
		out = append(out, r)
		return nil
	})
	return out, err
}
