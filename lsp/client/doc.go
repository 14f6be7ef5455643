// Package client is the client of one session as the server knows it: what it can do, and
// what it is asked, told and shown.
package client
