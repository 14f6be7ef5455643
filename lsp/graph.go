package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// graphCommand follows who mentions whom. It answers with URIs.
const graphCommand = render.CommandPrefix + "graph"

// runGraph runs the command.
func runGraph(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	own, err := requestOf[consult.GraphRequest](sc, req)
	if err != nil {
		return nil, err
	}
	return sc.graph(ctx, own)
}

// graphResult is a graph in the client's terms.
type graphResult struct {
	*consult.GraphResponse
	Nodes []graphNode `json:"nodes"`
}

// graphNode is a node with its file.
type graphNode struct {
	consult.GraphNode
	URI uri.URI `json:"uri"`
}

// graph is a graph in the client's terms.
func (sc *scene) graph(ctx context.Context, req consult.GraphRequest) (*graphResult, error) {
	g, err := consult.Graph(ctx, sc.View, req)
	if err != nil {
		return nil, err
	}
	out := &graphResult{GraphResponse: g, Nodes: make([]graphNode, 0, len(g.Nodes))}
	for _, n := range g.Nodes {
		out.Nodes = append(out.Nodes, graphNode{n, sc.URI(n.FilePath)})
	}
	return out, nil
}

// graphContent is the document of an entry's graph: a diagram, and the same as a list.
func graphContent(ctx context.Context, sc *scene, name string) (string, error) {
	g, err := sc.graph(ctx, consult.GraphRequest{Path: name, Limit: diagramNodes})
	if err != nil {
		return "", err
	}
	return graphText(g), nil
}

// diagramNodes is the most nodes of a diagram: more cannot be read.
const diagramNodes = 40

// graphText renders a graph. Nodes are known by numbers there, and what they are called is
// quoted: no name can write the diagram.
func graphText(g *graphResult) string {
	var b strings.Builder
	number := map[string]int{}
	fmt.Fprintf(&b, "# Who mentions whom: %s\n\n```mermaid\nflowchart LR\n", markup.Literal(markup.OneLine(g.Nodes[0].Name)))
	for i, n := range g.Nodes {
		number[n.ID] = i
		left, right := "[\"", "\"]"
		if n.Kind != navigate.ItemEntry {
			left, right = "([\"", "\"])"
		}
		fmt.Fprintf(&b, "  n%d%s%s%s\n", i, left, diagramLabel(n.Name), right)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", number[e.From], number[e.To])
	}
	b.WriteString("```\n")
	list := func(title string, want func(consult.GraphEdge) (string, bool)) {
		shown := false
		for _, e := range g.Edges {
			id, ok := want(e)
			if !ok {
				continue
			}
			if !shown {
				b.WriteString("\n## " + title + "\n\n")
				shown = true
			}
			b.WriteString(g.Nodes[number[id]].line(e.Count))
		}
	}
	start := g.Nodes[0].ID
	list("It mentions", func(e consult.GraphEdge) (string, bool) { return e.To, e.From == start })
	list("It is mentioned by", func(e consult.GraphEdge) (string, bool) { return e.From, e.To == start })
	if g.Left > 0 {
		fmt.Fprintf(&b, "\n%d more are left out.\n", g.Left)
	}
	return b.String()
}

// line is an item of the list.
func (n graphNode) line(count int) string {
	target := string(n.URI)
	if n.Line > 0 {
		target += fmt.Sprintf("#L%d", n.Line)
	}
	times := ""
	if count > 1 {
		times = fmt.Sprintf(", %d times", count)
	}
	return fmt.Sprintf("- [%s](<%s>) %s%s\n", markup.Literal(markup.OneLine(n.Name)),
		strings.NewReplacer("<", "%3C", ">", "%3E").Replace(target),
		markup.CodeSpan(markup.OneLine(n.FilePath)), times)
}

// maxLabel bounds a label of a diagram, in characters.
const maxLabel = 60

// diagramLabel is a text inside of the quotes of a mermaid diagram, which knows entities
// and HTML there.
func diagramLabel(text string) string {
	runes := []rune(markup.OneLine(text))
	if len(runes) > maxLabel {
		runes = append(runes[:maxLabel], '…')
	}
	var b strings.Builder
	for _, r := range runes {
		if strings.ContainsRune("\"#<>&`;\\[](){}", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
