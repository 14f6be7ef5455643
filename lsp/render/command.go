package render

// CommandPrefix begins the name of each command.
const CommandPrefix = "brv."

// ReferencesCommand shows the places that mention a file, or the thing at a position.
const ReferencesCommand = CommandPrefix + "showReferences"

// ReviewCommand shows the drift of an entry. The editor provides it, and not the workspace's table, because it
// opens a document there.
const ReviewCommand = CommandPrefix + "reviewEntry"

// EntryCommand opens an entry. The editor provides it too.
const EntryCommand = CommandPrefix + "openEntry"

// ShowReviewCommand shows a pending review. The editor provides it, and not the workspace's table, because it
// opens a document there. Its id is the number of a batch; without one, it shows the oldest batch that concerns
// the entry.
const ShowReviewCommand = CommandPrefix + "showReview"
