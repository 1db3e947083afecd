"""A dict of bounded size, for values that can be read or computed again."""

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LruCache(OrderedDict[Key, Value]):
    """A dict of at most `capacity` entries. One more replaces the least recently used. Only `cache[key]`
    and `cache[key] = value` count as use. `get` changes nothing, so other threads may call it."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity

    def __getitem__(self, key: Key) -> Value:
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self.capacity:
            del self[next(iter(self))]
