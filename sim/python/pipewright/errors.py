"""The two ways to fail, as in the program: the input is wrong, or the work itself failed."""


class InputError(ValueError):
    """The input is wrong. Its text is the line that the program would print.

    `file` is the file, or the path of keys in a dict. `line` and `column` count from 1 and are None
    where there is none. `hint` says what would be right; it may be empty.
    """

    def __init__(self, text, message="", file="", line=0, column=0):
        super().__init__(text)
        self.message, _, self.hint = message.partition("; ")
        self.file = file or None
        self.line = line or None
        self.column = column or None

    def __reduce__(self):
        message = "; ".join(part for part in (self.message, self.hint) if part)
        return InputError, (str(self), message, self.file, self.line, self.column)


class Failure(RuntimeError):
    """The work failed: a deadlock, a full disk."""
