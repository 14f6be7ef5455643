// Command schemas validates what `brv-lsp install` writes, the plugin's manifests and server.json against the schemas
// that hosts publish, with jsonschema. It is a module of its own, so that the program's has no need of it.
//
//	cd bench/schemas && go run . -program BINARY [-schemas DIR]
//
// The schema of server.json is the one that the MCP registry's module ships. Those of hosts lie in -schemas, by the
// names of [checks]: settings.schema.json of google-gemini/gemini-cli as gemini-settings.json, the others of
// SchemaStore/schemastore; without them these are skipped, and said to be. A schema refuses a file of which a member
// was made a number first, so that one which lets everything pass does not count.
//
// Hosts without a schema: the .mcp.json that several read; mcp.json of VS Code, which has one in the program alone;
// Codex' config.toml, opencode.json and Continue's YAML are checked by the hosts' own readers (docs/agents.md); Cursor,
// Copilot's hooks, Zed, Helix, Neovim and Emacs publish none.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	_ "github.com/modelcontextprotocol/registry/pkg/model" // so that go.mod keeps it
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// check is a file and its schema. With a host, the file is the one that install writes for that host.
type check struct {
	host, file, schema string
	member             string // one that a number must be refused for, dotted
}

const registry = "internal/validators/schemas/2025-12-11.json"

var checks = []check{
	{"", "server.json", registry, "repository"},
	{"", "plugin/plugin.json", "claude-code-plugin-manifest.json", "author"},
	{"", "plugin/.claude-plugin/plugin.json", "claude-code-plugin-manifest.json", "author"},
	{"", "plugin/hooks/hooks.json", "claude-code-settings.json", "hooks.PostToolUse"},
	{"claude-code", ".claude/settings.local.json", "claude-code-settings.json", "hooks.PostToolUse"},
	{"codex", ".codex/hooks.json", "codex-hooks.json", "hooks.PostToolUse"},
	{"gemini", ".gemini/settings.json", "gemini-settings.json", "mcpServers"},
}

func main() {
	program := flag.String("program", "brv-lsp", "the `binary` that installs")
	schemas := flag.String("schemas", "", "`folder` of schemas")
	flag.Parse()
	failed := false
	for _, c := range checks {
		err := c.run(*program, *schemas)
		switch {
		case errors.Is(err, fs.ErrNotExist) && c.schema != registry:
			fmt.Printf("%s: skipped: no %s\n", c.file, c.schema)
		case err != nil:
			failed = true
			fmt.Printf("%s: %v\n", c.file, err)
		default:
			fmt.Printf("%s: valid by %s\n", c.file, filepath.Base(c.schema))
		}
	}
	if failed {
		os.Exit(1)
	}
}

func (c check) run(program, schemas string) error {
	file := filepath.Join("..", "..", c.file)
	if c.host != "" {
		dir, err := os.MkdirTemp("", "brv-schemas-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if out, err := exec.Command(program, "install", c.host, "--yes", "--root", dir).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %s", err, out)
		}
		file = filepath.Join(dir, c.file)
	}
	where := filepath.Join(schemas, c.schema)
	if c.schema == registry {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/modelcontextprotocol/registry").Output()
		if err != nil {
			return err
		}
		where = filepath.Join(strings.TrimSpace(string(dir)), registry)
	}
	schema, err := read(where)
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", schema); err != nil {
		return err
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		return err
	}
	value, err := read(file)
	if err != nil {
		return fmt.Errorf("it cannot be read: %v", err)
	}
	if err := compiled.Validate(value); err != nil {
		return err
	}
	at, _ := value.(map[string]any)
	keys := strings.Split(c.member, ".")
	for _, k := range keys[:len(keys)-1] {
		at, _ = at[k].(map[string]any)
	}
	if at == nil {
		return fmt.Errorf("it has no %s", c.member)
	}
	at[keys[len(keys)-1]] = 7
	if compiled.Validate(value) == nil {
		return fmt.Errorf("the schema lets %s be a number", c.member)
	}
	return nil
}

func read(file string) (any, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return jsonschema.UnmarshalJSON(in)
}
