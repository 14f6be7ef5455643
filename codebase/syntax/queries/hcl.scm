; HCL: definitions. A block's names are read from its head.

(config_file (body (block) @definition.block))
(config_file (body (attribute (identifier) @name) @definition.variable))
(config_file
  (body
    (block
      (identifier) @locals
      (body (attribute (identifier) @name) @definition.constant))))

(comment) @doc

; HCL: references

(_
  (variable_expr (identifier) @qualifier)
  .
  (get_attr (identifier) @reference.use))
(_
  (variable_expr (identifier) @data)
  .
  (get_attr (identifier) @qualifier)
  .
  (get_attr (identifier) @reference.use))
(function_call (identifier) @reference.call)
