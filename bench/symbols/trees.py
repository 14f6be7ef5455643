"""Lists the declarations of C# and Swift files by the tree-sitter grammars of PyPI, in the form that bench/symbols reads.

pip install tree-sitter tree-sitter-c-sharp tree-sitter-swift
python3 bench/symbols/trees.py CHECKOUT > LIST
"""
import json, os, sys
import tree_sitter, tree_sitter_c_sharp, tree_sitter_swift

LANGUAGES = {
    ".cs": tree_sitter.Language(tree_sitter_c_sharp.language()),
    ".swift": tree_sitter.Language(tree_sitter_swift.language()),
}
TYPES = {"class_declaration", "struct_declaration", "interface_declaration", "enum_declaration", "record_declaration",
         "record_struct_declaration", "protocol_declaration", "delegate_declaration"}
FUNCTIONS = {"method_declaration", "local_function_statement", "function_declaration", "protocol_function_declaration"}


def text(node):
    return node.text.decode("utf8", "replace")


def walk(node, path, scope, broken):
    for n in node.children:
        name = n.child_by_field_name("name")
        if n.type in TYPES and name is not None:
            # An extension is no declaration, but what stands in it has its name as container.
            extension = any(c.type == "extension" for c in n.children)
            if not extension and n.type != "delegate_declaration":
                tell(path, name, "class", scope)
            walk(n, path, text(name).split("<")[0].split(".")[-1], broken)
        elif n.type in FUNCTIONS and name is not None:
            tell(path, name, "function", scope)
        elif n.type in ("class_body", "declaration_list", "enum_class_body", "protocol_body", "namespace_declaration",
                        "file_scoped_namespace_declaration", "compilation_unit", "source_file", "global_statement",
                        "preproc_if", "preproc_region", "ERROR"):
            walk(n, path, scope, broken)


def tell(path, name, kind, scope):
    print(json.dumps({"path": path, "name": text(name), "kind": kind, "scope": scope, "line": name.start_point[0] + 1}))


root = sys.argv[1]
for folder, folders, files in os.walk(root):
    folders[:] = sorted(f for f in folders if not f.startswith("."))
    for f in sorted(files):
        language = LANGUAGES.get(os.path.splitext(f)[1])
        if language is None:
            continue
        p = os.path.join(folder, f)
        tree = tree_sitter.Parser(language).parse(open(p, "rb").read())
        if tree.root_node.has_error:
            print(os.path.relpath(p, root), "has errors", file=sys.stderr)
        walk(tree.root_node, os.path.relpath(p, root), "", False)
