"""The usual routes of resources, by the style of the framework."""

RESOURCES = {
    "viewset": (
        ("GET", "/", "list"), ("POST", "/", "create"), ("GET", "/{pk}/", "retrieve"), ("PUT", "/{pk}/", "update"),
        ("PATCH", "/{pk}/", "partial_update"), ("DELETE", "/{pk}/", "destroy"),
    ),
    "rails": (
        ("GET", "", "index"), ("POST", "", "create"), ("GET", "/new", "new"), ("GET", "/{id}", "show"),
        ("GET", "/{id}/edit", "edit"), ("PUT|PATCH", "/{id}", "update"), ("DELETE", "/{id}", "destroy"),
    ),
    "rails_one": (
        ("POST", "", "create"), ("GET", "/new", "new"), ("GET", "", "show"), ("GET", "/edit", "edit"),
        ("PUT|PATCH", "", "update"), ("DELETE", "", "destroy"),
    ),
    "laravel": (
        ("GET", "", "index"), ("POST", "", "store"), ("GET", "/create", "create"), ("GET", "/{id}", "show"),
        ("GET", "/{id}/edit", "edit"), ("PUT|PATCH", "/{id}", "update"), ("DELETE", "/{id}", "destroy"),
    ),
}  # fmt: skip
"""Style -> (verb, path behind the name, method) of each usual route."""
