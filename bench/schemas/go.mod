module github.com/brv-lsp/brv-lsp/bench/schemas

go 1.26.0

require (
	github.com/modelcontextprotocol/registry v1.8.8
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require golang.org/x/text v0.42.0 // indirect
