; What Zig text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- scopes
(variable_declaration . (identifier) @name . (struct_declaration) @body (#set! kind "struct")) @class
(variable_declaration . (identifier) @name . (union_declaration) @body (#set! kind "struct")) @class
(variable_declaration . (identifier) @name . (enum_declaration) @body (#set! kind "enum")) @class
(function_declaration name: (_) @name (parameters) @parameters type: (_) @result body: (_) @body) @function
((test_declaration "test" @mark) @definition @marked)
(test_declaration [(string) (identifier)] @name (block) @body) @function

; --- control flow
(if_statement body: (_) @branch)
(else_clause alternative: (_) @branch)
(for_statement body: (_) @loop)
(while_statement body: (_) @loop)
(switch_case) @branch

; --- bindings
(variable_declaration . (identifier) @target type: (_) @type . (_) @value .) @assign
(variable_declaration . (identifier) @target . [
  (call_expression) (builtin_function) (field_expression) (identifier) (struct_initializer) (try_expression)
  (string) (integer) (unary_expression) (binary_expression)] @value .) @assign
(container_field name: (identifier) @target type: (_) @type) @assign
(enum_declaration (container_field (identifier) @target (#set! kind "enumerator")) @assign)
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign
(for_statement . (_) @iterable (payload (identifier) @target)) @iterate

; --- values that leave a scope
(return_expression (_) @value) @return
(call_expression) @call
