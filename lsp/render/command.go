package render

// CommandPrefix begins the name of each command.
const CommandPrefix = "brv."

// ReferencesCommand lists what mentions a file, or the thing at a position.
const ReferencesCommand = CommandPrefix + "showReferences"

// ReviewCommand shows what an entry names that is not as it was. It is the editor's
// and not of the workspace's table, because it opens a document there.
const ReviewCommand = CommandPrefix + "reviewEntry"

// EntryCommand opens an entry. It is the editor's, too.
const EntryCommand = CommandPrefix + "openEntry"

// ShowReviewCommand shows what waits for a review. It is a command of the editor's and not
// of the workspace's table, because it opens a document there. Its id is the number of a
// batch; without one it is the oldest that concerns the entry.
const ShowReviewCommand = CommandPrefix + "showReview"
