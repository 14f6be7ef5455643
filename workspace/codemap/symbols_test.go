package codemap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestSymbolsAreFoundAsTheyAreWritten has what people and agents copy out of code, messages and other tools.
func TestSymbolsAreFoundAsTheyAreWritten(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	w := workspacetest.Open(t, map[string]string{
		"src/pay.go":  "package src\n\nfunc Charge(order string) {}\n\ntype Server struct{}\n\nfunc (s *Server) Refund() {}\n",
		"src/card.go": "package src\n\ntype Card struct{}\n\nfunc (c Card) Refund() {}\n",
		"web/cart.py": "class Cart:\n    def empty_all(self):\n        pass\n",
	}, workspace.Options{})
	const charge, server, card, cart = "src/pay.go:3", "src/pay.go:7", "src/card.go:5", "web/cart.py:2"
	for query, want := range map[string]string{
		"func Charge(order)": charge, "class Charge": charge, "pay->Charge": charge, "Charge*": charge,
		"Charge": charge, "Charge()": charge, "Charge(order)": charge, "`Charge`": charge, "\"Charge\"": charge, "Charge<T>": charge,
		"Charge[int](x)": charge, "src.Charge": charge, "pay.Charge": charge, "pay.Charge()": charge, "example.org/app/src.Charge": charge,
		"src/pay.go:Charge": charge, "src/pay.go::Charge": charge, "src/pay.go#Charge()": charge, "pay.go:Charge": charge, "./src/pay.go:Charge": charge,
		"src/pay.go:3:Charge": charge, "a/src/pay.go:Charge": charge, w.Root() + "/src/pay.go:Charge": charge, "&Charge": charge,
		"Server.Refund": server, "(*Server).Refund": server, "*Server.Refund()": server, "Server::Refund": server, "Server#Refund": server,
		"src.Server.Refund": server, "src/pay.go:Server.Refund": server, "src/pay.go:Refund": server, "src/card.go:Refund": card,
		"Card{}.Refund": card + " " + server, "web.cart.Cart.empty_all": cart, "web/cart.py::Cart::empty_all": cart, "cart:empty_all": cart, "Cart.empty_all(self)": cart,
		"Refund": card + " " + server, "src/other.go:Charge": "", "nothing()": "", "::": "", "()": "", "src/pay.go:": "",
	} {
		r, err := Symbols(t.Context(), w.View(), SymbolsRequest{Query: query})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var got []string
		for _, s := range r.Symbols {
			got = append(got, fmt.Sprintf("%s:%d", s.Path, s.Line))
		}
		if strings.Join(got, " ") != want || r.Total != len(got) {
			t.Errorf("%s: %v of %d, want %s", query, got, r.Total, want)
		}
	}
}
