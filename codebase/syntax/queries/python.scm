; Python: definitions

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

(type_alias_statement
  .
  (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

(expression_statement
  (assignment left: (identifier) @name)) @definition.variable

(decorated_definition definition: (_) @wrapped) @wrap
(decorator) @decorator
(lambda) @local
(comment) @doc
(expression_statement . (string) @docstring .)

; Python: references

(call function: (identifier) @reference.call)
(call
  function: (attribute
    object: (identifier) @qualifier
    attribute: (identifier) @reference.call))
(call
  function: (attribute attribute: (identifier) @reference.call))
(attribute
  object: (identifier) @qualifier
  attribute: (identifier) @reference.use)
(class_definition
  superclasses: (argument_list (identifier) @reference.base))
(class_definition
  superclasses: (argument_list
    (attribute
      object: (identifier) @qualifier
      attribute: (identifier) @reference.base)))
(class_definition
  superclasses: (argument_list (subscript value: (identifier) @reference.base)))
(decorator (identifier) @reference.decorator)
(decorator (call function: (identifier) @reference.decorator))
(decorator
  (attribute
    object: (identifier) @qualifier
    attribute: (identifier) @reference.decorator))
(decorator
  (call function: (attribute
    object: (identifier) @qualifier
    attribute: (identifier) @reference.decorator)))
(type (identifier) @reference.type)
(type (generic_type (identifier) @reference.type))
(type
  (attribute
    object: (identifier) @qualifier
    attribute: (identifier) @reference.type))

; Python: imports

(import_statement name: (dotted_name) @import @import.spec)
(import_statement
  name: (aliased_import
    name: (dotted_name) @import.spec
    alias: (identifier) @import.alias) @import)
(import_from_statement module_name: (_) @import.spec) @import
(import_from_statement name: (dotted_name) @import.name) @import
(import_from_statement
  name: (aliased_import
    name: (dotted_name) @import.name
    alias: (identifier) @import.as)) @import
(import_from_statement (wildcard_import) @import.name) @import
(call
  function: [(identifier) @require (attribute attribute: (identifier) @require)]
  arguments: (argument_list . (string) @import.spec)) @import
