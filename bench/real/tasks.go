package main

// task is something a developer would ask an agent to do, with the entry that
// has to be known and the file that has to be changed or read for it.
type task struct {
	text  string
	entry string // path in the tree
	file  string // path in the repository
}

// budgets are the budgets that each task is packed with, in tokens.
var budgets = []int{500, 1000, 2000, 4000, 8000, 16000}

var netTasks = []task{
	{"Start the IPv4 attempt sooner when IPv6 connections hang", "connections/dialing/happy_eyeballs.md", "dial.go"},
	{"A dial to a host with many addresses times out on the first one; share the timeout fairly",
		"connections/dialing/deadline_per_address.md", "dial.go"},
	{"Reject forged UDP replies to DNS queries without failing the lookup", "name_resolution/dns_client/message_round_trip.md",
		"dnsclient_unix.go"},
	{"Support a new option in resolv.conf", "name_resolution/system_files/resolv_conf_and_nsswitch.md", "dnsconfig_unix.go"},
	{"Edits of /etc/hosts are noticed too late", "name_resolution/system_files/hosts_file_cache.md", "hosts.go"},
	{"Cancelling one request makes a concurrent lookup of the same host fail",
		"name_resolution/lookup/shared_lookups_and_cancellation.md", "lookup.go"},
	{"io.Copy from a Unix socket to a TCP connection should not go through user space", "connections/copying/splice_and_sendfile.md",
		"splice_linux.go"},
	{"Idle HTTP connections pile up; limit them per host", "http/client/idle_connection_pool.md", "http/transport.go"},
	{"A POST is sent twice after the server closed a keep-alive connection", "http/client/retry_of_requests.md", "http/transport.go"},
	{"Explain the panic when two ServeMux wildcard patterns overlap", "http/server/route_matching.md", "http/pattern.go"},
	{"Shutdown returns while a WebSocket is still open", "http/server/graceful_shutdown.md", "http/server.go"},
	{"Allow cross-site form posts from one trusted origin", "http/server/cross_origin_protection.md", "http/csrf.go"},
}

var ownTasks = []task{
	{"how does hover find its answer", "architecture/requests/life_of_a_hover.md", "workspace/describe/about.go"},
	{"A relation to a topic without context.md should list its entries", "context_tree/relations/resolution.md", "tree/resolve.go"},
	{"Allow YAML tags in the frontmatter", "context_tree/format/frontmatter_limits.md", "tree/format/frontmatter.go"},
	{"A source file makes the syntax worker hang; kill it sooner", "code/syntax/worker_process.md", "codebase/syntax/pool.go"},
	{"tsconfig paths with a star do not resolve", "code/graph/imports_to_files.md", "codebase/imports/tsconfig.go"},
	{"Support clients that offer only utf-32 positions", "language_server/positions/encoding_negotiation.md", "lsp/position/mapper.go"},
	{"The draft of a curated selection should name its author", "language_server/actions/curate_selection.md", "curate/render.go"},
	{"Open files through links inside the folder", "security/files/everything_through_the_jail.md", "internal/jail/jail.go"},
}

var zodTasks = []task{
	{"Object parsing is slow where the content security policy forbids eval", "schemas/objects/generated_object_parser.md",
		"src/v4/core/schemas.ts"},
	{"Report every unknown key of a strict object as its own issue", "schemas/objects/unknown_keys.md", "src/v4/core/schemas.ts"},
	{"The error message passed to parse is ignored when the schema has one", "errors/messages/order_of_error_maps.md",
		"src/v4/core/util.ts"},
	{"Add a locale for Brazilian Portuguese", "errors/messages/locales.md", "src/v4/locales/index.ts"},
	{"flattenError loses the issues inside of unions", "errors/shapes/flatten_format_treeify.md", "src/v4/core/errors.ts"},
	{"toJSONSchema should describe the input side of a transform", "metadata/json_schema/conversion.md", "src/v4/core/to-json-schema.ts"},
	{"Metadata set with meta() is gone after calling min()", "metadata/registries/registry_and_inheritance.md",
		"src/v4/core/registries.ts"},
	{"Two options of a discriminated union share one discriminator value", "schemas/unions/discriminated_union_lookup.md",
		"src/v4/core/schemas.ts"},
	{"encode fails on a schema with a transform", "schemas/pipes/codecs_and_direction.md", "src/v4/core/schemas.ts"},
	{"Make instanceof work for schemas from another copy of the package", "schemas/construction/traits_instead_of_classes.md",
		"src/v4/core/core.ts"},
}
