; Bash: definitions

(function_definition
  name: (word) @name
  body: (_) @body) @definition.function

(variable_assignment name: (variable_name) @name) @definition.variable
(declaration_command (variable_assignment) @wrapped) @wrap

; an assignment for one command, and those of a subshell
(command (variable_assignment) @local)
(subshell) @local
(command_substitution) @local
(comment) @doc

; Bash: references

(command name: (command_name (word) @reference.call))

; Bash: imports; every command with an argument, told apart by its name

(command
  name: (command_name (word) @require)
  .
  argument: (_) @import.spec) @import
