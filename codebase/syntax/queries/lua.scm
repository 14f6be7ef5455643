; Lua: definitions. Names come whole, `M.sub.name` or `M:name`, with the blanks
; before them, which this grammar counts to the token.

(function_statement
  name: (_) @name
  (function_body)? @body) @definition.function

(variable_declaration
  name: (variable_declarator) @name
  value: (function (function_body)? @body)) @definition.function

(variable_declaration name: (variable_declarator) @name) @definition.variable

(variable_declaration
  name: (variable_declarator) @name
  value: (tableconstructor) @body) @definition.variable

(field
  name: (identifier) @name
  value: (function (function_body)? @body)) @definition.function

(module_return_statement (identifier) @exported.name)
(module_return_statement
  (tableconstructor (fieldlist (field value: (identifier) @exported.name))))

(function) @local
[(comment) (emmy_documentation)] @doc

; Lua: references

(function_call
  (identifier) @reference.call
  .
  [(function_call_paren) (string_argument) (table_argument)])
(function_call
  (identifier) @qualifier
  .
  (self_call_colon)?
  .
  (identifier) @reference.call
  .
  [(function_call_paren) (string_argument) (table_argument)])

; Lua: imports; every call with a text for argument, told apart by its name

(function_call
  prefix: (identifier) @require
  args: [
    (function_arguments . (string) @import.spec)
    (string_argument) @import.spec
  ]) @import
(variable_declaration
  name: (variable_declarator) @import.alias
  value: (function_call prefix: (identifier) @require) @import)
