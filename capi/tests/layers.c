/* A stack of layers answers as the merged image, copied and mapped.
 *
 *     layers FOLDER
 *
 * FOLDER is tests/data/layers, which tests/tests/layers.rs writes. */
#include "check.h"

static const char *const HOSTS[] = {"aardvark", "mule",  "plain", "zebra",  "site0",  "site3",  "site5",  "site6",
                                    "site7",    "site8", "site9", "site11", "site13", "site16", "site17", "nowhere"};
static const char *const PATHS[] = {"/",        "/aardvark", "/mule", "/zebra/b", "/own",  "/0",
                                    "/1/a",     "/2",        "/a*b",  "/x/y.gif", "/page", "/page?2",
                                    "/a",       "/b",        "/a/b",  "/ab",      "/a?b",  "/robots.txt"};
static const char *const NAMES[] = {"zebra", "aardvark", "mule", "*", "a", "GPTBot", "FooBot", "b"};
/* The last two are names that one layer each has. */
static const char *const USAGES[] = {"crawl", "index", "ai-train", "zebra", "mule"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
enum { URLS = 2 * COUNT(HOSTS) * COUNT(PATHS), URL_SIZE = 64 };

static RobomatonError error;
static char urls[URLS][URL_SIZE];
static RobomatonString strings[URLS];

static void must(RobomatonCode code) {
    if (code != ROBOMATON_CODE_OK) {
        fprintf(stderr, "layers: %s\n", error.message);
        exit(1);
    }
}

static void write_urls(void) {
    size_t count = 0;
    for (size_t host = 0; host < COUNT(HOSTS); host++) {
        for (size_t path = 0; path < COUNT(PATHS); path++) {
            for (int secure = 0; secure < 2; secure++) {
                snprintf(urls[count], URL_SIZE, "%s://%s.example%s", secure ? "https" : "http", HOSTS[host],
                         PATHS[path]);
                strings[count] = string_of(urls[count]);
                count++;
            }
        }
    }
    CHECK(count == URLS);
}

/* An image, a crawler, and the usage of the questions. */
struct asker {
    RobomatonImage *image;
    RobomatonCrawler *crawler;
    RobomatonUsage *usage;
};

static void resolve(struct asker *asker, const char *name, const char *usage) {
    RobomatonString names[] = {string_of(name)};
    must(robomaton_crawler_free(&asker->crawler));
    must(robomaton_usage_free(&asker->usage));
    must(robomaton_crawler_new(asker->image, names, 1, 0, &asker->crawler, &error));
    must(robomaton_usage_new(asker->image, usage, strlen(usage), NULL, 0, &asker->usage, &error));
}

static RobomatonReasons *reasons_of(const struct asker *asker, RobomatonString url) {
    RobomatonReasons *reasons = NULL;
    must(robomaton_reasons_new(asker->image, asker->crawler, asker->usage, NULL, 0, url.data, url.length,
                               &reasons, &error));
    return reasons;
}

static int are_equal(RobomatonString a, RobomatonString b) {
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

/* The deciding rules are the same; returns how many they are. */
static size_t compare_rules(const struct asker *stack, const struct asker *merged, RobomatonString url) {
    RobomatonReasons *ours = reasons_of(stack, url), *theirs = reasons_of(merged, url);
    size_t index = 0;
    for (;; index++) {
        RobomatonRule our_rule, their_rule;
        RobomatonCode code = robomaton_reasons_rule(ours, index, &our_rule, NULL);
        CHECK(code == robomaton_reasons_rule(theirs, index, &their_rule, NULL));
        if (code == ROBOMATON_CODE_OUT_OF_RANGE) {
            break;
        }
        must(code);
        CHECK(our_rule.line == their_rule.line && our_rule.permits == their_rule.permits);
        CHECK(are_equal(our_rule.rule, their_rule.rule) && are_equal(our_rule.file, their_rule.file));
    }
    must(robomaton_reasons_free(&ours));
    must(robomaton_reasons_free(&theirs));
    return index;
}

/* The facts of the site are the same; returns 1 if the images have it. */
static size_t compare_sites(const struct asker *stack, const struct asker *merged, RobomatonString url) {
    RobomatonSite *ours = NULL, *theirs = NULL;
    RobomatonCode code = robomaton_site_new(stack->image, stack->crawler, url.data, url.length, &ours, &error);
    CHECK(code == robomaton_site_new(merged->image, merged->crawler, url.data, url.length, &theirs, &error));
    if (code == ROBOMATON_CODE_NO_SITE) {
        return 0;
    }
    must(code);
    RobomatonSiteFacts our_facts, their_facts;
    must(robomaton_site_facts(ours, &our_facts, &error));
    must(robomaton_site_facts(theirs, &their_facts, &error));
    CHECK(our_facts.outcome == their_facts.outcome && our_facts.status == their_facts.status);
    CHECK(our_facts.fetched_at == their_facts.fetched_at && our_facts.sitemaps == their_facts.sitemaps);
    CHECK(our_facts.damaged == 0 && our_facts.crawl_delay == their_facts.crawl_delay);
    must(robomaton_site_free(&ours));
    must(robomaton_site_free(&theirs));
    return 1;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    write_urls();
    char path[4096];
    struct asker stack = {NULL, NULL, NULL}, merged = {NULL, NULL, NULL};
    RobomatonOptions options = {.size = sizeof options, .now = ROBOMATON_NO_TIME};
    snprintf(path, sizeof path, "%s/merged.rimg", arguments[1]);
    must(robomaton_image_open(path, &options, &merged.image, &error));
    snprintf(path, sizeof path, "%s/stack", arguments[1]);
    size_t rules = 0, sites = 0;
    for (int mapped = 0; mapped < 2; mapped++) {
        options.map_above = mapped ? 1 : UINT64_MAX;
        must(robomaton_image_open(path, &options, &stack.image, &error));
        must(robomaton_image_verify(stack.image, 1, &error));
        for (size_t name = 0; name < COUNT(NAMES); name++) {
            for (size_t usage = 0; usage < COUNT(USAGES); usage++) {
                resolve(&stack, NAMES[name], USAGES[usage]);
                resolve(&merged, NAMES[name], USAGES[usage]);
                static RobomatonVerdict ours[URLS], theirs[URLS];
                must(robomaton_decide_many(stack.image, stack.crawler, stack.usage, strings, URLS, ours, &error));
                must(robomaton_decide_many(merged.image, merged.crawler, merged.usage, strings, URLS, theirs,
                                           &error));
                CHECK(memcmp(ours, theirs, sizeof ours) == 0);
                for (size_t i = 0; i < URLS; i++) {
                    RobomatonVerdict single;
                    must(robomaton_decide(stack.image, stack.crawler, stack.usage, strings[i].data,
                                          strings[i].length, &single, &error));
                    CHECK(memcmp(&single, &ours[i], sizeof single) == 0);
                    rules += compare_rules(&stack, &merged, strings[i]);
                    sites += compare_sites(&stack, &merged, strings[i]);
                }
            }
        }
        must(robomaton_image_close(&stack.image));
    }
    /* The questions are not all about sites that nobody has. */
    CHECK(rules > 500 && sites > 10000);
    must(robomaton_usage_free(&merged.usage));
    must(robomaton_crawler_free(&merged.crawler));
    must(robomaton_usage_free(&stack.usage));
    must(robomaton_crawler_free(&stack.crawler));
    must(robomaton_image_close(&merged.image));
    printf("a stack of layers answers as the merged image: %zu rules, %zu sites\n", rules, sites);
    return 0;
}
