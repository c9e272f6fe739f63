# Pages for users. RULINGS.md is for readers of the source: it is in the tarball, and is not installed.
dist_doc_DATA = README NEWS SECURITY.md \
	doc/CONFORMANCE.md \
	doc/README.md \
	doc/archives.md \
	doc/faq.md \
	doc/libmilter.md \
	doc/findings.md \
	doc/lint.md \
	doc/list-managers.md \
	doc/one-click.md \
	doc/operation.md \
	doc/performance.md \
	doc/postfix.md \
	doc/sendmail.md
EXTRA_DIST += doc/RULINGS.md
