package tree

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// ArchiveBelow is the decayed importance under which a draft may be archived
// (specification, "Archive System").
const ArchiveBelow = 35

// stubTokens is about how long a stub's text is (specification, "Archive Stub").
const stubTokens = 220

// Candidate is an entry that may be archived.
type Candidate struct {
	Path       string
	Importance float64 // decayed
	Staleness  time.Duration
}

// Archivable lists the entries that are draft and whose decayed importance is
// under 35, the least important first. Staleness is the time since the entry's
// last update, or since someone decided to keep it; 0 if neither is known.
func (s *Snapshot) Archivable(now time.Time) []Candidate {
	var out []Candidate
	for _, e := range s.Entries() {
		if e.Role != RoleEntry {
			continue
		}
		if at := s.Signals(e.Path, now); at.Maturity == Draft && at.Importance < ArchiveBelow {
			out = append(out, Candidate{Path: e.Path, Importance: at.Importance, Staleness: s.Staleness(e.Path, now)})
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(a.Importance, b.Importance) })
	return out
}

// Staleness is the time since an entry's last update, or since someone decided to keep it; 0 if
// neither is known.
func (s *Snapshot) Staleness(at string, now time.Time) time.Duration {
	e, ok := s.Entry(at)
	if !ok {
		return 0
	}
	_, from := e.base(s.usageOf(at))
	if kept := s.usage[at].KeptAt; kept.After(from) {
		from = kept
	}
	if from.IsZero() {
		return 0
	}
	return max(0, now.Sub(from))
}

// archivePaths are where an entry's stub and full text go.
func archivePaths(entry string) (stub, full string) {
	base := archiveDir + "/" + strings.TrimSuffix(entry, ".md")
	return base + ".stub.md", base + ".full.md"
}

// renderStub writes the ghost cue of an entry, about 220 tokens: what it was about
// and what it names, for the searches that would have found the entry. prose is what the
// caller has it say, none for the entry's own sentences.
func renderStub(e *Entry, prose Prose, importance float64, now time.Time) string {
	_, full := archivePaths(e.Path)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nevicted_at: %q\n", now.UTC().Format(time.RFC3339))
	fmt.Fprintf(&b, "evicted_importance: %s\n", strconv.FormatFloat(math.Round(10*bounded(importance, topImportance))/10, 'f', -1, 64))
	text, given := cue(e.Redacted(), prose.Text)
	if !given {
		prose = Prose{}
	}
	fmt.Fprintf(&b, "original_path: %q\noriginal_token_count: %d\npoints_to: %q\n%stype: archive_stub\n---\n\n", e.Path, tokens.Count(e.Text), full, prose.mark())
	return b.String() + text
}

// stubProse is what a stub's sentences may take at first, so that there is room for
// names, by which archived knowledge is looked for. They get what names leave.
const stubProse = stubTokens / 2

// maxCue is what the prose of [Op.Cue] may take, in tokens: the rest of a stub is for names.
const maxCue = 150

// cue writes a stub's text: the title as heading, what the entry says in the few
// sentences that say most, or the caller's prose (given), and its names.
func cue(e *Entry, prose string) (text string, given bool) {
	if prose = oneLineText(secrets.Redact(prose, nil)); prose != "" && tokens.Estimate(prose) <= maxCue {
		text = "# " + clip(plainProse(e.Title), maxTitle) + "\n\n" + paragraph(prose) + "\n"
		return unlinkedLines(text + nameLines(append(entityNames(e, maxEntities), e.Tags...), text)), true
	}
	d := &digest{words: newLexicon(1)}
	src := d.entrySource(e)
	d.sources = []*source{src}
	d.settle()
	names := entityNames(e, maxEntities)
	text = d.cueProse(e, stubProse)
	named := nameLines(append(names, e.Tags...), text)
	if left := stubTokens - tokens.Estimate(text+named); left > 0 {
		text = d.cueProse(e, stubProse+left)
		named = nameLines(append(names, e.Tags...), text)
	}
	return unlinkedLines(text + named), false
}

// cueProse is the heading and the sentences of a stub, in about budget tokens.
func (d *digest) cueProse(e *Entry, budget int) string {
	src, title := d.sources[0], clip(plainProse(e.Title), maxTitle)
	said := d.silence()
	said.add(title, d.words.known(title))
	var prose []string
	if src.lead != "" {
		prose = append(prose, clip(src.lead, 2*maxLead))
		for _, sentence := range splitSentences(src.lead) {
			said.add(sentence, d.words.known(sentence))
		}
	}
	picked, _ := d.pick(said, budget-tokens.Estimate(title+strings.Join(prose, " ")))
	for _, i := range picked[1] {
		prose = append(prose, src.parts[i].text)
	}
	text := "# " + title + "\n"
	if len(prose) > 0 {
		text += "\n" + paragraph(asSentences(prose)) + "\n"
	}
	return text
}

// asSentences joins passages; what ends without a mark gets a full stop.
func asSentences(prose []string) string {
	for i, s := range prose {
		if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".!?:…。！？", last) {
			prose[i] = s + "."
		}
	}
	return strings.Join(prose, " ")
}

// nameLines lists the names that text does not show, as many as fit a stub.
func nameLines(all []string, text string) string {
	left := stubTokens - tokens.Estimate(text) - perPart
	var names []string
	for _, name := range all {
		name = quotedName(oneLineText(name))
		cost := tokens.Estimate(name) + 1
		if cost > left || strings.Contains(text, name) || slices.Contains(names, name) {
			continue
		}
		left -= cost
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return "\nKey entities: " + strings.Join(names, ", ") + ".\n"
}

// Stub is what a stub's frontmatter says.
type Stub struct {
	OriginalPath string
	PointsTo     string // path of the full text in the tree
	EvictedAt    time.Time
	Importance   float64
	Tokens       int
}

// Stub reads an entry of role [RoleStub]; ok is false for others and where its frontmatter
// does not say where the full text is. Places that other versions of the format
// use (`.brv/archive/`, `.brv/archives/`, with and without `.full`) read as the
// place in the tree; a path that leaves the tree is none.
func (e *Entry) Stub() (Stub, bool) {
	if e.Role != RoleStub {
		return Stub{}, false
	}
	value := func(key string) string {
		f, _ := e.Field(key)
		return f.value()
	}
	entry, archived := unarchived(value("points_to"))
	if !archived {
		return Stub{}, false
	}
	s := Stub{OriginalPath: entry}
	_, s.PointsTo = archivePaths(entry)
	if original, _ := unarchived(value("original_path")); original != "" {
		s.OriginalPath = original
	}
	s.EvictedAt, _ = time.Parse(time.RFC3339Nano, value("evicted_at"))
	if v, err := strconv.ParseFloat(value("evicted_importance"), 64); err == nil {
		s.Importance = bounded(v, topImportance)
	}
	if n, err := strconv.Atoi(value("original_token_count")); err == nil {
		s.Tokens = max(n, 0)
	}
	return s, true
}

// unarchived tells which entry a stub's path means: the place of the tree or of
// the archive is taken off, in the archive also the ending. archived is whether
// the path was one of the archive; entry is "" where it leaves the tree.
func unarchived(p string) (entry string, archived bool) {
	p = strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")
	if p == "" || strings.HasPrefix(p, "/") || strings.ContainsRune(p, 0) {
		return "", false
	}
	p = path.Clean(p)
	if inner, ok := strings.CutPrefix(p, ".brv/"); ok {
		p = strings.TrimPrefix(inner, "context-tree/")
		for _, place := range []string{"archive/", "archives/"} {
			if rest, ok := strings.CutPrefix(inner, place); ok {
				p, archived = rest, true
			}
		}
	}
	if rest, ok := strings.CutPrefix(p, archiveDir+"/"); ok {
		p, archived = rest, true
	}
	p = strings.TrimSuffix(p, ".md")
	if archived {
		p = strings.TrimSuffix(p, ".full")
	}
	if p == "" || p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return "", false
	}
	return p + ".md", archived
}

// Full returns the archived text that a stub stands for, by the stub's path or by
// the path of the entry that was archived; ok is false if there is none.
func (s *Snapshot) Full(p string) (*Entry, bool) {
	stub, _ := archivePaths(p)
	if RoleOf(p) == RoleStub {
		stub = p
	}
	e, ok := s.Entry(stub)
	if !ok {
		return nil, false
	}
	at, ok := e.Stub()
	if !ok || at.PointsTo != fullOf(stub) {
		return nil, false
	}
	return s.Entry(at.PointsTo)
}
