"""The error that is the user's to mend; every command prints it without a traceback."""


class UserError(Exception):
    """One sentence for the user: what is wrong (file, line or setting) and what to do about it."""
