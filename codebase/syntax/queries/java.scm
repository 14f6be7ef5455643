; Java: definitions

(package_declaration [(identifier) (scoped_identifier)] @module)

(class_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.class

(record_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.class

(interface_declaration
  name: (identifier) @name
  body: (interface_body) @body) @definition.interface

(annotation_type_declaration
  name: (identifier) @name
  body: (annotation_type_body) @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (enum_body) @body) @definition.enum

(enum_constant
  name: (identifier) @name
  body: (class_body)? @body) @definition.constant

(method_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.method

(constructor_declaration
  name: (identifier) @name
  body: (constructor_body) @body) @definition.method

(compact_constructor_declaration
  name: (identifier) @name
  body: (block) @body) @definition.method

(annotation_type_element_declaration name: (identifier) @name) @definition.method

(field_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.variable

(constant_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant

; anonymous classes
(object_creation_expression (class_body) @local)

[(marker_annotation) (annotation)] @decorator
[(line_comment) (block_comment)] @doc

; Java: references

(method_invocation
  !object
  name: (identifier) @reference.call)
(method_invocation
  object: (identifier) @qualifier
  name: (identifier) @reference.call)
(method_invocation
  object: (_)
  name: (identifier) @reference.call)
(object_creation_expression type: (type_identifier) @reference.call)
(object_creation_expression type: (generic_type (type_identifier) @reference.call))
(method_reference (identifier) @qualifier (identifier) @reference.call)
(field_access
  object: (identifier) @qualifier
  field: (identifier) @reference.use)
(type_identifier) @reference.type
(superclass (type_identifier) @reference.base)
(superclass (generic_type (type_identifier) @reference.base))
(type_list (type_identifier) @reference.base)
(type_list (generic_type (type_identifier) @reference.base))
(marker_annotation name: (identifier) @reference.decorator)
(annotation name: (identifier) @reference.decorator)

; Java: imports

(import_declaration) @import.text
