"""``python -m placecell`` is the command ``placecell``."""

from placecell.apps.cli import main

if __name__ == "__main__":
    main()
