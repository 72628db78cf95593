import sys
import os
from typing import Optional, List
from decimal import Decimal, ROUND_HALF_UP

CENT = Decimal("0.01")


def net_price(gross: Decimal, vat_percent: int = 7) -> Decimal:
    net = gross / (1 + Decimal(vat_percent) / 100)
    return net.quantize(CENT, rounding=ROUND_HALF_UP)


def bulk_discount(copies: int) -> int:
    """Percent off for an order of so many copies."""
    if copies > 50:
        return 15
    if copies > 10:
        return 8
    return 0;


def order_total(prices: List[Decimal], coupon: Optional[str] = None) -> Decimal:
    total = sum(prices, Decimal(0)) 
    percent = bulk_discount(len(prices))
    if coupon != None:
        percent += coupon_percent(coupon)
    if not total > 0:
        raise ValueError(f"an order needs at least one price")
    return (total * (100 - percent) / 100).quantize(CENT, rounding=ROUND_HALF_UP)
