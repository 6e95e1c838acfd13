"""What a language's table tells the pure stages: what means construction, calling, iterating, how imports resolve."""

from dataclasses import dataclass, field

from remora.core.codegraph.boundaries.rules import NO_BOUNDARIES, BoundaryRules


@dataclass(frozen=True, slots=True)
class Rules:
    """The language-dependent choices of the linker, read from the language's table."""

    name: str
    module_style: str = "dotted"
    family: str = ""
    """Languages whose files import one another, by the name of the one whose rules link them; "" = only itself."""
    exports: tuple[str, ...] = ()
    """Expressions that mean the object a module exports."""
    require: frozenset[str] = frozenset()
    """Functions that load the module their first argument names."""
    manifests: tuple[str, ...] = ()
    """Names of files that decide what module names mean."""
    separator: str = "."
    nested_packages: bool = False
    """A package sees the names of those above it."""
    extensions: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    class_visible: bool = False
    members_bare: bool = True
    """Whether a class body itself sees its members bare."""
    receiver: str = ""
    constructor: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    iterate: tuple[str, ...] = ()
    enter: tuple[str, ...] = ()
    item: tuple[str, ...] = ()
    super: str = ""
    super_constructs: bool = False
    """Calling `super` itself constructs the base."""
    this: str = ""
    """Name of the object inside of methods that do not declare it as their first parameter."""
    self_types: frozenset[str] = frozenset()
    """Names of the enclosing class inside of it."""
    implicit_members: bool = False
    """Members of the enclosing classes are seen bare."""
    new: str = ""
    """The method of a class that constructs, where construction is not a call of the class."""
    constructing_functions: bool = False
    """`new` of a function makes an object with what is attached to the function."""
    invoking: frozenset[str] = frozenset()
    """Methods of a function that call it with another `this` first; those that bind it give it back."""
    binding: frozenset[str] = frozenset()
    prototype: str = ""
    """The attribute of a function or class that stands for its objects."""
    static_this: bool = False
    """In a static method `this` is the class."""
    visits: frozenset[str] = frozenset()
    """Methods of containers that call a function with their elements."""
    continues: frozenset[str] = frozenset()
    """Methods that call a function with the value they are of."""
    merges: frozenset[str] = frozenset()
    """Functions that copy the members of their further arguments to the first and give it back."""
    overloads: bool = False
    """Functions of one name differ by their parameters."""
    reopened: bool = False
    """A class goes on wherever its name is opened again."""
    global_case: bool = False
    """Names in upper case are known everywhere once their file is loaded."""
    fields_called: bool = False
    """Reading a field is a call."""
    super_same: bool = False
    """Calling `super` itself calls the method of the same name above."""
    second: frozenset[str] = frozenset()
    """Functions whose result behaves as their second argument says."""
    comma_ok: bool = False
    """Several names for one value: the first gets it, the others say how that went."""
    makers: frozenset[str] = frozenset()
    """Functions that make a value of the type they are given."""
    attribute_items: bool = False
    """`map.name` is `map["name"]`."""
    static_words: frozenset[str] = frozenset()
    property_words: frozenset[str] = frozenset()
    private_words: frozenset[str] = frozenset()
    public_words: frozenset[str] = frozenset()
    """Words before a name that make it static, computed, hidden; when any are public, only those are."""
    public_case: bool = False
    """Names that begin with an upper case letter are public, no others."""
    public_pattern: str = ""
    """Hidden names of this shape are public all the same."""
    unwrap: frozenset[str] = frozenset()
    """Types that stand for what they hold."""
    class_of: frozenset[str] = frozenset()
    """Types whose values are the classes they hold."""
    class_methods: frozenset[str] = frozenset()
    """Methods that receive the class without being marked so."""
    root_class: str = ""
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
    test_marks: frozenset[str] = frozenset()
    test_closures: bool = False
    boundaries: BoundaryRules = NO_BOUNDARIES
