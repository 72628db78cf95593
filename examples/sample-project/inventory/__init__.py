"""Prices and stock of a small book shop."""
