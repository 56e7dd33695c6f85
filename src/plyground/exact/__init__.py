"""Exact results: solvers, odds, and values computed from whole trees."""
