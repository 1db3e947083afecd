"""Take listed files out of clones of public repositories, in the listed version."""

import io
import subprocess
import tarfile
from pathlib import Path

from tests.ecosystem.listed import ListedFile


def extract(listed: ListedFile, clones: Path, place: Path) -> Path:
    """Return the path of a listed file or folder, laid below `place`. `clones` holds each repository as OWNER/NAME.
    Raise CalledProcessError if the clone does not have it."""
    command = ("git", "-C", str(clones / listed.repository), "archive", listed.commit, "--", listed.path)
    packed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(place / listed.repository, filter="data")
    return place / listed.repository / listed.path
