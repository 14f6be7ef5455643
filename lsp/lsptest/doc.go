// Package lsptest is a scripted editor: a language client for tests and for the
// bench, which speaks to a server in this process ([Start]) or to any server at
// the other end of two pipes ([Attach]).
//
// It is written against the protocol's text and not with the protocol library
// that the server uses: it has its own framing, its own JSON and its own
// arithmetic of positions, so that a mistake of the one is seen by the other.
//
// While it speaks, it checks that the server keeps to what both announced and that
// every place it names exists ([Editor.Violations]).
//
// Places are byte offsets into the text of an open document, which the editor
// keeps and converts to the encoding that was negotiated. Whatever the server
// sends is recorded; its requests are answered as an editor without a user would,
// unless [Editor.Answer] says otherwise. Waiting is always for something
// recorded, never for time to pass; [Clock] stands in for the server's timers.
package lsptest
