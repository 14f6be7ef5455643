package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
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

// revert matches what git writes in the message of a commit that takes back another one.
var revert = lazyregexp.New(`This reverts commit ([0-9a-f]{40,64})`)

// reasonsVersion changes with what a message gives.
const reasonsVersion = "1"

// Reasons returns the newest commits of a history whose messages give a reason, newest first. The text of a
// commit that was taken back begins with the commit that did it, also where its own message gives no reason. They are
// kept in a cache, for one commit of the repository shared: git takes longer to print them than all else of a short answer.
func Reasons(ctx context.Context, repo *git.Repository, h *History, cache, shared string) (out []Reason, err error) {
	file := cachefile.Of(cache, "reasons", shared)
	version := strings.Join([]string{reasonsVersion, h.head, h.partial, h.shallow, h.prefix}, "\x00")
	describe := func(c *codec.Coder) {
		codec.List(c, &out, func(r *Reason) {
			c.Text(&r.Hash, &r.Subject, &r.Text)
			codec.List(c, &r.Files, func(p *string) { c.Text(p) })
			at := r.Time.Unix()
			codec.Int(c, &at)
			r.Time = time.Unix(at, 0).UTC()
		})
	}
	if blocks, err := file.Read(version, maxFile); err == nil && len(blocks) == 1 && codec.Decode(blocks[0], describe) == nil {
		return out, nil
	}
	if out, err = reasonsIn(ctx, repo, h); err == nil && cache != "" {
		_ = file.Write(version, cachefile.Block{codec.Append(nil, describe)}) // they can be read again
	}
	return out, err
}

func reasonsIn(ctx context.Context, repo *git.Repository, h *History) (out []Reason, err error) {
	files := make(map[string]int, maxReasons)
	for i := range min(h.Len(), maxReasons) { // both are newest first
		files[h.Hash(i)] = i
	}
	reverted := map[string]string{} // by hash: what a newer commit says of it
	log := git.LogOptions{Head: h.Head(), MaxMessage: maxReason, MaxCommits: maxReasons, Messages: true}
	err = repo.Log(ctx, log, func(c git.Commit) error {
		subject, rest, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(c.Message, " ")), "\n")
		var body strings.Builder
		for line := range strings.Lines(rest) {
			if !isTrailer(strings.TrimRight(line, "\r\n")) {
				body.WriteString(line)
			}
		}
		text, back := strings.TrimSpace(body.String()), reverted[c.Hash]
		for _, m := range revert().FindAllStringSubmatch(rest, -1) {
			if back == "" { // else what this commit took back is there again
				reverted[m[1]] = fmt.Sprintf("Reverted by commit %.10s: %s\n\n", c.Hash, subject)
			}
		}
		if len(strings.Fields(text)) < minReason && back == "" {
			return nil
		}
		text = strings.TrimSpace(subject+"\n\n"+back+text) + "\n"
		r := Reason{Hash: c.Hash, Time: time.Unix(c.Time, 0).UTC(), Subject: subject, Text: text}
		if i, ok := files[c.Hash]; ok {
			r.Files = h.Files(i)
		}
		out = append(out, r)
		return nil
	})
	return out, err
}
