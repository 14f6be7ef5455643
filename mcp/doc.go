// Package mcp is the tool server for agents: it turns the Model Context Protocol into
// questions to a [workspace.Workspace] and the answers into tool results. It decides
// nothing about knowledge or code.
//
// # Tools
//
// Seven tools stand in one table ([tools]); each is a file: its parameters, and a
// function from checked arguments to an [answer]. One list of parameters makes both
// the input schema and the check, so that the message about a wrong argument names
// the field and what is allowed. brv_curate changes nothing by itself: what it
// proposes is held until a person approves it. brv_review asks that person, by an
// elicitation, and does nothing without a yes ([question]).
//
// # What an agent reads
//
// A result is one text, never longer than the tokens that were asked for, and a small
// structured part: sources, counts, what was left out. The words of the server come
// first; what files say stands between two tags that no file can write ([frame]), so
// that an entry cannot pose as the server.
//
// # Life of a request
//
// [wire] reads a line and hands it to the SDK if that can read it and the answer can have
// its id; else it answers itself. The SDK decodes the parameters and calls [server.guard], which
// stands around every request: it recovers panics, refuses what the SDK would take or could
// not refuse ([server.checked]), bounds how many work at once, and lets a cancelled one end
// at once while its work winds down behind it. The folder is opened by the first request
// that needs it ([server.open]), because its place may have to be asked of the client. The
// answer goes out through [connection], which sees to it that it can be written. Change on
// disk becomes notifications about the resources.
//
// What the SDK does before guard and behind it ends the process if it panics, and the session
// if it returns an error to its own loop. So errors are given their code and their text here,
// batches are taken apart here, and results are JSON before the SDK has them.
//
// # Many agents
//
// [ServeHTTP] has any number of sessions on one server and one folder, by the SDK's streamable
// HTTP. What a page in a browser, another user or another machine could send is refused before the
// SDK sees it ([admitted]): the listener is on the loopback interface, a request names it as its
// host, and shows the user's token ([Token]). A message is checked as a line is, without what
// [connection] does for answers: where the SDK cannot write one, that session alone ends.
//
// # Limits
//
// Logs go to [Options].Log. One folder for a server at a time: the first of the client's roots that
// can be read, where neither --root nor a context tree around the working directory decides. In the protocol 2026-07-28 a server
// cannot ask for roots, so --root or the working directory decide. A
// model is asked only where the user's own settings name one, the folder is trusted and the
// caller allows a tier above 2 (model.go).
package mcp
