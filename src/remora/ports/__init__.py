"""The hallway: narrow protocols between the use cases and the outside, and the one bag that carries them.

A `Ports` bag is bound to one repository. Adapters raise only errors of `core.errors`.
"""

from remora.ports.bag import AnalysisPorts, EncounterPorts, FactPorts, InfusionPorts, Ports, RecallPorts, StoreFile
from remora.ports.code_graph import CodeGraphPorts, CodeGraphRead, CodeGraphStore, Parser, SourceFiles
from remora.ports.contents import ContentsIndex
from remora.ports.directory import Directory, DirectoryPorts
from remora.ports.files import HooksPlace, OpenTranscript, ProjectFiles, RunFiles, Transcripts
from remora.ports.git import CommitList, CommitReach, Git, HistoryRange, SpanSource, TrackedFile
from remora.ports.meaning import MeaningMatcher
from remora.ports.metrics import Betweenness, Cache, Fragility, GraphMetrics
from remora.ports.records import RecordIndex, RecordLog, RecordPorts, RecordView
from remora.ports.repository import Checkout, Clock, Repository
from remora.ports.store import Decide, Store, StoreAdmin, StoreRead

__all__ = [
    "AnalysisPorts",
    "Betweenness",
    "Cache",
    "Checkout",
    "Clock",
    "CodeGraphPorts",
    "CodeGraphRead",
    "CodeGraphStore",
    "CommitList",
    "CommitReach",
    "ContentsIndex",
    "Decide",
    "Directory",
    "DirectoryPorts",
    "EncounterPorts",
    "FactPorts",
    "Fragility",
    "Git",
    "GraphMetrics",
    "HistoryRange",
    "HooksPlace",
    "InfusionPorts",
    "MeaningMatcher",
    "OpenTranscript",
    "Parser",
    "Ports",
    "ProjectFiles",
    "RecallPorts",
    "RecordIndex",
    "RecordLog",
    "RecordPorts",
    "RecordView",
    "Repository",
    "RunFiles",
    "SourceFiles",
    "SpanSource",
    "Store",
    "StoreAdmin",
    "StoreFile",
    "StoreRead",
    "TrackedFile",
    "Transcripts",
]
