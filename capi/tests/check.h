/* What the tests share: an assertion that is there in every build, and strings. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robomaton.h"

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

/* The whole of a file, which the caller frees. */
static inline unsigned char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    long end = ftell(file);
    CHECK(end >= 0);
    rewind(file);
    *length = (size_t)end;
    unsigned char *bytes = malloc(*length + 1);
    CHECK(bytes != NULL);
    CHECK(fread(bytes, 1, *length, file) == *length);
    fclose(file);
    return bytes;
}

static inline RobomatonString string_of(const char *text) {
    RobomatonString string = {text, strlen(text)};
    return string;
}

#endif
