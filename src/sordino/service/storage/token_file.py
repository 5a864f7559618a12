"""The file of a first token: on the disk before its store has the token, and taken again by a store that has none.

So a collector that is killed while its store is made leaves no token that nobody knows, and starts again by itself.
"""

import os
from pathlib import Path

from sordino.document.files import cannot, read_text, replace_whole, require_new, sync_folder
from sordino.document.private_file import new_private_file, require_private
from sordino.errors import SordinoError
from sordino.service.storage.tokens import SECRET, new_secret


def secret_in(path: Path) -> str:
    """The token that a file of its owner's holds; a new one in a new file if there is none.

    Raises:
        SordinoError: something else is there, or others can read it.
        UnavailableError: the system refuses.
    """
    if os.path.lexists(path):
        return _read(path)
    require_new(path)
    secret = new_secret()
    with replace_whole(path) as temporary, new_private_file(temporary) as file:
        file.write(f"{secret}\n".encode())
    sync_folder(path)
    return secret


def _read(path: Path) -> str:
    secret = read_text(path).strip()
    if not SECRET.fullmatch(secret):
        rule = f"{path} must not exist yet, or hold the token that a collector began to give"
        raise SordinoError(rule, found="something else", step="choose another name; nothing here is overwritten")
    try:
        status = path.stat()
    except OSError as error:
        raise cannot("read", path, error) from None
    require_private(path, status, "remove it: somebody may have read it")
    return secret
