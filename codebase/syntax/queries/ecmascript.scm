; What JavaScript and TypeScript have in common: definitions

(function_declaration
  name: (identifier) @name
  body: (statement_block)? @body) @definition.function

(generator_function_declaration
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

(method_definition
  name: [(property_identifier) (private_property_identifier)] @name
  body: (statement_block) @body) @definition.method

; const f = () => …, function components included
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function

(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
    ])) @definition.function

; a function wrapped in a call: memo(() => …), forwardRef(function …)
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: (call_expression
      arguments: (arguments . [
        (arrow_function body: (statement_block) @body)
        (function_expression body: (statement_block) @body)
      ])))) @definition.function

(lexical_declaration
  kind: "const"
  (variable_declarator name: (identifier) @name)) @definition.constant

(lexical_declaration
  kind: "let"
  (variable_declarator name: (identifier) @name)) @definition.variable

(variable_declaration
  (variable_declarator name: (identifier) @name)) @definition.variable

(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: (class body: (class_body) @body))) @definition.class

; app.handle = function …, exports.name = () => …
(expression_statement
  (assignment_expression
    left: (member_expression
      object: (_) @container
      property: (property_identifier) @name)
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (class body: (class_body) @body)
    ])) @definition.method

(arrow_function) @local
(function_expression) @local
(comment) @doc
(decorator) @decorator

(export_statement declaration: (_) @wrapped) @export
(export_statement value: (identifier) @exported.name)
(export_statement
  !source
  (export_clause (export_specifier name: (identifier) @exported.name)))

; module.exports = name, module.exports = { name, other: name }
(assignment_expression
  left: (member_expression object: (identifier) @exporter property: (property_identifier))
  right: (identifier) @exported.name)
(assignment_expression
  left: (member_expression object: (identifier) @exporter property: (property_identifier))
  right: (object (shorthand_property_identifier) @exported.name))
(assignment_expression
  left: (member_expression object: (identifier) @exporter property: (property_identifier))
  right: (object (pair value: (identifier) @exported.name)))

; references

(call_expression function: (identifier) @reference.call)
(call_expression
  function: (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.call))
(call_expression
  function: (member_expression
    property: (property_identifier) @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression
  constructor: (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.call))
(decorator (identifier) @reference.decorator)
(decorator (call_expression function: (identifier) @reference.decorator))
(decorator
  (member_expression
    object: (identifier) @qualifier
    property: (property_identifier) @reference.decorator))

; imports

(import_statement source: (string) @import.spec) @import
(import_statement
  (import_clause (identifier) @import.alias)) @import
(import_statement
  (import_clause (namespace_import (identifier) @import.alias))) @import
(import_statement
  (import_clause
    (named_imports (import_specifier
      name: (_) @import.name
      alias: (identifier)? @import.as)))) @import

(export_statement source: (string) @import.spec) @import.reexport
(export_statement
  (export_clause (export_specifier
    name: (_) @import.name
    alias: (_)? @import.as))
  source: (string)) @import.reexport
(export_statement
  (namespace_export (_) @import.alias)) @import.reexport

(call_expression
  function: (identifier) @require
  arguments: (arguments . (string) @import.spec)) @import
(call_expression
  function: (import)
  arguments: (arguments . (string) @import.spec)) @import

; new URL("./worker.ts", import.meta.url), import.meta.resolve("./worker.ts")
(call_expression
  function: (member_expression object: (member_expression object: (import))) @require
  arguments: (arguments . (string) @import.spec)) @import
(new_expression
  constructor: (identifier) @require
  arguments: (arguments . (string) @import.spec . (member_expression))) @import
