"""One outside thing each: a database, git, a parser, the file system."""
