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
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/digest"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Sizes of a summary in tokens. What it covers is to shrink to the 20–30 % of
// the reference system; over a tree of short entries that would leave
// names only, so each child gets minPerChild as long as that condenses at all.
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

// Bodies gives the text of a folder's summary for the state that its children_hash says,
// where the caller has a better one than the extract (a model's); none where it has none. A
// text over 1,500 tokens is none; relations in it lose what makes them such.
type Bodies func(dir, hash string) format.Prose

// Summaries returns the _index.md files that are missing or stale, or for which body has a
// text in place of the extract, bottom up, and the paths of those whose folder holds
// nothing any more. body may be nil. While children_hash fits, a text that is not the
// extract stays: a person's, or what a model wrote before.
//
// A folder's children are its entries and context.md, and the _index.md of its
// folders; children_hash is the hex SHA-256 of "name:hash" lines, joined by line
// feeds and sorted by name in byte order (the reference system sorts by locale,
// so a tree that changes tools is summarised once more). The archive has no
// summaries.
func Summaries(s *tree.Snapshot, body Bodies) (fresh []Summary, gone []string) {
	w := summaryWriter{s: s, body: body}
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
	body    Bodies
	fresh   []Summary
	removed []string
}

// child is one item that a folder's summary covers: a file of the folder, or a folder's
// summary.
type child struct {
	tree.Child
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
	c = child{Child: tree.Child{Name: path.Join(path.Base(dir), format.SummaryFile)}}
	said, size := w.given(dir, hash)
	if exists && format.StatedHash(old) == hash && (said.Text == "" || !isExtract(old, children)) {
		c.Hash, c.entry = old.Hash, old
		return c, true
	}
	if said.Text == "" {
		said.Text, size = digestOf(children)
	}
	whole := renderSummary(dir, hash, children, said, size)
	w.fresh = append(w.fresh, Summary{p, whole})
	sum := sha256.Sum256([]byte(whole))
	c.Hash, c.text, c.size = hex.EncodeToString(sum[:]), said.Text, tokens.Estimate(whole)
	return c, true
}

// given is the text that the caller has for a folder.
func (w *summaryWriter) given(dir, hash string) (said format.Prose, size int) {
	if w.body == nil {
		return format.Prose{}, 0
	}
	said = w.body(dir, hash)
	text := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(said.Text, ""), "\x00", ""))
	said.Text = digest.UnlinkedLines(secrets.Redact(text, nil))
	if size = tokens.Estimate(said.Text); size > maxSummary {
		return format.Prose{}, 0
	}
	return said, size
}

// isExtract reports whether a summary says what the extract of its children does.
func isExtract(old *format.Entry, children []child) bool {
	text, _ := digestOf(children)
	return bodyOf(old) == text
}

// Coverage lists the items of a folder's summary, for a model that can write a better one than
// the extract.
type Coverage struct {
	Dir      string
	Hash     string          // children_hash
	Children []*format.Entry // without their credentials, sorted by name; of a folder its summary
	Tokens   int             // of all of them
	Budget   int             // about how long a summary shall be, in tokens
	Extract  bool            // what the summary says is the extract
}

// CoverageOf returns it for a folder whose summary is up to date, and so are those below; ok
// is false for others.
func CoverageOf(s *tree.Snapshot, dir string) (c Coverage, ok bool) {
	old, exists := s.Entry(path.Join(dir, format.SummaryFile))
	if !exists || format.Archived(dir) {
		return c, false
	}
	children := (&summaryWriter{s: s}).children(dir)
	c = Coverage{Dir: dir, Hash: hashOf(children)}
	if len(children) == 0 || format.StatedHash(old) != c.Hash {
		return c, false
	}
	for _, child := range children {
		if child.entry == nil {
			return c, false
		}
		c.Tokens += child.tokens()
	}
	if c.Budget, c.Extract = budgetOf(children), isExtract(old, children); c.Extract {
		for _, child := range children {
			c.Children = append(c.Children, child.entry.Redacted())
		}
	}
	return c, true
}

// SummaryState is the children_hash that a folder's summary states, "" without one.
func SummaryState(s *tree.Snapshot, dir string) string {
	if e, ok := s.Entry(path.Join(dir, format.SummaryFile)); ok {
		return format.StatedHash(e)
	}
	return ""
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
			out = append(out, child{Child: tree.Child{Name: path.Base(p), Hash: e.Hash}, entry: e})
		}
	}
	slices.SortFunc(out, func(a, b child) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// digestOf extracts a folder's summary from what it covers, without the credentials in it.
func digestOf(children []child) (text string, size int) {
	d := digest.New(len(children))
	for _, c := range children {
		switch {
		case c.entry == nil:
			d.AddFolder(path.Dir(c.Name), c.text)
		case c.entry.Role == format.RoleSummary:
			d.AddFolder(path.Dir(c.Name), bodyOf(c.entry.Redacted()))
		case c.entry.Role == format.RoleOverview:
			d.SetOverview(c.entry.Redacted())
		default:
			d.AddEntry(c.entry.Redacted())
		}
	}
	text, size = d.Text(budgetOf(children), maxSummary)
	return strings.TrimSpace(sanitize.Visible(text)), size
}

func hashOf(children []child) string {
	list := make([]tree.Child, len(children))
	for i, c := range children {
		list[i] = c.Child
	}
	return tree.ChildrenHash(list)
}

// budgetOf is about how long a summary of children shall be, in tokens.
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
// Summaries", and who wrote what is no extract.
func renderSummary(dir, hash string, children []child, body format.Prose, size int) string {
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
		item := "  - " + yamlName(c.Name) + "\n"
		colons += strings.Count(item, ":")
		if b.Len()+len(item) > maxCovers || colons > format.MaxFrontmatterKeys/2 {
			break
		}
		b.WriteString(item)
	}
	fmt.Fprintf(&b, "covers_token_total: %d\n%ssummary_level: d%d\ntoken_count: %d\ntype: summary\n---\n\n%s\n", covered, body.Mark(),
		order, size, body.Text)
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
