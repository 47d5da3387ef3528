/* The cost of questions: asks an image about the URLs of a file, for a number of rounds, one by one and
 * in batches.
 *
 *     measure IMAGE AGENT FILE ROUNDS
 *
 * Under `valgrind --tool=callgrind` it counts instructions; see benches/RESULTS.md. */
#define _GNU_SOURCE
#include <time.h>

#include "check.h"

static RobomatonError error;

static void must(RobomatonCode code) {
    if (code != ROBOMATON_CODE_OK) {
        fprintf(stderr, "measure: %s\n", error.message);
        exit(1);
    }
}

/* Nanoseconds of this thread. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int count, char **arguments) {
    CHECK(count == 5);
    RobomatonImage *image = NULL;
    RobomatonCrawler *crawler = NULL;
    must(robomaton_image_open(arguments[1], NULL, &image, &error));
    RobomatonString name = string_of(arguments[2]);
    must(robomaton_crawler_new(image, &name, 1, 0, &crawler, &error));

    size_t length = 0, lines = 0;
    char *text = (char *)read_whole(arguments[3], &length);
    text[length] = 0;
    for (size_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
    }
    RobomatonString *urls = calloc(lines, sizeof *urls);
    RobomatonVerdict *verdicts = calloc(lines, sizeof *verdicts);
    CHECK(urls != NULL && verdicts != NULL && lines > 0);
    char *line = text;
    for (size_t i = 0; i < lines; i++) {
        urls[i].data = line;
        urls[i].length = strcspn(line, "\n");
        line += urls[i].length + 1;
    }

    long rounds = strtol(arguments[4], NULL, 10);
    for (long round = 0; round < rounds; round++) {
        double begun = now();
        size_t allowed = 0, batch = 0;
        for (size_t i = 0; i < lines; i++) {
            RobomatonVerdict verdict;
            must(robomaton_decide(image, crawler, NULL, urls[i].data, urls[i].length, &verdict, &error));
            allowed += verdict.verdict == ROBOMATON_DECISION_ALLOWED;
        }
        double single = now();
        must(robomaton_decide_many(image, crawler, NULL, urls, lines, verdicts, &error));
        double many = now();
        for (size_t i = 0; i < lines; i++) {
            batch += verdicts[i].verdict == ROBOMATON_DECISION_ALLOWED;
        }
        CHECK(allowed == batch);
        printf("%.0f ns a URL, %.0f in a batch; %zu of %zu are allowed\n", (single - begun) / (double)lines,
               (many - single) / (double)lines, allowed, lines);
    }
    free(urls);
    free(verdicts);
    free(text);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
    return 0;
}
