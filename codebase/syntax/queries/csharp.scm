; C#: definitions

(namespace_declaration name: (_) @module)
(file_scoped_namespace_declaration name: (_) @module)

(class_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.class

(record_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.class

(struct_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.struct

(interface_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (enum_member_declaration_list) @body) @definition.enum

(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type

(method_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

; of a program without a class
(global_statement
  (local_function_statement
    name: (identifier) @name
    body: (_)? @body) @definition.function)

(constructor_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

(property_declaration
  name: (identifier) @name
  accessors: (accessor_list)? @body
  value: (arrow_expression_clause)? @body) @definition.variable

(field_declaration
  (variable_declaration
    (variable_declarator name: (identifier) @name))) @definition.variable

(event_field_declaration
  (variable_declaration
    (variable_declarator name: (identifier) @name))) @definition.variable

(event_declaration name: (identifier) @name) @definition.variable

(attribute_list) @decorator
(comment) @doc

; C#: references

(invocation_expression function: (identifier) @reference.call)
(invocation_expression function: (generic_name (identifier) @reference.call))
(invocation_expression
  function: (member_access_expression
    expression: (identifier) @qualifier
    name: [(identifier) @reference.call (generic_name (identifier) @reference.call)]))
(invocation_expression
  function: (member_access_expression
    name: [(identifier) @reference.call (generic_name (identifier) @reference.call)]))
(invocation_expression
  function: (conditional_access_expression
    (member_binding_expression
      name: [(identifier) @reference.call (generic_name (identifier) @reference.call)])))
(object_creation_expression
  type: [(identifier) @reference.call (generic_name (identifier) @reference.call)])
(member_access_expression
  expression: (identifier) @qualifier
  name: (identifier) @reference.use)
(base_list
  [
    (identifier) @reference.base
    (generic_name (identifier) @reference.base)
    (qualified_name name: (identifier) @reference.base)
    (primary_constructor_base_type (identifier) @reference.base)
  ])
(attribute
  name: [
    (identifier) @reference.decorator
    (qualified_name name: (identifier) @reference.decorator)
  ])
(_ type: (identifier) @reference.type)
(_ returns: (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(array_type type: (identifier) @reference.type)

; C#: imports

(using_directive) @import.text
