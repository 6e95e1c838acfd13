; What PHP text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

(namespace_definition name: (_) @name) @package

((method_declaration attributes: (attribute_list (attribute_group (attribute) @note))) @definition @annotated)
((class_declaration attributes: (attribute_list (attribute_group (attribute) @note))) @definition @annotated)

; --- scopes
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body (#set! kind "interface")) @class
(trait_declaration name: (_) @name body: (_) @body (#set! kind "trait")) @class
(enum_declaration name: (_) @name body: (_) @body (#set! kind "enum")) @class
(base_clause (_) @base @inherit)
(class_interface_clause (_) @base @inherit)
(declaration_list (use_declaration (_) @base @inherit))
(method_declaration name: (_) @name parameters: (_) @parameters return_type: (_)? @result body: (_)? @body) @function
(function_definition name: (_) @name parameters: (_) @parameters return_type: (_)? @result body: (_) @body) @function
(anonymous_function parameters: (_) @parameters) @closure
(arrow_function parameters: (_) @parameters body: (_) @value) @closure

; --- control flow
(if_statement body: (_) @branch)
(else_if_clause body: (_) @branch)
(else_clause body: (_) @branch)
(try_statement body: (_) @branch)
(catch_clause) @branch
(while_statement body: (_) @loop)
(for_statement (compound_statement) @loop)
(foreach_statement body: (_) @loop)

; --- bindings
(const_declaration (const_element (name) @target) (#set! kind "constant")) @assign
(enum_case name: (_) @target (#set! kind "enumerator")) @assign
(property_declaration type: (_)? @type (property_element name: (variable_name (name) @target) default_value: (_)? @value)) @assign
(assignment_expression left: (_) @target right: (_) @value) @assign
(foreach_statement . (_) @iterable . (variable_name) @target) @iterate
(foreach_statement . (_) @iterable . (pair (_) (_) @target)) @iterate
(catch_clause type: (type_list (_) @value) name: (_) @target) @caught

; --- imports
(namespace_use_clause (qualified_name prefix: (_) @module (name) @name) alias: (_)? @alias) @import
(namespace_use_declaration (namespace_name) @module body: (namespace_use_group (namespace_use_clause . (name) @name alias: (_)? @alias))) @import

; --- values that leave a scope
(return_statement (_) @value) @return
(yield_expression (_) @value) @yield
(function_call_expression) @call
(member_call_expression) @call
(nullsafe_member_call_expression) @call
(scoped_call_expression) @call
(object_creation_expression) @call
