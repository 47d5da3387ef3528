/* Answers the questions that `capi/conformance` writes, one command a line:
 *
 *     I elements path          opens an image
 *     O path                   opens an image that may be damaged, and prints 1 if it opens, and the
 *                              number of the first broken rule
 *     C flags name ...         resolves a crawler
 *     S usage [purpose]        resolves a usage
 *     K usage                  prints 1 if the usage is known, 0 if it may be misspelt
 *     D [document]             the document that answers
 *     U url                    prints decision, basis, outcome, incomplete, lines, conditions
 *     F url                    prints address facts: outcome, status, fetched_at, ..., sitemaps
 *
 * Words are separated by tabs; texts are in hexadecimal, since URLs hold anything. */
#define _GNU_SOURCE
#include "check.h"

enum { WORDS = 16 };

static RobomatonImage *image;
static RobomatonCrawler *crawler;
static RobomatonUsage *usage;
static RobomatonString document;
static RobomatonError error;

static void must(RobomatonCode code) {
    if (code != ROBOMATON_CODE_OK) {
        fprintf(stderr, "ask: %s\n", error.message);
        exit(1);
    }
}

/* The text of hexadecimal digits, written over them. */
static RobomatonString text(char *digits) {
    size_t length = strlen(digits) / 2;
    for (size_t i = 0; i < length; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
        digits[i] = (char)strtol(pair, NULL, 16);
    }
    RobomatonString string = {digits, length};
    return string;
}

static void print_hex(RobomatonString string) {
    for (size_t i = 0; i < string.length; i++) {
        printf("%02x", (unsigned char)string.data[i]);
    }
}

/* One by one, in a batch, and with reasons: the same verdict. */
static void answer(RobomatonString url) {
    RobomatonVerdict verdict, again;
    if (document.data == NULL) {
        must(robomaton_decide(image, crawler, usage, url.data, url.length, &verdict, &error));
        must(robomaton_decide_many(image, crawler, usage, &url, 1, &again, &error));
        CHECK(memcmp(&verdict, &again, sizeof verdict) == 0);
    } else {
        must(robomaton_decide_document(image, crawler, usage, document.data, document.length, url.data,
                                       url.length, &verdict, &error));
    }
    RobomatonReasons *reasons = NULL;
    must(robomaton_reasons_new(image, crawler, usage, document.data, document.length, url.data, url.length,
                               &reasons, &error));
    must(robomaton_reasons_verdict(reasons, &again, &error));
    CHECK(memcmp(&verdict, &again, sizeof verdict) == 0);
    printf("%s\t%s\t%s\t%d\t", robomaton_decision_name(verdict.decision), robomaton_basis_name(verdict.basis),
           robomaton_outcome_name(verdict.outcome), verdict.incomplete);
    RobomatonRule rule;
    for (size_t i = 0; robomaton_reasons_rule(reasons, i, &rule, NULL) == ROBOMATON_CODE_OK; i++) {
        printf("%s%u", i > 0 ? "," : "", rule.line);
    }
    putchar('\t');
    RobomatonString condition;
    for (size_t i = 0; robomaton_reasons_condition(reasons, i, &condition, NULL) == ROBOMATON_CODE_OK; i++) {
        fputs(i > 0 ? "," : "", stdout);
        print_hex(condition);
    }
    putchar('\n');
    must(robomaton_reasons_free(&reasons));
}

static void facts_of(RobomatonString url) {
    RobomatonSite *site = NULL;
    RobomatonSiteFacts facts;
    must(robomaton_site_new(image, crawler, url.data, url.length, &site, &error));
    must(robomaton_site_facts(site, &facts, &error));
    CHECK(facts.damaged == 0);
    printf("%s\t%d\t%llu\t%u\t%.3f\t", robomaton_outcome_name(facts.outcome), facts.status,
           (unsigned long long)facts.fetched_at, facts.fresh_for, facts.crawl_delay);
    for (size_t i = 0; i < facts.sitemaps; i++) {
        RobomatonString sitemap;
        must(robomaton_site_sitemap(site, i, &sitemap, &error));
        fputs(i > 0 ? "," : "", stdout);
        print_hex(sitemap);
    }
    putchar('\n');
    must(robomaton_site_free(&site));
}

static void open_damaged(const char *path) {
    RobomatonCode opened = robomaton_image_open(path, NULL, &image, &error);
    RobomatonCode code = opened == ROBOMATON_CODE_OK ? robomaton_image_verify(image, 1, &error) : opened;
    CHECK(code == ROBOMATON_CODE_OK || code == ROBOMATON_CODE_BAD_IMAGE);
    CHECK((image != NULL) == (opened == ROBOMATON_CODE_OK));
    printf("%d\t%u\n", opened == ROBOMATON_CODE_OK, code == ROBOMATON_CODE_OK ? 0 : error.rule);
}

static void command(char **words, size_t count) {
    static char kept[4096];
    RobomatonString names[WORDS], purpose = {NULL, 0};
    CHECK(count >= 1);
    switch (words[0][0]) {
    case 'I': {
        RobomatonOptions options = {.size = sizeof options, .now = ROBOMATON_NO_TIME};
        options.elements = words[1][0] == '1';
        must(robomaton_image_close(&image));
        must(robomaton_image_open(words[2], &options, &image, &error));
        break;
    }
    case 'O':
        must(robomaton_image_close(&image));
        open_damaged(words[1]);
        break;
    case 'C':
        for (size_t i = 2; i < count; i++) {
            names[i - 2] = text(words[i]);
        }
        must(robomaton_crawler_free(&crawler));
        must(robomaton_crawler_new(image, names, count - 2, words[1][0] == '1' ? ROBOMATON_NAMED_ONLY : 0,
                                   &crawler, &error));
        break;
    case 'S':
        names[0] = text(words[1]);
        if (count > 2) {
            purpose = text(words[2]);
        }
        must(robomaton_usage_free(&usage));
        must(robomaton_usage_new(image, names[0].data, names[0].length, purpose.data, purpose.length, &usage,
                                 &error));
        break;
    case 'K': {
        must(robomaton_usage_free(&usage));
        names[0] = text(words[1]);
        RobomatonCode code = robomaton_usage_new(image, names[0].data, names[0].length, NULL, 0, &usage, &error);
        if (code != ROBOMATON_CODE_UNKNOWN_USAGE) {
            must(code);
        }
        printf("%d\n", code == ROBOMATON_CODE_OK);
        CHECK((usage == NULL) == (code != ROBOMATON_CODE_OK));
        must(robomaton_usage_free(&usage));
        break;
    }
    case 'D':
        document.data = NULL;
        document.length = 0;
        if (count > 1) {
            CHECK(strlen(words[1]) < sizeof kept);
            strcpy(kept, words[1]);
            document = text(kept);
        }
        break;
    case 'U':
        answer(text(words[1]));
        break;
    case 'F':
        facts_of(text(words[1]));
        break;
    default:
        CHECK(!"a command");
    }
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) != -1) {
        line[strcspn(line, "\n")] = 0;
        char *words[WORDS] = {NULL};
        size_t count = 0;
        for (char *rest = line, *word; (word = strsep(&rest, "\t")) != NULL;) {
            CHECK(count < WORDS);
            words[count++] = word;
        }
        command(words, count);
    }
    free(line);
    robomaton_usage_free(&usage);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
    return 0;
}
