"""The folder of a backup."""

from pathlib import Path

from remora.adapters.system import SystemClock
from remora.bootstrap.stores import store_path
from remora.config import Settings
from remora.ports import BackupFolder, Repository, StoreFile


def open_backup(settings: Settings, folder: Path) -> BackupFolder:
    """The folder of one backup, made or to be made."""
    from remora.adapters.record_files.layout import Layout
    from remora.adapters.record_files.log import FileRecordLog
    from remora.adapters.sqlite.store import open_store
    from remora.adapters.sqlite.store_copy import StoreCopy

    class Folder(StoreCopy):
        """The store's copy with the record log's beside it."""

        records = FileRecordLog(Layout(folder / "memory", bare=True))

        def open_store(self, repository: Repository) -> StoreFile:
            return open_store(self.store_path, repository, SystemClock(), allow_network=True)

        def put_store(self, repository: Repository) -> None:
            self.copy_store(store_path(settings, repository.id))

    return Folder(folder)
