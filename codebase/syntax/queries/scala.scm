; Scala: definitions

(package_clause name: (package_identifier) @module)

(class_definition
  name: (identifier) @name
  body: (template_body)? @body) @definition.class

(object_definition
  name: (identifier) @name
  body: (template_body)? @body) @definition.class

(package_object
  name: (identifier) @name
  body: (template_body)? @body) @definition.module

(trait_definition
  name: (identifier) @name
  body: (template_body)? @body) @definition.interface

(enum_definition
  name: (identifier) @name
  body: (enum_body)? @body) @definition.enum

(simple_enum_case name: (identifier) @name) @definition.constant
(full_enum_case name: (identifier) @name) @definition.class

(function_definition
  name: (_) @name
  body: (_) @body) @definition.function

(function_declaration name: (_) @name) @definition.function
(type_definition name: (type_identifier) @name) @definition.type
(val_definition pattern: (identifier) @name) @definition.variable
(val_declaration name: (identifier) @name) @definition.variable
(var_definition pattern: (identifier) @name) @definition.variable
(var_declaration name: (identifier) @name) @definition.variable

(given_definition
  name: (identifier) @name
  body: (_)? @body) @definition.constant

(block) @local
(indented_block) @local
(lambda_expression) @local
(instance_expression (template_body) @local)
(annotation) @decorator
[(comment) (block_comment)] @doc

; Scala: references

(call_expression function: (identifier) @reference.call)
(call_expression
  function: (field_expression
    value: (identifier) @qualifier
    field: (identifier) @reference.call))
(call_expression function: (field_expression field: (identifier) @reference.call))
(generic_function function: (identifier) @reference.call)
(generic_function
  function: (field_expression
    value: (identifier) @qualifier
    field: (identifier) @reference.call))
(generic_function function: (field_expression field: (identifier) @reference.call))
(field_expression
  value: (identifier) @qualifier
  field: (identifier) @reference.use)
(instance_expression (type_identifier) @reference.call)
(instance_expression (generic_type type: (type_identifier) @reference.call))
(type_identifier) @reference.type
(extends_clause type: (type_identifier) @reference.base)
(extends_clause type: (generic_type type: (type_identifier) @reference.base))
(annotation name: (type_identifier) @reference.decorator)

; Scala: imports

(import_declaration) @import.text
