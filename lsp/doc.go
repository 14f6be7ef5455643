// Package lsp is the language server: it turns the protocol into questions to a
// [workspace.Workspace] and the answers into the protocol's terms. It decides
// nothing about knowledge or code; what a hover says is decided by
// [describe.Place], how it looks is decided by [render.About].
//
// # Where things are
//
// One file for a request, named by a row of the table in methods.go: it takes a scene, asks the workspace, has the
// answer rendered. What several
// of them need lies below this package, each part with its own state and locks:
//
//	config       settings, trust and models of folders, and their opening
//	diagnostics  problems and lenses, pulled and pushed
//	render       answers in the protocol's terms
//	state        folders, open documents, the scene of a request
//	dispatch     order, cancellation and failure of messages
//	client       what the client can do, is asked and is told
//	markup       foreign text that does nothing but be read
//	position     coordinates
//	wire         framing, and the reading of parameters
//
// A part takes its own lock and then, at most, one of a part below it. A lock is held while the
// client is asked or told something only where that keeps the order of what is sent: problems
// ([diagnostics.Diagnostics]), progress ([client.Progress]), registrations of watchers, keys.
//
// # Life of a message
//
// A [wire.Stream] cuts the input into messages, with limits, and answers what is no
// message. A [dispatch.Dispatcher] runs each on the read loop, in the order of the wire:
//
//   - A notification runs to its end there. It swaps an immutable value (the
//     open document, the workspace's view) and costs about as much as the edit.
//     Its errors and panics are logged; nothing a client notifies can end the
//     session.
//   - A call is split in two. Its first part decodes the parameters and takes a
//     [scene] (the document at this version and the view that contains exactly
//     it); then the read loop goes on. Its second part, the [dispatch.Work], computes the
//     answer from those values, concurrently with everything else, until it is
//     done or cancelled.
//
// So an answer is always about what the client had sent before it asked, and no
// answer delays a keystroke. Calls to the client are made only by work and by
// goroutines of [client.Client.Spawn]: on the read loop they would wait for ever.
//
// # What can go wrong, and what then happens
//
//	JSON that does not parse, a request that is none     error response without id; session goes on
//	a header block that cannot be read                   session ends: the next message cannot be found
//	a body over 64 MiB, of 1,000 levels, not in UTF-8    passed over, error response without id
//	a panic                                              -32603 for a call, a log line; session goes on
//	three panics of one call within a minute             it is refused (-32803) until they are older
//	a didChange that cannot be understood, that panics,  the document counts as lost until its next full text or save:
//	or whose version does not grow                       no answers about it rather than wrong ones
//	a cancelled call                                     -32800 at once, its work is left alone; work that changes something is
//	                                                     waited for, and its outcome is the answer
//	a document that changed while an answer was made     -32801 for clients that drop such answers
//	a client that does not read                          only the newest problems and progress wait; session ends
//	                                                     after 64 MiB or 60 s
//	the client's process is gone                         session ends within 5 s
//	a failed hover, definition, completion, …            empty answer, a log line
//	a failed command                                     the error, with its hint, for the user
//
// # Coordinates
//
// The protocol counts lines and, by agreement, bytes, UTF-16 units or code
// points; everything below counts bytes. [position.Mapper] is the only place where one
// becomes the other. Files are named by URIs there and by slash paths relative
// to the folder below; [state.Innermost] is the only place where one becomes the
// other, and it never looks at a prefix of a string.
//
// # Documents that are not on disk
//
// The scheme brv names what the server can show again (see [textDocumentContent]):
// packs, answers, and the reviews of entries that no longer fit the code. They are views: nothing
// is written to them, and the user changes the entry itself.
//
// # Limits
//
// One workspace for each workspace folder, the innermost one answers. A document
// outside of every folder gets empty answers. Nothing is written but through the
// editor, after a preview or a question, and by commands that the user runs and that
// change the tree (curate, archive, approve, reject, undo, init, dream), and, in a folder that the
// user trusts, by a dream once nobody does anything (see [state.Idleness]): they write to the disk,
// and never under unsaved text. Standard output carries the protocol only; logs go to [Options].Log,
// and warnings to the client as well.
package lsp
