# lint cites RULINGS.md.
dist_doc_DATA = README NEWS SECURITY.md \
	doc/CONFORMANCE.md \
	doc/README.md \
	doc/RULINGS.md \
	doc/archives.md \
	doc/faq.md \
	doc/libmilter.md \
	doc/findings.md \
	doc/latency.svg \
	doc/lint.md \
	doc/list-managers.md \
	doc/one-click.md \
	doc/operation.md \
	doc/performance.md \
	doc/postfix.md \
	doc/sendmail.md

# All manuals and pages, for a web site: html/index.html.
html-local: $(man_MANS)
	$(SHELL) $(srcdir)/doc/make-html html $(srcdir)/doc $(man_MANS)
EXTRA_DIST += doc/make-html
