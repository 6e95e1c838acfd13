"""The hallway: narrow protocols between the use cases and the outside, and the one bag that carries them.

A `Ports` bag is bound to one repository. Adapters raise only errors of `core.errors`.
"""

from remora.core.embedding import Embedder
from remora.core.store_read import StoreRead
from remora.ports.bag import (
    AnalysisPorts,
    CypherPorts,
    EncounterPorts,
    FactPorts,
    HookPorts,
    InfusionPorts,
    MeaningPorts,
    Ports,
    RecallPorts,
    StoreFile,
)
from remora.ports.changes import Diffs, PullRequests, TreeDiff
from remora.ports.code_graph import (
    CodeGraphFill,
    CodeGraphPorts,
    CodeGraphRead,
    CodeGraphStore,
    CommunityPorts,
    CommunityStore,
    ImpactPorts,
    Parser,
    SourceFiles,
)
from remora.ports.contents import ContentsIndex
from remora.ports.cypher import CodeMirror, GraphQueries, Table
from remora.ports.directory import Directory, DirectoryDesk, DirectoryPorts
from remora.ports.files import BackupFolder, HooksPlace, HookTrail, OpenTranscript, ProjectFiles, RunFiles, Transcripts
from remora.ports.git import CommitList, CommitReach, Git, HistoryRange, SpanSource, TrackedFile
from remora.ports.hook_desk import HookDesk
from remora.ports.jobs import Jobs, OffloadPorts, TranscriptPorts
from remora.ports.metrics import Betweenness, Cache, Fragility, GraphMetrics
from remora.ports.model import Model, Models
from remora.ports.records import RecordIndex, RecordLog, RecordPorts, RecordServer, RecordView
from remora.ports.repository import Checkout, Clock, Repository
from remora.ports.store import Decide, Store, StoreAdmin

__all__ = [
    "AnalysisPorts",
    "BackupFolder",
    "Betweenness",
    "Cache",
    "Checkout",
    "Clock",
    "CodeGraphFill",
    "CodeGraphPorts",
    "CodeGraphRead",
    "CodeGraphStore",
    "CodeMirror",
    "CommitList",
    "CommitReach",
    "CommunityPorts",
    "CommunityStore",
    "ContentsIndex",
    "CypherPorts",
    "Decide",
    "Diffs",
    "Directory",
    "DirectoryDesk",
    "DirectoryPorts",
    "Embedder",
    "EncounterPorts",
    "FactPorts",
    "Fragility",
    "Git",
    "GraphMetrics",
    "GraphQueries",
    "HistoryRange",
    "HookDesk",
    "HookPorts",
    "HookTrail",
    "HooksPlace",
    "ImpactPorts",
    "InfusionPorts",
    "Jobs",
    "MeaningPorts",
    "Model",
    "Models",
    "OffloadPorts",
    "OpenTranscript",
    "Parser",
    "Ports",
    "ProjectFiles",
    "PullRequests",
    "RecallPorts",
    "RecordIndex",
    "RecordLog",
    "RecordPorts",
    "RecordServer",
    "RecordView",
    "Repository",
    "RunFiles",
    "SourceFiles",
    "SpanSource",
    "Store",
    "StoreAdmin",
    "StoreFile",
    "StoreRead",
    "Table",
    "TrackedFile",
    "TranscriptPorts",
    "Transcripts",
    "TreeDiff",
]
