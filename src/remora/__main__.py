"""`python -m remora` is the command line."""

from remora.entrypoints.cli.app import main

main()
