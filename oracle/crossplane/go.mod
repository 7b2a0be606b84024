module structured-merge-diff-oracle/crossplane

go 1.26.0

require (
	github.com/crossplane/crossplane/v2 v2.3.4
	structured-merge-diff-oracle/lines v0.0.0
)

replace (
	github.com/crossplane/crossplane/v2 => ../bin/crossplane-module
	structured-merge-diff-oracle/lines => ../lines
)
