/* The reader for C asks every URL of a file many times: IMAGE AGENT URLS REPEATS. */
#include <robomaton.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URLS 1000000

static RobomatonError error;

static void must(RobomatonCode code) {
    if (code != ROBOMATON_CODE_OK) {
        fprintf(stderr, "repeat: %s\n", error.message);
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "expected IMAGE AGENT URLS REPEATS\n");
        return 2;
    }
    RobomatonImage *image = NULL;
    RobomatonCrawler *crawler = NULL;
    must(robomaton_image_open(arguments[1], NULL, &image, &error));
    RobomatonString name = {arguments[2], strlen(arguments[2])};
    must(robomaton_crawler_new(image, &name, 1, 0, &crawler, &error));

    static RobomatonString urls[URLS];
    size_t lines = 0;
    FILE *file = fopen(arguments[3], "r");
    if (file == NULL) {
        perror(arguments[3]);
        return 1;
    }
    char *line = NULL;
    size_t room = 0;
    while (lines < URLS && getline(&line, &room, file) >= 0) {
        size_t length = strcspn(line, "\n");
        urls[lines++] = (RobomatonString){strndup(line, length), length};
    }
    fclose(file);
    free(line);

    size_t allowed = 0;
    for (long repeat = strtol(arguments[4], NULL, 10); repeat > 0; repeat--) {
        for (size_t i = 0; i < lines; i++) {
            RobomatonVerdict verdict;
            must(robomaton_decide(image, crawler, NULL, urls[i].data, urls[i].length, &verdict, &error));
            allowed += verdict.verdict == ROBOMATON_DECISION_ALLOWED;
        }
    }
    printf("%zu\n", allowed);
    return 0;
}
