package vault

import "github.com/brv-lsp/brv-lsp/tree/format"

func isTopic(File) bool { return false }

func topicOf(e *format.Entry) string { return e.Text }
