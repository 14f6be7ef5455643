package history

import (
	"context"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// Reason is a commit whose message has more than a summary of the change.
type Reason struct {
	Hash    string
	Time    time.Time
	Subject string
	Text    string   // the whole message without its trailers
	Files   []string // that it changed, as they are called now; none where that is not known
}

// The number of newest commits that are read, and the part of a message, in bytes. Most messages are far
// shorter: 2,000 take about one megabyte.
const (
	maxReasons = 2000
	maxReason  = 16 << 10
)

// minReason is the least number of words behind a message's first line and without its trailers. Fewer are
// only a reference.
const minReason = 8

// Reasons returns the newest commits of a history whose messages give a reason, newest first.
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
