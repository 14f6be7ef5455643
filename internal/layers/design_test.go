package layers

import (
	"fmt"
	"regexp"
	"strings"
)

// order is the list of packages, top first, with the position of each.
type order map[string]int

var (
	packageName = regexp.MustCompile(`^[a-z][a-z0-9_./-]*$`)
	columns     = regexp.MustCompile(`\s{2,}`)
	between     = regexp.MustCompile(`, | · `)
)

// readOrder reads the first fenced block that lists packages: each line holds
// names, then two spaces or more and what they do. The last lines may hold names
// only, set apart by two spaces.
func readOrder(design string) (order, error) {
	blocks := strings.Split("\n"+design, "\n```")
	for i := 1; i < len(blocks); i += 2 {
		_, block, _ := strings.Cut(blocks[i], "\n") // behind the fence's language
		if list := readBlock(block); len(list) > 1 {
			return list, nil
		}
	}
	return nil, fmt.Errorf("docs/design.md: no fenced block lists the packages")
}

func readBlock(block string) order {
	list := order{}
	for line := range strings.Lines(block) {
		for i, column := range columns.Split(strings.TrimSpace(line), -1) {
			for _, name := range between.Split(column, -1) {
				isName := packageName.MatchString(name) && (i == 0 || strings.Contains(name, "/"))
				if _, twice := list[name]; isName && !twice {
					list[name] = len(list)
				}
			}
		}
	}
	return list
}

// programs is the folder of measuring programs: the packages below it stand where
// it does in the list, and may import each other.
const programs = "bench"

// place returns a package's position in the list; below another means greater.
func (o order) place(folder string) (int, bool) {
	if covers(programs, folder) {
		folder = programs
	}
	at, ok := o[folder]
	return at, ok
}

// owners says which packages, and the folders below them, may import an outside
// dependency or a restricted package of the standard library. A path covers
// itself and everything below it. Nobody owns what has an empty list.
var owners = map[string][]string{
	"C": {"codebase/syntax"},
	// its worker; git, also for tests; the programs that are measured; the editor that a person names
	"os/exec": {"codebase/syntax", "internal/git", "workspace/workspacetest", programs, "cmd/brv-lsp"},
	// a pipe in memory; what is dialled; what listens on the loopback interface; sockets inside the machine
	"net": {"lsp/lsptest", "llm/remote", "internal/outbound", "organisation/gateway", "mcp", "internal/ipc"},
	// what is asked of one address, and by whom; a server with scripted replies; agents that share one server
	"net/http":                                     {"internal/outbound", "llm/remote", "llm/llmtest", "organisation", "mcp"},
	"net/rpc":                                      {},
	"go.lsp.dev":                                   {"lsp"},
	"github.com/modelcontextprotocol":              {"mcp"},
	"charm.land/bubbletea":                         {"terminal"},
	"github.com/charmbracelet":                     {"terminal"},
	"github.com/coreos/go-oidc":                    {"organisation"},
	"github.com/go-jose/go-jose":                   {"organisation"},
	"github.com/blevesearch/bleve/v2":              {"retrieval"},
	"github.com/blevesearch/bleve_index_api":       {"retrieval"},
	"github.com/blevesearch/scorch_segment_api/v2": {"retrieval"},
	"github.com/blevesearch/vellum":                {"retrieval"},
	"github.com/blevesearch/zapx/v17":              {"retrieval"},
	"github.com/blevesearch/snowballstem":          {"internal/words"},
	"github.com/smacker/go-tree-sitter":            {"codebase/syntax"},
	"github.com/tree-sitter":                       {"codebase/syntax"},
	"github.com/tree-sitter-grammars":              {"codebase/syntax"},
	"go.yaml.in/yaml/v3":                           {"tree"},
	"golang.org/x/text":                            {"documents", "internal/words", "tree"},
	"golang.org/x/sys":                             {"internal/jail"},
	diffs:                                          {"internal/markdown", "internal/git"},
	"github.com/bmatcuk/doublestar/v4":             {"internal/glob"},
	"github.com/fsnotify/fsnotify":                 {"internal/watch"},
	"github.com/pelletier/go-toml/v2":              {"host", "codebase/imports"},
	"github.com/tailscale/hujson":                  {"host", "codebase/imports"},
	"github.com/tiktoken-go/tokenizer":             {"internal/tokens"},
	"github.com/hashicorp/golang-lru":              {"internal/lru"},
}

// diffs is the one package of a test library that the program uses too.
const diffs = "github.com/rogpeppe/go-internal/diff"

// testOnly are libraries that only test files import.
var testOnly = []string{"github.com/rogpeppe/go-internal", "github.com/google/go-cmp", "github.com/yuin/goldmark"}

// forbidden are names that say nothing about what a package is for.
var forbidden = map[string]bool{"util": true, "utils": true, "common": true, "helper": true, "helpers": true, "manager": true,
	"misc": true}

// pure are packages whose answers depend on their arguments alone: neither they nor the packages of ours that they
// import use one of outside.
var pure = []string{"tree/plan"}

// outside are the standard packages, with those below them, that reach a disk, a process, the network or the
// environment.
var outside = []string{"io/fs", "net", "os", "path/filepath", "plugin", "syscall"}
