; What C# text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

(namespace_declaration name: (_) @name) @package
(file_scoped_namespace_declaration name: (_) @name) @package
((method_declaration (attribute_list (attribute name: (_) @mark))) @definition @marked)

((method_declaration (attribute_list (attribute) @note)) @definition @annotated)
((class_declaration (attribute_list (attribute) @note)) @definition @annotated)
((interface_declaration (attribute_list (attribute) @note)) @definition @annotated)

; --- scopes
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body (#set! kind "interface")) @class
(struct_declaration name: (_) @name body: (_) @body (#set! kind "struct")) @class
(record_declaration name: (_) @name (parameter_list)? @parameters body: (_)? @body (#set! kind "record")) @class
(enum_declaration name: (_) @name body: (_) @body (#set! kind "enum")) @class
(delegate_declaration name: (_) @name (#set! kind "type")) @class
(base_list (_) @base @inherit)
(method_declaration returns: (_) @result name: (_) @name parameters: (_) @parameters body: (arrow_expression_clause (_) @value) @body) @function
(method_declaration returns: (_) @result name: (_) @name parameters: (_) @parameters body: (_)? @body) @function
(local_function_statement type: (_) @result name: (_) @name parameters: (_) @parameters body: (_)? @body) @function
(constructor_declaration name: (_) @name parameters: (_) @parameters body: (_)? @body (#set! kind "constructor")) @function
(property_declaration type: (_) @result name: (_) @name value: (arrow_expression_clause (_) @value) @body (#set! kind "property")) @function
(lambda_expression parameters: (_) @parameters body: (block)) @closure
(lambda_expression parameters: (_) @parameters body: (expression) @value) @closure

; --- control flow
(if_statement consequence: (_) @branch)
(if_statement alternative: (_) @branch)
(switch_section) @branch
(try_statement body: (_) @branch)
(catch_clause) @branch
(while_statement body: (_) @loop)
(for_statement body: (_) @loop)
(foreach_statement body: (_) @loop)

; --- bindings
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @target (_)? @value))) @assign
(property_declaration type: (_) @type name: (_) @target accessors: (_)) @assign
(local_declaration_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @target (_)? @value))) @assign
(using_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @target (_)? @value)) @assign)
(assignment_expression left: (_) @target right: (_) @value (#set! kind "set")) @assign
(enum_member_declaration name: (_) @target (#set! kind "enumerator")) @assign
(foreach_statement type: (_) @type left: (_) @target right: (_) @iterable) @iterate
(declaration_pattern type: (_) @type name: (_) @target) @assign
(catch_declaration type: (_) @value name: (_) @target) @caught

; --- imports
(using_directive !name [(qualified_name) (identifier)] @module @star) @import
(using_directive name: (_) @alias (qualified_name qualifier: (_) @module name: (_) @name)) @import

; --- values that leave a scope
(return_statement (_) @value) @return
(invocation_expression) @call
(object_creation_expression) @call
(constructor_initializer ["base" "this"] @callee (argument_list) @arguments) @invoked
