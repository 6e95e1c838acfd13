"""What a language's table tells the pure stages: what means construction, calling, iterating, how imports resolve."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Rules:
    """The language-dependent choices of the linker, read from the language's table."""

    name: str
    module_style: str = "dotted"
    extensions: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    class_visible: bool = False
    receiver: str = ""
    constructor: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    iterate: tuple[str, ...] = ()
    enter: tuple[str, ...] = ()
    item: tuple[str, ...] = ()
    super: str = ""
    static: frozenset[str] = frozenset()
    classlevel: frozenset[str] = frozenset()
    property: frozenset[str] = frozenset()
    append: frozenset[str] = frozenset()
    element: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    passthrough: frozenset[str] = frozenset()
    callbacks: dict[str, str] = field(default_factory=dict)
    private_prefix: str = ""
    test_files: tuple[str, ...] = ()
    test_folders: frozenset[str] = frozenset()
    test_functions: tuple[str, ...] = ()
    test_classes: tuple[str, ...] = ()
