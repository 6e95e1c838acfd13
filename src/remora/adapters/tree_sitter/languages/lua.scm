; What Lua text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- scopes
(function_declaration name: (identifier) @name parameters: (_) @parameters body: (_)? @body) @function
(function_declaration name: (dot_index_expression table: (_) @table field: (_) @key) @name parameters: (_) @parameters body: (_)? @body) @closure
(function_declaration name: (method_index_expression table: (_) @table @self method: (_) @key) @name parameters: (_) @parameters body: (_)? @body) @closure
(assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition parameters: (_) @parameters
  body: (_)? @body) @as .)) @function
(assignment_statement (variable_list . name: (dot_index_expression) @name .)
  (expression_list . value: (function_definition parameters: (_) @parameters body: (_)? @body) @closure .))
(field name: (identifier) @name value: (function_definition parameters: (_) @parameters body: (_)? @body) @closure)
(function_definition parameters: (_) @parameters) @closure

; --- control flow
(if_statement consequence: (_) @branch)
(elseif_statement consequence: (_) @branch)
(else_statement body: (_) @branch)
(while_statement body: (_) @loop)
(for_statement body: (_) @loop)
(repeat_statement body: (_) @loop)

; --- bindings
(assignment_statement (variable_list) @target (expression_list) @value) @assign
(for_generic_clause (variable_list (_) . (_) @target) (expression_list (function_call arguments: (arguments . (_) @iterable)))) @iterate

; --- imports and exports
(chunk (return_statement (expression_list . (_) @value)) (#set! kind "*")) @export

; --- values that leave a scope
(return_statement (expression_list) @value) @return
(function_call) @call
