/*
 * remarks - the one table of what is said about a configuration (types only)
 *
 * A remark stands after its place, key and value.  "$1", "$2" ... stand for texts of the caller.
 */
#ifndef MLMILTER_CONFIG_READ_REMARKS_H
#define MLMILTER_CONFIG_READ_REMARKS_H

/* Columns: remark, its name in JSON, its text. */
/* clang-format off */
#define REMARKS(ROW) \
    /* the form of a file: $1 is the key */ \
    ROW(ERROR_UNKNOWN_KEY, "unknown-key", "is no key of this section (see mlmilter.conf(5) for the keys)") \
    ROW(ERROR_UNKNOWN_SECTION, "unknown-section", "is no section (expected list \"LIST-ID\" { ... }; other sections are defaults, token and delegate)") \
    ROW(ERROR_MISSPELT_KEY, "misspelt-key", "is not known (did you mean \"$2\"?)") \
    ROW(ERROR_INCLUDE, "include", "is not known (write lists = {\"PATTERN\"} in the main file to read list files)") \
    ROW(ERROR_LISTS_ONLY, "lists-only", "may not be in a list file, which has lists only (expected in the main file)") \
    ROW(ERROR_KEY_OF_MAIN_FILE, "key-of-main-file", "is a key of the main file (expected there, outside of the sections)") \
    ROW(ERROR_KEY_OF_SECTION, "key-of-section", "is a key of another section (expected inside of a section \"$2\")") \
    ROW(ERROR_SECTION_INSIDE, "section-inside", "a section begins inside of another one (expected first the \"}\" of the section of line $4)") \
    ROW(ERROR_OPEN_BRACE, "open-brace", "has a \"{\" that is not closed (expected \"}\" after the last key)") \
    ROW(ERROR_OPEN_TEXTS, "open-texts", "has a \"{\" that is not closed (expected \"}\" after the last text)") \
    ROW(ERROR_EXTRA_BRACE, "extra-brace", "a \"}\" is here, and no section is open") \
    ROW(ERROR_KEY_TWICE, "key-twice", "is set a second time (first in line $4)") \
    ROW(ERROR_SEPARATOR, "separator", "a \"$3\" is here (expected nothing between keys)") \
    ROW(ERROR_SEVERAL_TEXTS, "several-texts", "several texts stand in braces (write $1 = {\"$2\", \"$3\"})") \
    ROW(ERROR_TEXTS_FOR_ONE, "texts-for-one", "takes one text, without braces (write $1 = \"$2\")") \
    ROW(ERROR_SEVERAL_FOR_ONE, "several-for-one", "takes one text, not \"$2\" and \"$3\" (write $1 = \"$2\", or one other text)") \
    ROW(ERROR_SEVERAL_ADDRESSES, "several-addresses", "takes one address, and the others are aliases (write $1 = \"$2\", and aliases = {\"$3\"}, with all others, on another line)") \
    ROW(ERROR_ADDRESS_IN_BRACES, "address-in-braces", "takes one text, without braces (write $1 = \"LOCAL@DOMAIN\")") \
    ROW(ERROR_NO_COMMA, "no-comma", "a \",\" is missing before \"$2\"") \
    ROW(ERROR_LONE_COMMA, "lone-comma", "there is no text before a \",\"") \
    ROW(ERROR_SIGN_IN_BRACES, "sign-in-braces", "a \"$3\" is in the braces (expected \",\" between texts, and texts alone)") \
    ROW(ERROR_COMMENT_OUTSIDE, "comment-outside", "a \"(\" is in the braces (write a comment in the quotes of its URI: {\"(comment) URI\"})") \
    ROW(ERROR_BRACES_INSIDE, "braces-inside", "a \"{\" is inside of braces (expected one pair)") \
    ROW(ERROR_BRACKETS, "brackets", "texts stand between \"{\" and \"}\", not between \"$3\" and \"$2\" (write $1 = {\"TEXT\", \"TEXT\"})") \
    ROW(ERROR_NO_EQUALS, "no-equals", "\"=\" is missing (write $1 = \"$2\")") \
    ROW(ERROR_NO_EQUALS_BEFORE_BRACES, "no-equals-before-braces", "\"=\" is missing (write $1 = {\"TEXT\", \"TEXT\"})") \
    ROW(ERROR_COLON, "colon", "\"=\" is expected after $1, not \":\" (write $1 = \"$2\")") \
    ROW(ERROR_TWO_EQUALS, "two-equals", "one \"=\" is expected, and no other sign (write $1 = \"TEXT\")") \
    ROW(ERROR_PLUS_EQUALS, "plus-equals", "\"+=\" is not known (write the whole value after one \"=\")") \
    ROW(ERROR_NO_VALUE, "no-value", "has no value (write $1 = \"$2\")") \
    ROW(ERROR_NO_NAME_OF_KEY, "no-key", "a \"$3\" is where a name is expected (write KEY = \"TEXT\", or list \"LIST-ID\" { ... })") \
    ROW(ERROR_INI, "ini", "no section begins with \"[\" (write list \"$2\" { ... }; keys of the main file are in no section)") \
    ROW(ERROR_NO_BRACE, "no-brace", "a \"{\" is missing (write $1 \"$2\" { ... })") \
    ROW(ERROR_SIGN_BEFORE_BRACE, "sign-before-brace", "no \"$3\" is before the \"{\" of a section (write $1 \"$2\" { ... })") \
    ROW(ERROR_PARENTHESES, "parentheses", "has its name in parentheses (write $1 \"$2\" { ... })") \
    ROW(ERROR_SECTION_WITH_EQUALS, "section-with-equals", "is a section, with neither \"=\" nor \":\" (write $1 \"$2\" { ... })") \
    ROW(ERROR_UNTITLED_SECTION, "untitled-section", "is a section without a name, \"=\" or \":\" (write $1 { ... })") \
    ROW(ERROR_NO_TITLE, "no-title", "has no name (write $1 \"$2\" { ... })") \
    ROW(ERROR_TWO_TITLES, "two-titles", "has two names, \"$2\" and \"$3\" (expected one, in quotes)") \
    ROW(ERROR_KEY_AS_SECTION, "key-as-section", "is a key, no section (write $1 = \"TEXT\")") \
    ROW(ERROR_LISTS_AS_SECTION, "lists-as-section", "is a key with patterns of files (did you mean list \"$2\" { ... }?)") \
    ROW(ERROR_COMMENT, "comment", "a comment begins with # on each line, not with \"$3\"") \
    ROW(ERROR_ENVIRONMENT, "environment", "\"${\" is not allowed: environment variables are not expanded here (write \"\\${\" for a dollar sign before a variable of mlmilter)") \
    ROW(ERROR_DOLLAR, "dollar", "\"${\" is not allowed (write {$2} without \"$\", or \"\\${\" for a dollar sign before it)") \
    ROW(ERROR_ESCAPE, "escape", "has a \"\\\" and digits that are no character (write \"\\\\\" for a backslash)") \
    ROW(ERROR_QUOTED_KEY, "quoted-key", "\"$2\" is in quotes where a key is expected (write it without quotes, and \"=\" after it)") \
    ROW(ERROR_NEEDS_QUOTES, "needs-quotes", "a text with \"$3\" stands in quotes (write $1 = \"$2\")") \
    ROW(ERROR_ITEM_NEEDS_QUOTES, "item-needs-quotes", "a text with \"$3\" stands in quotes (write \"$2\")") \
    ROW(ERROR_SEVERAL_WORDS, "several-words", "a text of several words stands in quotes (write $1 = \"$2\")") \
    ROW(ERROR_QUOTE_INSIDE, "quote-inside", "a quote is in the middle of a text (write the whole text in double quotes, and \\\" for a quote in it)") \
    ROW(ERROR_OPEN_QUOTE, "open-quote", "a quote is opened on this line and not closed (expected the closing quote on the same line)") \
    ROW(ERROR_FOREIGN_QUOTE, "foreign-quote", "a \"$3\" is no quote in this file (write \" or ')") \
    /* characters */ \
    ROW(ERROR_ODD_BLANK, "odd-blank", "a $3 is here (write a blank, or nothing)") \
    ROW(ERROR_LONG_LINE, "long-line", "this line is too long (expected at most $4 bytes)") \
    ROW(ERROR_NUL, "nul", "a NUL byte is here (expected text)") \
    ROW(ERROR_CONTROL, "control", "a control character is here (expected text)") \
    ROW(ERROR_LONE_CR, "lone-cr", "a CR is inside of this line (expected LF or CRLF at the end of a line)") \
    ROW(ERROR_LINE_UTF8, "line-utf8", "this line is not valid UTF-8 (expected a file in UTF-8)") \
    ROW(ERROR_UTF16, "utf16", "the file is in UTF-16 (expected UTF-8)") \
    /* the form of a value */ \
    ROW(ERROR_LINE_END, "line-end", "contains a line end (expected text on one line)") \
    ROW(ERROR_CONTROL_IN_TEXT, "control-in-text", "contains a control character, such as a tab (expected text)") \
    ROW(ERROR_UTF8, "utf8", "is not valid UTF-8 (expected text in UTF-8)") \
    ROW(ERROR_CHOICE, "choice", "is not understood (expected $1)") \
    ROW(ERROR_MISSPELT_CHOICE, "misspelt-choice", "is not understood (did you mean \"$1\"? expected $2)") \
    ROW(ERROR_BOOLEAN, "boolean", "is not understood (expected true or false)") \
    ROW(ERROR_EMPTY, "empty", "is empty (expected the id of a list)") \
    ROW(ERROR_MISSING_KEY, "missing-key", "is missing in this $1 (expected $2)") \
    ROW(ERROR_LONG_NAME, "long-name", "is too long (expected at most $1 bytes)") \
    ROW(ERROR_SECTION_TWICE, "section-twice", "appears a second time (first in line $1)") \
    /* the main file */ \
    ROW(ERROR_SOCKET, "socket", "is no socket (expected \"inet:PORT@HOST\", \"inet6:PORT@HOST\" or \"unix:PATH\")") \
    ROW(ERROR_SOCKET_HOST_FIRST, "socket-host-first", "has its host first, as Postfix writes it (expected the port first, as in \"inet:8894@127.0.0.1\")") \
    ROW(ERROR_SOCKET_PORT, "socket-port", "has a wrong port (expected \"inet:PORT@HOST\" with a PORT from 1 to 65535)") \
    ROW(ERROR_SOCKET_NO_HOST, "socket-no-host", "has no host (expected \"inet:PORT@HOST\", for example \"inet:8894@127.0.0.1\")") \
    ROW(ERROR_SOCKET_HOST, "socket-host", "has a wrong host (expected a name or an address, and the port before the \"@\")") \
    ROW(ERROR_SOCKET_IPV6, "socket-ipv6", "has an IPv6 address (expected \"inet6:PORT@HOST\")") \
    ROW(ERROR_SOCKET_LONG, "socket-long", "has a path that is too long for a socket (expected at most 107 bytes)") \
    ROW(ERROR_SOCKET_LONG_IN_ALL, "socket-long-in-all", "has a path that is too long for a socket with the folder of this file before it (expected at most 107 bytes in all)") \
    ROW(ERROR_SOCKET_NO_PATH, "socket-no-path", "has no path (expected \"unix:PATH\")") \
    ROW(ERROR_MODE, "mode", "is no mode of a file (expected three octal digits, for example \"0660\")") \
    ROW(ERROR_NO_NAME, "no-name", "is empty (expected a name)") \
    ROW(ERROR_ACCOUNT, "account", "is no name of a user or group (expected the name alone; socket_group has the group)") \
    ROW(ERROR_NO_ACCOUNT, "no-account", "is no account of this host (expected one that exists)") \
    ROW(ERROR_NO_FILE_NAME, "no-file-name", "names no file (expected a path)") \
    ROW(ERROR_NO_PATTERN, "no-pattern", "names no file (expected a pattern such as FOLDER/*.conf)") \
    ROW(ERROR_WILDCARD_IN_FOLDER, "wildcard-in-folder", "has a wildcard in its folder (expected wildcards after the last \"/\" only)") \
    ROW(ERROR_DELIMITER, "delimiter", "cannot separate a name from an addition (expected signs such as \"+\" or \"-\", or \"\" for none)") \
    ROW(ERROR_LISTS_MAX, "lists-max", "is no number of lists (expected one from 1 to 999999999)") \
    ROW(ERROR_STORE, "store", "$1") \
    ROW(ERROR_STORE_MISSING, "store-missing", "is not available ($1)") \
    ROW(ERROR_WATCH_MISSING, "watch-missing", "is not available ($1)") \
    ROW(ERROR_METRICS_IS_PID_FILE, "metrics-is-pid-file", "is the pid_file (expected a file of its own)") \
    ROW(ERROR_TRUST, "trust", "is no rule for clients (expected an address or network without brackets, such as \"127.0.0.1\", \"192.0.2.0/24\" or \"2001:db8::/32\", or \"daemon:NAME\", \"authenticated\" or \"local\")") \
    ROW(ERROR_TRUST_SEVERAL, "trust-several", "has several rules in one text (write trusted = {\"RULE\", \"RULE\"})") \
    ROW(ERROR_TRUST_DAEMON, "trust-daemon", "has no name (expected \"daemon:\" and the name of a listener)") \
    ROW(ERROR_PREFIX_IPV4, "prefix-ipv4", "has a wrong prefix length (expected 0 to 32 after the slash)") \
    ROW(ERROR_PREFIX_IPV6, "prefix-ipv6", "has a wrong prefix length (expected 0 to 128 after the slash)") \
    ROW(ERROR_TOKEN_NAME, "token-name", "is no name of a token (expected small letters, digits and \"_\", a letter first)") \
    ROW(ERROR_TOKEN_IS_VARIABLE, "token-is-variable", "is the name of a variable (expected another one)") \
    ROW(ERROR_TOKENS, "tokens", "is one too many (expected at most 32 tokens)") \
    ROW(ERROR_DIGEST, "digest", "is no digest that libcrypto has (expected \"sha256\", for example)") \
    ROW(ERROR_OF_EMPTY, "of-empty", "is empty (expected a text such as \"{message_id}\")") \
    ROW(ERROR_KEY_FILE, "key-file", "cannot be read: $1") \
    ROW(ERROR_KEY_FILE_FORM, "key-file-form", "$1") \
    ROW(ERROR_KEY_FILE_BLANK, "key-file-blank", "has a line with blanks before a \"#\", which would be a key (expected the \"#\" of a comment at the begin of its line)") \
    ROW(ERROR_KEY_FILE_SHORT, "key-file-short", "has a first key of fewer than 16 bytes, which can be guessed (expected 32 random bytes in Base 64, say)") \
    ROW(ERROR_KEY_FILE_OPEN, "key-file-open", "is open to others (expected mode 0600, or 0640 for its group to read it)") \
    ROW(ERROR_KEY_FILE_EMPTY, "key-file-empty", "contains no key (expected one key a line; empty lines and lines that begin with \"#\" do not count)") \
    /* files */ \
    ROW(ERROR_FILE, "file", "cannot be read: $1$2") \
    ROW(ERROR_FILE_OF_PATTERN, "file-of-pattern", "matches $1, which cannot be read: $2$3") \
    ROW(ERROR_FOLDER, "folder", "leads into a folder that cannot be read (expected one that this user may list)") \
    ROW(ERROR_DELEGATE_NAME, "delegate-name", "is no name (expected letters, digits, \"-\", \"_\" and \".\")") \
    ROW(ERROR_DELEGATED_DOMAIN, "delegated-domain", "is no domain (expected one such as \"lists.example\", or \"*.lists.example\" for all below it)") \
    ROW(ERROR_OUTSIDE, "outside", "lies outside of the domains of delegate \"$1\"") \
    ROW(ERROR_PARENT_OUTSIDE, "parent-outside", "lies outside of the domains of delegate \"$1\"; it is left out, the list stays in force") \
    ROW(ERROR_DELEGATED_FOLDER, "delegated-folder", "leads into $1, which cannot be read: $2; $3") \
    ROW(ERROR_DELEGATED_LISTS, "delegated-lists", "is one too many (expected at most $1 in all files of its delegate: lists_max)") \
    ROW(ERROR_DELEGATED_MEMORY, "delegated-memory", "the lists of its delegate take too much memory (expected at most $1 MiB in all)") \
    ROW(ERROR_DELEGATED_MORE, "delegated-more", "has $1 more files that are wrong") \
    /* lists */ \
    ROW(ERROR_LIST_ID, "list-id", "$1") \
    ROW(ERROR_LIST_ID_MEANT, "list-id-meant", "is no list id (did you mean \"$1\"?)") \
    ROW(ERROR_LIST_TWICE, "list-twice", "appears a second time (first in $1:$2)") \
    ROW(ERROR_TOO_MANY, "too-many", "has too many values (expected at most $1)") \
    ROW(ERROR_MANAGER_OF_ALIAS, "manager-of-alias", "is for lists that a list manager distributes, and with select = \"recipient\" the MTA does (expected one of the two)") \
    ROW(ERROR_TEMPLATE, "template", "$1") \
    ROW(ERROR_POST_BOOLEAN, "post-boolean", "is no URI (expected \"NO\" for a list that takes no posts)") \
    ROW(ERROR_NO_IN_OTHER, "no-in-other", "may be in \"post\" only (expected a URI)") \
    ROW(ERROR_NO_WITH_OTHERS, "no-with-others", "is with other values (expected \"NO\" alone, or URIs)") \
    ROW(ERROR_COMMENT_ALONE, "comment-alone", "has a comment and no URI after it (expected \"(comment) URI\")") \
    ROW(ERROR_SEVERAL_URIS, "several-uris", "has several URIs in one text (write {\"URI\", \"URI\"})") \
    ROW(ERROR_URI_EMPTY, "uri-empty", "is empty (expected a URI such as \"mailto:help@lists.example\")") \
    ROW(ERROR_URL_EMPTY, "url-empty", "is empty (expected a URL)") \
    ROW(ERROR_URI, "uri", "$1") \
    ROW(ERROR_FIELD, "field", "$1") \
    ROW(ERROR_RECIPIENT_OF_ALIAS, "recipient-of-alias", "names the recipient, which is the list itself when select = \"recipient\" (expected a URI for all members)") \
    ROW(ERROR_TOKEN_WIDTH, "token-width", "has {recipient_token} with a width, and what is cut off proves nothing (expected it without a width)") \
    ROW(ERROR_NO_RECIPIENT_KEY, "no-recipient-key", "has {recipient_token}, and there is no key for it (expected token_key_file = \"PATH\" in the main file)") \
    ROW(ERROR_RECIPIENT_IN_COMMENT, "recipient-in-comment", "has {recipient} or {recipient_token} in its comment (expected it in the URI only)") \
    ROW(ERROR_ONE_CLICK, "one-click", "does not name the recipient, as unsubscribe_one_click = true needs it (expected {recipient} and {recipient_token} in it, whole and before any \"#\"; RFC 8058, 3.1)") \
    ROW(ERROR_DESCRIPTION_LONG, "description-long", "is too long (expected at most $1 bytes, with the values of its variables)") \
    ROW(ERROR_ADDRESS, "address", "is no address (expected LOCAL@DOMAIN)") \
    ROW(ERROR_ALIAS, "alias", "is no address (expected LOCAL@DOMAIN, or the NAME of a local mailbox)") \
    ROW(ERROR_ALIAS_LITERAL, "alias-literal", "is an address literal (expected the NAME alone: it is also NAME@localhost and the NAME at each address literal)") \
    ROW(ERROR_ADDRESS_LONG, "address-long", "is too long (expected at most 254 bytes)") \
    ROW(ERROR_ADDRESS_CONTROL, "address-control", "contains a control character (expected LOCAL@DOMAIN)") \
    ROW(ERROR_ADDRESS_LOCAL, "address-local", "has a wrong part before the \"@\" (expected LOCAL@DOMAIN: no name, no brackets, no \"mailto:\"; in command_addresses only, \"from:\" or \"always:\" right before it)") \
    ROW(ERROR_ADDRESS_DOMAIN, "address-domain", "has a wrong domain (expected LOCAL@DOMAIN, no brackets)") \
    ROW(ERROR_ADDRESS_ANY_HOST, "address-any-host", "has no domain of its own: each host is called so (expected a name of this host as the domain, and the NAME alone in aliases)") \
    ROW(ERROR_DOMAIN, "domain", "$1") \
    ROW(ERROR_ROUTE, "route", "has \"@\", \"%\" or \"!\" in its local part, which MTAs take for a route to another mailbox (expected that mailbox)") \
    ROW(ERROR_PATTERN, "pattern", "is no pattern for senders (expected one \"*\" in the local part, and another character beside it)") \
    ROW(ERROR_PATTERN_DOMAIN, "pattern-domain", "has a \"*\" in its domain (expected it in the local part only)") \
    ROW(ERROR_PATTERNS, "patterns", "is one \"*\" too many (expected at most $1 senders with \"*\" in all lists of an owner with select = \"sender\")") \
    ROW(ERROR_ADDRESS_TAKEN, "address-taken", "is an address of list \"$1\" ($2:$3)") \
    ROW(ERROR_COMMAND_TAKEN, "command-taken", "is already a command address of list \"$1\" ($2:$3)") \
    ROW(ERROR_SENDER_TAKEN, "sender-taken", "is already a sender of list \"$1\" ($2:$3)") \
    ROW(ERROR_SENDERS_OF_ALIAS, "senders-of-alias", "has no effect here (expected it in a list of a list manager)") \
    ROW(ERROR_NO_ADDRESS, "no-address-for-text", "uses a variable of the address, and the list has no address (expected address = \"LOCAL@DOMAIN\" in the list)") \
    ROW(ERROR_NO_ADDRESS_FOR, "no-address-for", "has no address, which $1 of $2 needs (expected address = \"LOCAL@DOMAIN\" in the list)") \
    ROW(ERROR_NO_ADDRESS_TO_SELECT, "no-address-to-select", "\"recipient\" needs the list's address (expected address = \"LOCAL@DOMAIN\" in the list)") \
    ROW(ERROR_NO_SENDER, "no-sender", "\"sender\" needs to know the sender (expected senders = {\"LOCAL@DOMAIN\"} or address = \"LOCAL@DOMAIN\" in the list)") \
    ROW(ERROR_NO_ADDRESS_TO_NUMBER, "no-address-to-number", "needs the list's address (expected address = \"LOCAL@DOMAIN\" in the list)") \
    ROW(ERROR_NUMBER_OF_ALIAS, "number-of-alias", "with select = \"recipient\" would be the poster, who could choose the number (expected \"store\")") \
    ROW(ERROR_NO_STORE, "no-store", "needs the store, which is not built in") \
    ROW(ERROR_KEEP, "keep", "is not the name of a field that a list owns (expected List-Id, List-Help, List-Subscribe, List-Unsubscribe, List-Unsubscribe-Post, List-Post, List-Owner, List-Archive or Archived-At, without \":\")") \
    ROW(ERROR_KEEP_OF_ALIAS, "keep-of-alias", "cannot be kept with select = \"recipient\", where every field is a poster's (expected no keep in this list)") \
    ROW(ERROR_PARENT, "parent", "cannot stand in the brackets of a List-Id (expected the id alone)") \
    ROW(ERROR_PARENT_IS_SELF, "parent-is-self", "is this list itself (expected the ids of lists above it)") \
    /* hints about the main file */ \
    ROW(HINT_SOCKET_IS_PUBLIC, "public-socket", "can be reached from other networks, and anyone who connects can claim to be any client (expected an address of this host alone, such as 127.0.0.1)") \
    ROW(HINT_SOCKET_MODE, "socket-mode", "lets every user of this host speak to the socket (expected socket_group and \"0660\")") \
    ROW(HINT_NO_GROUP, "no-group", "is no group of this host, without which the daemon does not start") \
    ROW(HINT_CUT, "cut", "ends before a \"#\", where a comment begins (expected quotes around a text with \"#\", or a blank before a comment)") \
    ROW(HINT_NO_FILE, "no-file", "matches no file") \
    ROW(HINT_LARGE_NETWORK, "large-network", "trusts a large part of the Internet to speak for the lists (expected a network of your own)") \
    ROW(HINT_HOST_BITS, "host-bits", "has an address after its prefix, which does not count (expected the network's own address, or no prefix length for one host)") \
    ROW(HINT_SHORT_KEY, "short-key", "contains a key of fewer than 16 bytes, which can be guessed and still verifies (expected the file without that line)") \
    ROW(HINT_TOKEN_IS_AMBIGUOUS, "ambiguous-token", "has texts of the poster side by side, so two posts may have one token (expected {lf} between them)") \
    /* hints about lists */ \
    ROW(HINT_NO_ADDRESS, "no-address", "is missing, so posts on their way to the list are not cleaned (expected one, or address = \"\" for none)") \
    ROW(HINT_NO_DESCRIPTION, "no-description", "is missing, so List-Id shows only the id (expected one, or description = \"\" for none)") \
    ROW(HINT_NO_SELECT, "no-select", "is missing, so posts are known by the List-Id that a list manager writes (expected select = \"recipient\" if the MTA expands the list, else select = \"list-id\", or manager)") \
    ROW(HINT_NO_UNSUBSCRIBE, "no-unsubscribe", "is missing, so posts do not say how to leave the list (expected the URI of a list manager or a person, or unsubscribe = {} for none)") \
    ROW(HINT_NOT_RANDOM, "not-random", "is below localhost and may be another list's, too (expected 32 random hexadecimal digits and MMYYYY in it: RFC 2919, 5)") \
    ROW(HINT_NO_MAILTO, "no-mailto", "has no mailto: item, which mail programs can use where there is no browser (expected one, too: RFC 2369, 3)") \
    ROW(HINT_NO_ARCHIVE, "no-archive", "is left out: {archive} stands for the list's archive, and it has none (expected archive, or a whole URL)") \
    ROW(HINT_NO_QUESTION_MARK, "no-question-mark", "has \"&\" before any \"?\" (expected mailto:LOCAL@DOMAIN?NAME=VALUE&NAME=VALUE)") \
    ROW(HINT_NO_EQUALS, "field-without-equals", "has a field without \"=\" after the \"?\" (expected NAME=VALUE, and %26 for a \"&\" in a value)") \
    ROW(HINT_ESCAPED_AT, "escaped-at", "has \"%40\" for the \"@\" of an address (expected LOCAL@DOMAIN)") \
    ROW(HINT_SCHEME, "unknown-scheme", "has a scheme that is not known (expected one such as \"https:\" or \"mailto:\")") \
    ROW(HINT_FOREIGN_VARIABLE, "foreign-variable", "has a \"$\" before the name of a variable (expected {NAME})") \
    ROW(HINT_COMMENT, "comment-in-uri", "ends in parentheses that are a part of the URI (expected a blank before a comment, or %28 and %29)") \
    ROW(HINT_BROKEN_ADDRESS, "broken-address", "has an address that is not LOCAL@DOMAIN (RFC 6068)") \
    ROW(HINT_TWO_AT, "two-at", "has two \"@\" in one address (expected LOCAL@DOMAIN, and \",\" between two)") \
    ROW(HINT_NO_ARCHIVED_AT, "no-archived-at", "is an archive, but posts get no Archived-At (usual, if the archive understands it: archived_at = {\"{archive}/{message_id_hash}\"})") \
    ROW(HINT_ARCHIVE_IS_NO_WEB, "archive-is-no-web", "is no https: or http: URI, which {archive} in archived_at could be") \
    ROW(HINT_ARCHIVE_HAS_QUERY, "archive-has-query", "has a query or fragment, after which {archive} in archived_at puts the rest of the URL (expected a template without {archive})") \
    ROW(HINT_IS_CONSTANT, "constant", "is one URL for many posts (expected {message_id_hash}, {message_id}, {sequence} or a token in it, and not cut)") \
    ROW(HINT_HASH_IN_QUERY, "hash-in-query", "has a query before the \"/\" of the hash, which becomes part of its value") \
    ROW(HINT_NO_ONE_CLICK, "no-one-click", "has no effect: the list's posts get no List-Unsubscribe-Post (expected a list of a list manager, and exactly one https: and no http: URI in unsubscribe; RFC 8058, 3.1)") \
    ROW(HINT_NO_PROOF, "no-proof", "names the recipient without a proof, or has a proof without its address (expected both {recipient} and {recipient_token} in it, whole and before any \"#\")") \
    ROW(HINT_IS_NEVER_KEPT, "never-kept", "cannot be kept, as its specification has it removed from every post (expected one such as \"List-Unsubscribe\" or \"Archived-At\")") \
    ROW(HINT_BOUNCES, "bounces", "is what list managers send posts with: each post counts as a command response, without Archived-At and number (expected \"from:\" before it)") \
    ROW(HINT_HIDES_MANAGER, "hides-manager", "counts in place of what the manager sets for each list (expected it in the lists that need it, unless all do)") \
    ROW(HINT_PARENT_FORM, "parent-form", "is no list id (expected the name of that list's section, such as \"all.example.org\", unless its List-Id really is so)") \
    ROW(HINT_CONTESTED, "contested", "has the local part of somebody else's list, so mail for it is cleaned, and gets no field, if its domain is local to this host (expected virtual = true in the delegate section if no domain of it is local)") \
    ROW(HINT_BARE_NAME, "bare-name", "has, before its domain, the bare name that aliases of another list have: a local mailbox of this address is this list's, and of other domains that list's")
/* clang-format on */

#define REMARK_ENUM(remark, ...) remark,
enum remark { REMARK_NONE, REMARKS(REMARK_ENUM) REMARK_COUNT };

struct remark_text {
    const char *name, *text;
};

extern const struct remark_text remarks[REMARK_COUNT];

#endif
