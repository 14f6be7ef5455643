// Package mcp is the tool server for agents. It turns requests of the Model Context Protocol into questions to a
// [workspace.Workspace], and the answers into tool results. It decides nothing about knowledge or code.
//
// # Tools
//
// The seven tools are in one table ([tools]). Each has a file with its parameters, and with a function from
// checked arguments to an [answer]. One list of parameters gives both the input schema and the check, so that the
// message about a wrong argument names the field and the allowed values. brv_curate changes nothing by itself: its
// proposals wait until a person approves them. brv_review asks that person through an elicitation, and does
// nothing without a yes ([question]).
//
// # What an agent reads
//
// A result is one text, with at most the requested number of tokens, and a small structured part: sources, counts,
// omissions. The server's own words come first. Text from files is between two tags that no file can write
// ([sanitize.Frame]), so that an entry cannot pretend to be the server.
//
// # Life of a request
//
// [wire] reads a line. If the SDK can read it, and the answer can have its id, it goes to the SDK; otherwise wire
// itself answers. The SDK decodes the parameters and calls [server.guard], which wraps every request. guard
// recovers panics, refuses requests that the SDK would wrongly accept or could not refuse ([server.checked]), and
// limits how many run at once. A cancelled request ends at once, and its work ends in the background. The first
// request that needs the folder opens it ([server.open]), since the client may have to be asked for its place. The
// answer goes out through [connection], which makes sure that it can be written. Changes on disk become
// notifications about the resources.
//
// If the SDK panics before or after guard, the process ends. If it returns an error to its own loop, the session
// ends. So this package gives errors their code and text, splits batches, and encodes results as JSON before the
// SDK gets them.
//
// # Many agents
//
// [ServeHTTP] serves any number of sessions on one folder, with the SDK's streamable HTTP. Requests from a page in
// a browser, another user or another machine are refused before the SDK sees them ([admitted]): the listener is on
// the loopback interface, and a request must name it as its host and have the user's token ([Token]). A message is
// checked like a line. But answers do not pass through a [connection]: if the SDK cannot write one, that session
// ends.
//
// # Limits
//
// Logs go to [Options].Log. A server serves one folder at a time. If neither --root nor a context tree around the
// working directory determines it, it is the first of the client's roots that can be read. In the protocol
// 2026-07-28 a server cannot ask for roots, so only --root or the working directory counts. A model is called only
// if the user's own settings name one, the folder is trusted, and the caller allows a tier above 2 (root.go).
package mcp
