; What Python text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- scopes
(function_definition name: (identifier) @name parameters: (parameters) @parameters return_type: (_)? @result
  body: (block) @body) @function
(class_definition name: (identifier) @name superclasses: (argument_list)? @bases body: (block) @body) @class
(lambda parameters: (lambda_parameters)? @parameters body: (_) @value) @closure
(list_comprehension body: (_) @value) @comprehension
(set_comprehension body: (_) @value) @comprehension
(generator_expression body: (_) @value) @comprehension
(dictionary_comprehension body: (pair value: (_) @value)) @comprehension
(decorated_definition (decorator (_) @decorator) definition: (_) @definition) @decorated

; --- control flow
(if_statement consequence: (block) @branch)
(elif_clause consequence: (block) @branch)
(else_clause body: (block) @branch)
(try_statement body: (block) @branch)
(except_clause (block) @branch)
(for_statement body: (block) @loop)
(while_statement body: (block) @loop)
(case_clause consequence: (block) @branch)

; --- bindings
(assignment left: (_) @target type: (_)? @type right: (_)? @value) @assign
(named_expression name: (_) @target value: (_) @value) @assign
(for_statement left: (_) @target right: (_) @iterable) @iterate
(for_in_clause left: (_) @target right: (_) @iterable) @iterate
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (_) @target))) @enter
(with_item value: [(call) (identifier) (attribute)] @value) @enter
(except_clause value: (as_pattern (_) @value alias: (as_pattern_target (_) @target))) @caught
(global_statement (identifier) @outer)
(nonlocal_statement (identifier) @outer)

; --- imports
(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @name) @import
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @star) @import

; --- values that leave a scope, and uses
(return_statement (_) @value) @return
(yield (_) @value) @yield
(call) @call
(raise_statement (_) @value) @raise
(except_clause value: [(identifier) (attribute)] @value) @use
