; What shell text says about functions, what they call, and files that are sourced. Roles are explained in docs/languages.md.

(function_definition name: (_) @name body: (_) @body) @function
(variable_assignment name: (variable_name) @target value: (_)? @value) @assign
((command name: (command_name (word) @_how) . argument: (_) @module @star) @import (#any-of? @_how "source" "."))
(command name: (command_name (word) @callee) @invoked)
