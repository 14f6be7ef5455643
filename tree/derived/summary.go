package derived

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/digest"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Sizes of a summary in tokens. A summary should shrink its children to the 20–30 % of the reference system.
// In a tree of short entries that would leave only names, so each child gets at least minPerChild, as long as
// the summary is still shorter than its children.
const (
	summaryShare  = 0.27
	maxSummary    = 1500
	minPerChild   = 50
	maxSmallShare = 0.5
)

// Summary is a generated _index.md: Text is the whole file.
type Summary struct {
	Path string
	Text string
}

// Summaries returns the _index.md files that are missing or stale, bottom up, and the paths of the _index.md
// files whose folder is empty. A file whose children_hash is up to date is kept, whoever wrote it.
//
// A folder's children are its entries and context.md, and the _index.md of its folders; children_hash is the
// hex SHA-256 of "name:hash" lines, joined by line feeds and sorted by name in byte order (the reference
// system sorts by locale, so a tree that changes tools is summarised once more). The archive has no
// summaries.
func Summaries(s *tree.Snapshot) (fresh []Summary, gone []string) {
	w := summaryWriter{s: s}
	w.visit("")
	return w.fresh, w.removed
}

// SummaryOf is the _index.md of a folder as [Summaries] would have it; ok is false
// for a folder that has none.
func SummaryOf(s *tree.Snapshot, dir string) (sum Summary, ok bool) {
	if format.Archived(dir) {
		return Summary{}, false
	}
	w := summaryWriter{s: s}
	c, ok := w.visit(dir)
	switch {
	case !ok:
		return Summary{}, false
	case c.entry != nil:
		return Summary{c.entry.Path, c.entry.Text}, true
	}
	return w.fresh[len(w.fresh)-1], true // bottom up: the folder's own is the last
}

// condensation is a folder's condensation_order: 3 for the root, 2 for a domain, 1
// for a topic, 0 below.
func condensation(dir string) int {
	if dir == "" {
		return 3
	}
	return max(2-strings.Count(dir, "/"), 0)
}

// summaryWriter walks the folders bottom up.
type summaryWriter struct {
	s       *tree.Snapshot
	fresh   []Summary
	removed []string
}

// child is one item that a folder's summary covers: a file of the folder, or a folder's
// summary.
type child struct {
	name  string        // relative to the folder
	hash  string        // of the file
	entry *format.Entry // nil for a summary that was just written
	text  string        // of the summary's body
	size  int           // tokens of the whole file
}

// visit brings a folder's summary up to date and returns it as a child of the
// folder above; ok is false if there is nothing to summarise.
func (w *summaryWriter) visit(dir string) (c child, ok bool) {
	if dir == format.ArchiveDir {
		return child{}, false
	}
	children := w.children(dir)
	p := path.Join(dir, format.SummaryFile)
	old, exists := w.s.Entry(p)
	if len(children) == 0 {
		if exists {
			w.removed = append(w.removed, p)
		}
		return child{}, false
	}
	hash := hashOf(children)
	c = child{name: path.Join(path.Base(dir), format.SummaryFile)}
	if exists && format.StatedHash(old) == hash {
		c.hash, c.entry = old.Hash, old
		return c, true
	}
	text, size := digestOf(children)
	whole := renderSummary(dir, hash, children, text, size)
	w.fresh = append(w.fresh, Summary{p, whole})
	sum := sha256.Sum256([]byte(whole))
	c.hash, c.text, c.size = hex.EncodeToString(sum[:]), text, tokens.Estimate(whole)
	return c, true
}

// children lists what a folder's summary covers, sorted by name.
func (w *summaryWriter) children(dir string) []child {
	n, ok := w.s.Node(dir)
	if !ok {
		return nil
	}
	var out []child
	for _, folder := range n.Folders {
		if c, ok := w.visit(folder); ok {
			out = append(out, c)
		}
	}
	for _, p := range n.Entries {
		if e, _ := w.s.Entry(p); e.Role == format.RoleEntry || e.Role == format.RoleOverview {
			out = append(out, child{name: path.Base(p), hash: e.Hash, entry: e})
		}
	}
	slices.SortFunc(out, func(a, b child) int { return cmp.Compare(a.name, b.name) })
	return out
}

// digestOf makes a folder's summary from its children, without the credentials in them.
func digestOf(children []child) (text string, size int) {
	var d digest.Writer
	for _, c := range children {
		switch {
		case c.entry == nil:
			d.AddFolder(path.Dir(c.name), c.text)
		case c.entry.Role == format.RoleSummary:
			d.AddFolder(path.Dir(c.name), bodyOf(c.entry.Redacted()))
		case c.entry.Role == format.RoleOverview:
			d.SetOverview(c.entry.Redacted())
		default:
			d.AddEntry(c.entry.Redacted())
		}
	}
	text, size = d.Text(budgetOf(children), maxSummary)
	return strings.TrimSpace(sanitize.Visible(text)), size
}

// hashOf identifies the children that a summary covers, as the specification defines it. A summary that
// states another hash is stale.
func hashOf(children []child) string {
	lines := make([]string, len(children))
	for i, c := range children {
		lines[i] = c.name + ":" + c.hash
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// budgetOf is the approximate length of a summary of children, in tokens.
func budgetOf(children []child) int {
	covered := 0
	for _, c := range children {
		covered += c.tokens()
	}
	least := min(float64(minPerChild*len(children)), maxSmallShare*float64(covered))
	return int(min(max(summaryShare*float64(covered), least), maxSummary))
}

func bodyOf(e *format.Entry) string { return strings.TrimSpace(e.Body.Of(e.Text)) }

func (c child) tokens() int {
	if c.entry != nil {
		return c.entry.Tokens()
	}
	return c.size
}

// maxCovers bounds the list of children in bytes: frontmatter over
// [format.MaxFrontmatter] is not read, and a summary that cannot be read is always stale.
// children_hash covers all of them.
const maxCovers = format.MaxFrontmatter - 4<<10

// renderSummary writes an _index.md, keys as in the specification, "Hierarchical
// Summaries".
func renderSummary(dir, hash string, children []child, body string, size int) string {
	covered := 0
	for _, c := range children {
		covered += c.tokens()
	}
	ratio := 0.0
	if covered > 0 {
		ratio = math.Round(100*float64(size)/float64(covered)) / 100
	}
	order := condensation(dir)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nchildren_hash: %q\ncompression_ratio: %s\ncondensation_order: %d\ncovers:\n", hash,
		strconv.FormatFloat(ratio, 'f', -1, 64), order)
	colons := 0
	for _, c := range children {
		item := "  - " + yamlName(c.name) + "\n"
		colons += strings.Count(item, ":")
		if b.Len()+len(item) > maxCovers || colons > format.MaxFrontmatterKeys/2 {
			break
		}
		b.WriteString(item)
	}
	fmt.Fprintf(&b, "covers_token_total: %d\nsummary_level: d%d\ntoken_count: %d\ntype: summary\n---\n\n%s\n", covered,
		order, size, body)
	return b.String()
}

// yamlName writes a path as a YAML scalar, in quotes where it needs them.
func yamlName(s string) string {
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./", r) }
	for i, r := range s {
		if !plain(r) && (r != '-' || i == 0) {
			return strconv.Quote(s)
		}
	}
	return s
}
