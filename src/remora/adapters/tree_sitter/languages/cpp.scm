; What C++ text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- scopes
(namespace_definition name: (_) @name) @namespace
(function_definition type: (_)? @result declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner
  name: [(identifier) (destructor_name) (operator_name)] @name) parameters: (_) @parameters) body: (_) @body) @function
(function_definition type: (_)? @result declarator: (_ (function_declarator declarator: (qualified_identifier scope: (_) @owner
  name: [(identifier) (operator_name)] @name) parameters: (_) @parameters)) body: (_) @body) @function
(function_definition type: (_)? @result declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier
  scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)] @name)) parameters: (_) @parameters) body: (_) @body) @function
(function_definition type: (_)? @result declarator: (reference_declarator (function_declarator
  declarator: [(identifier) (field_identifier) (operator_name)] @name parameters: (_) @parameters)) body: (_) @body) @function
(class_specifier name: (_) @name body: (_) @body) @class
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base @inherit)
(field_declaration type: (_) @result declarator: (function_declarator declarator: (field_identifier) @name
  parameters: (_) @parameters) default_value: (number_literal)) @function
(lambda_expression declarator: (_ parameters: (_) @parameters)) @closure
(lambda_expression !declarator) @closure
(function_definition type: (_)? @result declarator: (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name parameters: (_) @parameters)
  body: (_) @body) @function
(function_definition type: (_)? @result declarator: (_ declarator: (function_declarator declarator: (identifier) @name
  parameters: (_) @parameters)) body: (_) @body) @function
(function_definition type: (_)? @result declarator: (_ declarator: (_ declarator: (function_declarator
  declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name parameters: (_) @parameters))) body: (_) @body) @function
(preproc_function_def name: (_) @name (#set! kind "macro")) @function
(struct_specifier name: (_) @name body: (_) @body (#set! kind "struct")) @class
(union_specifier name: (_) @name body: (_) @body (#set! kind "struct")) @class
(enum_specifier name: (_) @name body: (_) @body (#set! kind "enum")) @class
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name (#set! kind "struct")) @class
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name (#set! kind "struct")) @class
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name (#set! kind "enum")) @class

; --- what is defined elsewhere
(declaration declarator: (function_declarator declarator: (identifier) @name)) @declared
(declaration declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @declared

(field_declaration declarator: (function_declarator declarator: (field_identifier) @name) !default_value) @declared
(field_declaration declarator: (_ (function_declarator declarator: (field_identifier) @name)) !default_value) @declared

; --- control flow
(if_statement consequence: (_) @branch)
(else_clause (_) @branch)
(case_statement) @branch
(while_statement body: (_) @loop)
(for_statement body: (_) @loop)
(for_range_loop body: (_) @loop)
(catch_clause) @branch
(try_statement body: (_) @branch)
(do_statement body: (_) @loop)

; --- bindings
(preproc_def name: (_) @target (#set! kind "constant")) @assign
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier)] @value declarator: (type_identifier) @target) @assign
(type_definition type: (struct_specifier name: (_) @_name) @value declarator: (type_identifier) @target (#not-eq? @_name @target)) @assign
(field_declaration type: (_) @type declarator: (field_identifier) @target) @assign
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @target)) @assign
(field_declaration type: (_) @type declarator: (array_declarator declarator: (field_identifier) @target)) @assign
(field_declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @target)))) @assign
(enumerator name: (_) @target (#set! kind "enumerator")) @assign
(declaration type: (_) @type declarator: (identifier) @target) @assign
(declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @target)) @assign
(declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @target)) @assign
(declaration type: (_) @type declarator: (init_declarator declarator: (_) @target value: (_) @value)) @assign
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign

(declaration type: (_) @type declarator: (reference_declarator (identifier) @target)) @assign
(field_declaration type: (_) @type declarator: (reference_declarator (field_identifier) @target)) @assign
(alias_declaration name: (_) @target type: (_) @value) @assign
(for_range_loop type: (_) @type declarator: (_) @target right: (_) @iterable) @iterate
(condition_clause (declaration type: (_) @type declarator: (_) @target value: (_) @value) @assign)

; --- imports
(preproc_include path: (_) @module @star) @import

; --- values that leave a scope
(return_statement (_) @value) @return
(call_expression) @call
(new_expression) @call
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @callee
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @arguments)) @invoked
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @callee declarator: (identifier)) @invoked
(field_initializer (field_identifier) @callee (argument_list) @arguments) @invoked
