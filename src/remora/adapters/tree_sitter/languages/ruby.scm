; What Ruby text says about scopes, bindings, calls and values. Roles are explained in docs/languages.md.

; --- scopes
(class name: (_) @name body: (_)? @body) @class
(module name: (_) @name body: (_)? @body (#set! kind "module")) @class
(superclass (_) @base) @inherit
((call method: (identifier) @_how arguments: (argument_list (_) @base)) @inherit (#any-of? @_how "include" "extend" "prepend"))
(method name: (_) @name parameters: (_)? @parameters body: (body_statement (_) @value .) @body) @function
(method name: (_) @name parameters: (_)? @parameters body: (_) @body @value) @function
(method name: (_) @name parameters: (_)? @parameters) @function
(singleton_method object: (_) @static name: (_) @name parameters: (_)? @parameters body: (body_statement (_) @value .) @body) @function
(singleton_method object: (_) @static name: (_) @name parameters: (_)? @parameters body: (_) @body @value) @function
(singleton_method object: (_) @static name: (_) @name parameters: (_)? @parameters) @function
(block parameters: (_)? @parameters) @closure
(do_block parameters: (_)? @parameters) @closure
(lambda parameters: (_)? @parameters) @closure

; --- control flow
(then) @branch
(else) @branch
(ensure) @branch
(while body: (_) @loop)
(until body: (_) @loop)
(for body: (_) @loop)

; --- bindings
(assignment left: (constant) @target right: (_) @value (#set! kind "constant")) @assign
(assignment left: [(identifier) (instance_variable) (class_variable) (global_variable) (left_assignment_list) (call) (element_reference)] @target
  right: (_) @value) @assign
(operator_assignment left: (_) @target right: (_) @value) @assign
(for pattern: (_) @target value: (in (_) @iterable)) @iterate
(rescue exceptions: (exceptions (_) @value) variable: (exception_variable (_) @target)) @caught

; --- imports
((call method: (identifier) @_how arguments: (argument_list . (string) @module @star)) @import (#any-of? @_how "require" "require_relative" "load"))

; --- values that leave a scope
(return (argument_list (_) @value)) @return
(call) @call
(body_statement (identifier) @callee @invoked)
(block_body (identifier) @callee @invoked)
(then (identifier) @callee @invoked)
(super) @callee @invoked
