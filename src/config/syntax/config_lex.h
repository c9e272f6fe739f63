/*
 * config_lex - the tokens of a configuration file
 *
 *   word    = 1*( printable ASCII but blank # " ' = { } ( ) + , * )
 *             no ";" at its begin or end, where people put one out of habit
 *   string  = DQUOTE ... DQUOTE / "'" ... "'"            on one line
 *   comment = ( "#" / "//" ) to the end of the line / "/" "*" ... "*" "/"
 *
 * Stricter than libConfuse, which expands "${NAME}" from the environment, ends a
 * value at "\0", drops an octet it does not know and reports a missing quote
 * lines later (measured, 3.3).  Comments are overwritten with blanks in the text,
 * because libConfuse counts a line too many for each C comment and takes none
 * between the values of a list; double quotes become single ones where that means
 * the same, because libConfuse reads text in those twice as fast.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_CONFIG_LEX_H
#define MLMILTER_CONFIG_SYNTAX_CONFIG_LEX_H

#include "text/span.h"

enum config_token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_STRING, /* text is with its quotes and escapes */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_EQUALS,
    TOKEN_COMMA,
    TOKEN_SEMICOLON, /* a word begins with it; never right */
    TOKEN_FAULT      /* fault and line of the lexer say what is wrong */
};

struct config_token {
    enum config_token_kind kind;
    struct span text; /* points into the text */
    int line;
};

struct config_lexer {
    char *p; /* borrowed, changed: comments and double quotes go */
    char *end;
    int line;
    const char *fault; /* static */
};

/* Text is read from p up to end. */
void config_lex_init(struct config_lexer *lexer, char *p, char *end);

struct config_token config_lex(struct config_lexer *lexer);

/* Is every octet one that may stand in a file: valid UTF-8, no control characters but TAB, LF, and
 * CR before LF? NULL, or what is wrong, with *line. */
const char *config_text_fault(struct span text, int *line);

/* Overwrites text with blanks; its line ends stay, so that lines keep their numbers. */
void config_blank(char *p, char *end);

#endif
