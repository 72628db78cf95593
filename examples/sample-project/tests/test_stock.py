import unittest

from inventory.stock import Shelf, Stock


class StockTest(unittest.TestCase):
    def setUp(self):
        self.stock = Stock([Shelf("new"), Shelf("poetry", capacity=3)])

    def test_copies_on_all_shelves_count(self):
        self.stock.put("978-0", 2, "new")
        self.stock.put("978-0", 1, "poetry")
        self.assertEqual(self.stock.count("978-0"), 3)

    def test_a_full_shelf_takes_nothing(self):
        with self.assertRaises(OverflowError):
            self.stock.put("978-1", 4, "poetry")
