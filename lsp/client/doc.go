// Package client represents the client of one session: its capabilities, and the requests and messages that
// the server sends it.
package client
