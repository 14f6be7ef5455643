package position

import "go.lsp.dev/protocol"

// LooseRange is a range as clients send it in our own requests.
type LooseRange struct{ Start, End Loose }

// Bounds returns the range as a range of the protocol.
func (r LooseRange) Bounds() protocol.Range {
	return protocol.Range{Start: r.Start.Position(), End: r.End.Position()}
}
