"""Help with typing: completion, the input history, and the keys."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


class CommandCompleter(Completer):
    """Completes commands and role names on Tab."""

    def __init__(self, words: Callable[[], Sequence[str]]) -> None:
        self.words = words

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        typed = document.get_word_before_cursor(WORD=True)
        if not typed:
            return
        for word in sorted(self.words()):
            is_first = document.text_before_cursor == typed
            if word.casefold().startswith(typed.casefold()) and (is_first or not word.startswith("/")):
                yield Completion(word, -len(typed))


class InputHistory(FileHistory):
    """What was typed, for the arrow keys. If its file cannot be read or written, the history ends with the run."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            return super().load_history_strings()
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(string)


def open_input_history(path: Path) -> History:
    """Return the history in that file. Create the file so that only its owner can read it."""
    with suppress(OSError):
        path.touch(mode=0o600)
    return InputHistory(path)


def make_key_bindings(interrupt: Callable[[], None]) -> KeyBindings:
    """Return the keys: Enter sends, Alt-Enter begins a new line, Ctrl-C interrupts. A paste keeps its lines."""
    bindings = KeyBindings()

    @bindings.add("c-c")
    def stop(event: KeyPressEvent) -> None:
        interrupt()

    @bindings.add("escape", "enter")
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return bindings
