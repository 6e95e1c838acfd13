"""The folder of a backup."""

from pathlib import Path

from remora.adapters.system import SystemClock
from remora.bootstrap.stores import store_at, store_path
from remora.config import Settings
from remora.core.errors import Conflict
from remora.core.scope import operator_grant
from remora.ports import BackupFolder, Repository, StoreFile
from remora.usecases.copy_store import copy_store


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
            if settings.store_url:
                self._put_on_server(repository)
            else:
                self.copy_store(store_path(settings, repository.id))

        def _put_on_server(self, repository: Repository) -> None:
            source = self.open_store(repository)
            try:
                target = store_at(settings, settings.store_url, repository)
                if target.health()["items"]:
                    message = (
                        f"the server holds a memory of {repository.identity!r}; a restore never overwrites a store"
                    )
                    raise Conflict(message, advice="restore into an empty database, or use `remora store copy`")
                copy_store(source, target, operator_grant())
            finally:
                source.close()

    return Folder(folder)
