"""What is on the shelves, and where."""

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
import json


@dataclass
class Shelf:
    name: str
    capacity: int = 40

    def room_for(self, copies: int, used: int) -> bool:
        return used + copies <= self.capacity


class Stock:
    def __init__(self, shelves: list[Shelf]):
        self._shelves = {shelf.name: shelf for shelf in shelves}
        self._copies: dict[str, dict[str, int]] = defaultdict(dict)

    def put(self, isbn: str, copies: int, shelf: str) -> None:
        if copies <= 0:
            raise ValueError("copies must be above 0")
        place = self._shelves[shelf]
        used = sum(self._copies[shelf].values())
        if not place.room_for(copies, used):
            raise OverflowError(f"{shelf} has no room for {copies} more")
        before = self._copies[shelf].get(isbn, 0)
        self._copies[shelf][isbn] = before + copies

    def count(self, isbn: str) -> int:
        return sum(books.get(isbn, 0) for books in self._copies.values())

    async def refill(self, wanted: dict[str, int], shelf: str = "new", notify=[]):
        for isbn, least in wanted.items():
            missing = least - self.count(isbn)
            if missing > 0:
                self.put(isbn, missing, shelf)
                notify.append(isbn)
        return notify

    def low(self, least: int):
        for books in self._copies.values():
            for isbn in books:
                if self.count(isbn) < least: yield isbn
