/* Damaged images: an error or a verdict, never a crash, and in bounded time.
 *
 *     damage IMAGE STEP MAPPED FILE OPENED
 *
 * Every STEPth byte is changed, in one of several ways in turn, and the file is cut at every STEPth
 * length. Each damaged image is asked in memory, and every MAPPEDth one is also written to FILE and
 * mapped; OPENED is FILE, or the folder of shards that it stands in. The Rust tests do more of the same,
 * also with checksums made to hold. */
#define _GNU_SOURCE
#include <unistd.h>

#include "check.h"

/* The seconds that all questions to one damaged image may take. */
enum { BOUND = 20 };

static const char *const URLS[] = {
    "https://x.example/private/open", "https://x.example/n/o/x.gif",   "https://x.example/%2axxy%C3",
    "http://y.example:8080/aa/bb/cc", "https://z.example/",            "https://nowhere.example/a",
    "https://zacap.example/p/on",     "https://zacap.example/n/o.gif", "https://zpage.example/p",
    "https://zversions.example/p",    "http://zplain.example/p/x",     "no url",
};
enum { COUNT = sizeof URLS / sizeof *URLS };

static const char *const USAGES[][2] = {
    {"crawl", NULL}, {"index", "newsletter"}, {"present-snippet", NULL}, {"ai-train", NULL}};
static const char *const CRAWLERS[] = {"a", "nobody"};

static void ask_reasons(const RobomatonImage *image, const RobomatonCrawler *crawler,
                        const RobomatonUsage *usage, RobomatonString url) {
    RobomatonReasons *reasons = NULL;
    CHECK(robomaton_reasons_new(image, crawler, usage, NULL, 0, url.data, url.length, &reasons, NULL) ==
          ROBOMATON_CODE_OK);
    RobomatonRule rule;
    RobomatonStatement statement;
    RobomatonString condition;
    size_t i = 0;
    while (robomaton_reasons_rule(reasons, i++, &rule, NULL) == ROBOMATON_CODE_OK) {
        CHECK(rule.rule.data != NULL);
    }
    for (i = 0; robomaton_reasons_statement(reasons, i, &statement, NULL) == ROBOMATON_CODE_OK; i++) {
    }
    for (i = 0; robomaton_reasons_condition(reasons, i, &condition, NULL) == ROBOMATON_CODE_OK; i++) {
    }
    robomaton_reasons_free(&reasons);
}

static void ask_site(const RobomatonImage *image, const RobomatonCrawler *crawler, RobomatonString url) {
    RobomatonSite *site = NULL;
    if (robomaton_site_new(image, crawler, url.data, url.length, &site, NULL) == ROBOMATON_CODE_OK) {
        RobomatonSiteFacts facts;
        RobomatonString sitemap;
        CHECK(robomaton_site_facts(site, &facts, NULL) == ROBOMATON_CODE_OK);
        for (size_t i = 0; i < facts.sitemaps; i++) {
            CHECK(robomaton_site_sitemap(site, i, &sitemap, NULL) == ROBOMATON_CODE_OK);
        }
        robomaton_site_free(&site);
    }
}

static void ask_as(const RobomatonImage *image, const char *name) {
    RobomatonString names[] = {string_of(name)}, urls[COUNT];
    RobomatonCrawler *crawler = NULL;
    CHECK(robomaton_crawler_new(image, names, 1, 0, &crawler, NULL) == ROBOMATON_CODE_OK);
    for (size_t i = 0; i < COUNT; i++) {
        urls[i] = string_of(URLS[i]);
        ask_site(image, crawler, urls[i]);
    }
    for (size_t use = 0; use < sizeof USAGES / sizeof *USAGES; use++) {
        RobomatonString usage_name = string_of(USAGES[use][0]);
        const char *purpose = USAGES[use][1];
        RobomatonUsage *usage = NULL;
        CHECK(robomaton_usage_new(image, usage_name.data, usage_name.length, purpose,
                                  purpose == NULL ? 0 : strlen(purpose), &usage, NULL) == ROBOMATON_CODE_OK);
        RobomatonVerdict verdicts[COUNT], verdict;
        CHECK(robomaton_decide_many(image, crawler, usage, urls, COUNT, verdicts, NULL) == ROBOMATON_CODE_OK);
        for (size_t i = 0; i < COUNT; i++) {
            CHECK(robomaton_decide(image, crawler, usage, urls[i].data, urls[i].length, &verdict, NULL) ==
                  ROBOMATON_CODE_OK);
            CHECK(memcmp(&verdict, &verdicts[i], sizeof verdict) == 0);
            ask_reasons(image, crawler, usage, urls[i]);
        }
        robomaton_usage_free(&usage);
    }
    robomaton_crawler_free(&crawler);
}

/* How often damaged images are mapped, and where. */
typedef struct {
    size_t step;
    const char *file;
    const char *opened;
    size_t asked;
    size_t count;
} Mapping;

/* 1 if the image opens, of which this is the code. */
static int ask_opened(RobomatonCode code, RobomatonImage *image, const RobomatonError *refusal) {
    if (code != ROBOMATON_CODE_OK) {
        CHECK(code == ROBOMATON_CODE_BAD_IMAGE && image == NULL && refusal->message[0] != 0);
        return 0;
    }
    RobomatonError error;
    for (size_t i = 0; i < sizeof CRAWLERS / sizeof *CRAWLERS; i++) {
        ask_as(image, CRAWLERS[i]);
    }
    /* A changed byte is a checksum that does not hold. */
    CHECK(robomaton_image_verify(image, 1, &error) == ROBOMATON_CODE_BAD_IMAGE && error.rule > 0);
    robomaton_image_close(&image);
    return 1;
}

static void write_whole(const char *path, const unsigned char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, length, file) == length);
    CHECK(fclose(file) == 0);
}

/* 1 if the image opens. */
static int ask(const unsigned char *bytes, size_t length, Mapping *mapping) {
    RobomatonImage *image = NULL;
    RobomatonError error;
    alarm(BOUND);
    RobomatonCode code = robomaton_image_copy(bytes, length, NULL, &image, &error);
    int opens = ask_opened(code, image, &error);
    if (mapping->asked++ % mapping->step == 0) {
        const RobomatonOptions options = {.size = sizeof options, .map_above = 1, .now = ROBOMATON_NO_TIME};
        write_whole(mapping->file, bytes, length);
        image = NULL;
        alarm(BOUND);
        code = robomaton_image_open(mapping->opened, &options, &image, &error);
        CHECK(ask_opened(code, image, &error) == opens);
        mapping->count++;
    }
    return opens;
}

int main(int count, char **arguments) {
    CHECK(count == 6);
    size_t length = 0, step = strtoul(arguments[2], NULL, 10);
    Mapping mapping = {strtoul(arguments[3], NULL, 10), arguments[4], arguments[5], 0, 0};
    unsigned char *good = read_whole(arguments[1], &length);
    static const unsigned char CHANGES[] = {0xFF, 0x01, 0x80, 0x10, 0x08, 0x40, 0x20};
    size_t changed = 0, opened = 0, cuts = 0;
    for (size_t at = 0; at < length; at += step) {
        /* An allocation of its own, so that a read beyond its end is noticed. */
        unsigned char *bytes = malloc(length);
        CHECK(bytes != NULL);
        memcpy(bytes, good, length);
        bytes[at] ^= CHANGES[changed % sizeof CHANGES];
        opened += (size_t)ask(bytes, length, &mapping);
        changed++;
        free(bytes);
    }
    CHECK(opened > changed / 2);
    for (size_t end = 0; end < length; end += step) {
        /* Again of its own, with nothing behind it. */
        unsigned char *bytes = malloc(end + (end == 0));
        CHECK(bytes != NULL);
        memcpy(bytes, good, end);
        CHECK(!ask(bytes, end, &mapping));
        cuts++;
        free(bytes);
    }
    /* The shard is whole again. */
    write_whole(mapping.file, good, length);
    free(good);
    CHECK(mapping.count > 0);
    printf("%s: %zu changes, of which %zu opened, and %zu cuts; %zu of them mapped\n", arguments[1], changed,
           opened, cuts, mapping.count);
    return 0;
}
