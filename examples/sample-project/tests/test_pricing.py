import unittest
from decimal import Decimal

from inventory.pricing import bulk_discount, net_price, order_total


class PricingTest(unittest.TestCase):
    def test_net_price_takes_vat_off(self):
        self.assertEqual(net_price(Decimal("10.70")), Decimal("10.00"))

    def test_ten_copies_get_the_first_discount(self):
        self.assertEqual(bulk_discount(10), 8)

    def test_a_single_book_costs_its_price(self):
        self.assertEqual(order_total([Decimal("12.50")]), Decimal("12.50"))


if __name__ == "__main__":
    unittest.main()
