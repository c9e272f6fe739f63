dist_doc_DATA = README NEWS doc/postfix.md doc/CONFORMANCE.md
dist_doc_DATA += doc/RULINGS.md doc/one-click.md
dist_doc_DATA += doc/list-managers.md doc/operation.md
dist_doc_DATA += doc/sendmail.md
dist_doc_DATA += doc/libmilter.md
dist_doc_DATA += doc/reliability.md
dist_doc_DATA += doc/performance.md
dist_doc_DATA += doc/README.md doc/lint.md
dist_doc_DATA += doc/archives.md
dist_doc_DATA += doc/faq.md
dist_doc_DATA += doc/glossary.md
dist_doc_DATA += doc/readers.md
dist_doc_DATA += doc/upgrade.md
dist_doc_DATA += SECURITY.md
EXTRA_DIST += doc/conformance.py

# Writes the tests into doc/CONFORMANCE.md anew; `make check` says when that is due.
conformance:
	$(PYTHON) $(srcdir)/doc/conformance.py
.PHONY: conformance
