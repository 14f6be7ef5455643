package curate

import (
	"fmt"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// idea is a piece of knowledge from the material, before a topic is chosen.
type idea struct {
	title   string
	summary string
	reason  string
	content format.Content
	about   []part // the files that it is about, largest share first
	home    string // a path that names a topic of its own
	entry   string // the entry from which it was selected
	from    string // its source, for messages
	change  bool   // it describes a change of code
	commit  string // the commit whose message it is, or ""
}

// part is a file that an idea is about, with the definitions in question and the file's share of the idea. The
// shares of one idea add up to 1.
type part struct {
	path    string
	from    string // its former name, if it was renamed
	symbols []string
	share   float64
}

// drafting is the state of one call of Propose.
type drafting struct {
	Project
	links    *link.Links    // nil if nothing is linked
	work     *tree.Snapshot // the tree with the drafts so far
	topic    string         // the topic for all drafts; "" if links choose it
	anyTopic bool           // accept the most likely topic
	left     int            // how many drafts were left out for lack of room
	proposal Proposal
}

func (d *drafting) note(format string, args ...any) {
	d.proposal.Notes = append(d.proposal.Notes, fmt.Sprintf(format, args...))
}

// refuse records why something was not drafted.
func (d *drafting) refuse(format string, args ...any) {
	d.proposal.Refused = append(d.proposal.Refused, fmt.Sprintf(format, args...))
}

// tool is this program's name in an origin.
const tool = "brv-lsp"
