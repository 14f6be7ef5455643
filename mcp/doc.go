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
// [guard] stands around every request: it recovers panics, bounds how many work at
// once, and lets a cancelled one end at once while its work winds down behind it. The
// folder is opened by the first request that needs it ([server.open]), because its
// place may have to be asked of the client. Change on disk becomes notifications
// about the resources.
//
// # Limits
//
// Standard input and output only; logs go to [Options].Log. One folder for a session:
// a change of the client's roots does not move it. In the protocol 2026-07-28 a server
// cannot ask for roots, so --root or the working directory decide, nor for its model. A
// model is asked only where the user's own settings name one, the folder is trusted and the
// caller allows a tier above 2 (model.go).
package mcp
