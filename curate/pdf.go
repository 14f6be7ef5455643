package curate

import (
	"bytes"
	"context"
	"fmt"

	"github.com/brv-lsp/brv-lsp/curate/pdftext"
)

// isPDF tells a PDF by its first bytes, whatever its name.
func isPDF(data []byte) bool { return bytes.HasPrefix(data, []byte("%PDF-")) }

// readPDF makes a source of a PDF's text.
func readPDF(ctx context.Context, name string, data []byte) (Source, error) {
	text, err := pdftext.Convert(ctx, data, pdftext.Options{})
	if ctx.Err() != nil {
		return Source{}, ctx.Err()
	}
	if err != nil {
		return Source{}, fmt.Errorf("%s: a PDF whose text cannot be read: %w", name, err)
	}
	return Source{Path: name, Kind: KindText, Text: scrubbed(text.Text), Note: text.Note}, nil
}
