"""`python -m pausepoint`: the same as the `pausepoint` command."""

from pausepoint.cli.main import main

if __name__ == "__main__":
    main()
