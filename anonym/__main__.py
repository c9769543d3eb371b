"""`python -m anonym`."""

from anonym.cli import main

main()
