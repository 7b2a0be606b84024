"""Prints the rows that DuckDB answers to the query on standard input, one JSON list a line."""
import json
import sys

import duckdb

for row in duckdb.sql(sys.stdin.read()).fetchall():
    print(json.dumps(row, ensure_ascii=False))
