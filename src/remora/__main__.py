"""`python -m remora` is the command line."""

from remora.entrypoints.cli import main

main()
