# Whole configurations; tests/ctl/documents.py sends a post through each.
dist_example_DATA += \
	examples/aliases.conf \
	examples/mailman3-hyperkitty.conf \
	examples/mlmmj.conf \
	examples/nested.conf \
	examples/one-click.conf \
	examples/public-inbox.conf \
	examples/sympa.conf
