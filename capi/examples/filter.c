/* Reads URLs from standard input and prints each with its verdict in front, as `robomaton query` does:
 *
 *     filter IMAGE AGENT [USAGE] <urls.txt
 *
 * Build it with
 *
 *     cc filter.c $(pkg-config --cflags --libs robomaton) -o filter
 */
#define _GNU_SOURCE
#include <robomaton.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const RobomatonError *error) {
    fprintf(stderr, "filter: %s\n", error->message);
    return 2;
}

/* Cuts off the ASCII white space around a line, as the command does. Returns where the rest begins. */
static const char *trimmed(const char *line, size_t *length) {
    static const char space[] = {' ', '\t', '\n', '\f', '\r'};
    while (*length > 0 && memchr(space, line[*length - 1], sizeof space) != NULL) {
        --*length;
    }
    while (*length > 0 && memchr(space, *line, sizeof space) != NULL) {
        line++;
        --*length;
    }
    return line;
}

/* A URL whose bytes beyond ASCII are percent-encoded, which is the same URL. */
static char *encoded(const char *url, size_t length, size_t *encoded_length) {
    char *text = malloc(3 * length + 1), *end = text;
    if (text == NULL) {
        abort();
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)url[i];
        if (byte < 0x80) {
            *end++ = url[i];
        } else {
            end += sprintf(end, "%%%02X", byte);
        }
    }
    *encoded_length = (size_t)(end - text);
    return text;
}

int main(int count, char **arguments) {
    if (count < 3 || count > 4) {
        fputs("usage: filter IMAGE AGENT [USAGE] <URLS\n", stderr);
        return 2;
    }
    RobomatonError error;
    RobomatonImage *image = NULL;
    RobomatonCrawler *crawler = NULL;
    RobomatonUsage *usage = NULL; /* crawling */

    if (robomaton_image_open(arguments[1], NULL, &image, &error) != ROBOMATON_CODE_OK) {
        return fail(&error);
    }
    RobomatonString name = {arguments[2], strlen(arguments[2])};
    if (robomaton_crawler_new(image, &name, 1, 0, &crawler, &error) != ROBOMATON_CODE_OK) {
        return fail(&error);
    }
    if (count == 4 && robomaton_usage_new(image, arguments[3], strlen(arguments[3]), NULL, 0, &usage,
                                          &error) != ROBOMATON_CODE_OK) {
        return fail(&error);
    }

    char *line = NULL;
    size_t room = 0;
    ssize_t read;
    while ((read = getline(&line, &room, stdin)) != -1) {
        size_t length = (size_t)read;
        const char *url = trimmed(line, &length);
        if (length == 0) {
            continue;
        }
        RobomatonVerdict verdict;
        RobomatonCode code = robomaton_decide(image, crawler, usage, url, length, &verdict, &error);
        if (code == ROBOMATON_CODE_INVALID_UTF8) {
            size_t other_length = 0;
            char *other = encoded(url, length, &other_length);
            code = robomaton_decide(image, crawler, usage, other, other_length, &verdict, &error);
            free(other);
        }
        if (code != ROBOMATON_CODE_OK) {
            return fail(&error);
        }
        printf("%s\t", robomaton_decision_name(verdict.verdict));
        fwrite(url, 1, length, stdout);
        putchar('\n');
    }
    free(line);
    robomaton_usage_free(&usage);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
    return fflush(stdout) == 0 ? 0 : 2;
}
