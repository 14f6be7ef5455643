; SQL: definitions

(create_table
  (object_reference
    schema: (identifier)? @container
    name: (identifier) @name)
  (column_definitions)? @body) @definition.struct

(create_view
  (object_reference
    schema: (identifier)? @container
    name: (identifier) @name)
  (create_query)? @body) @definition.struct

(create_materialized_view
  (object_reference
    schema: (identifier)? @container
    name: (identifier) @name)
  (create_query)? @body) @definition.struct

(create_type
  (object_reference
    schema: (identifier)? @container
    name: (identifier) @name)) @definition.type

(create_function
  (keyword_function)
  .
  (object_reference
    schema: (identifier)? @container
    name: (identifier) @name)
  (function_body)? @body) @definition.function

(create_trigger
  (keyword_trigger)
  .
  (object_reference name: (identifier) @name)) @definition.function

(create_schema (identifier) @name) @definition.module
(create_sequence
  (object_reference
    schema: (identifier)? @container
    name: (identifier) @name)) @definition.variable
(create_index column: (identifier) @name) @definition.variable

[(comment) (marginalia)] @doc

; SQL: references; tables are its types

(relation (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(from (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(insert (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(alter_table (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(column_definition (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(constraint (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(create_index (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(create_trigger
  (keyword_on)
  .
  (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.type))
(create_trigger
  [(keyword_function) (keyword_procedure)]
  .
  (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.call))
(invocation (object_reference schema: (identifier)? @qualifier name: (identifier) @reference.call))
