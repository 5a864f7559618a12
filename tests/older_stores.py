"""What takes the tables of a store of today back to those of an earlier version."""

TO_FIVE = ("ALTER TABLE tally DROP COLUMN erased",)
TO_FOUR = *TO_FIVE, "DROP TABLE token", "DROP TABLE act"
TO_THREE = *TO_FOUR, "DROP TABLE invitation", "DROP TABLE used_invitation"


def make_older(rows, version):
    """Take a store back, by a function that runs a statement; the marks of a token are those of that version."""
    hashed = rows("SELECT hash FROM token") if version < 5 else []
    for statement in {5: TO_FIVE, 4: TO_FOUR}.get(version, TO_THREE):
        rows(statement)
    for (one,) in hashed:
        rows(f"INSERT INTO setting VALUES ('token', '{one}')")  # noqa: S608 - a hash
    if rows("SELECT 1 FROM setting WHERE name = 'version'"):
        if version < 5:
            rows("DROP FUNCTION noted CASCADE")
        rows(f"UPDATE setting SET value = '{version}' WHERE name = 'version'")  # noqa: S608 - a number
    else:
        rows(f"PRAGMA user_version = {version}")
