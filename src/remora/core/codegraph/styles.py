"""The styles in which languages name modules."""

from remora.core.codegraph.crates import CrateModules
from remora.core.codegraph.dotted import DottedModules
from remora.core.codegraph.includes import IncludedFiles
from remora.core.codegraph.modules import Modules
from remora.core.codegraph.packages import DeclaredPackages, FolderPackages, TargetPackages
from remora.core.codegraph.paths import PathModules

PACKAGED = frozenset({"folder", "package", "target", "crate"})
"""Styles in which a path may go on from a module into its names."""
STYLES: dict[str, type[Modules]] = {
    "dotted": DottedModules,
    "path": PathModules,
    "folder": FolderPackages,
    "package": DeclaredPackages,
    "target": TargetPackages,
    "crate": CrateModules,
    "include": IncludedFiles,
    "require": IncludedFiles,
    "none": Modules,
}
