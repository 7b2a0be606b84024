module structured-merge-diff-oracle/lines

go 1.26.0
