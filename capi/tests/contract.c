/* Right and wrong calls of every function: each answers with a code, and none crashes.
 *
 *     contract FOLDER SCRATCH
 *
 * FOLDER has the images of tests/data/conformance; files are written to SCRATCH. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define URL "http://zplain.example/private"

static char path[4096];
static char error_path[4096];
static RobomatonError error;

static const char *in(const char *folder, const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static RobomatonImage *opened(const char *file, const RobomatonOptions *options) {
    RobomatonImage *image = NULL;
    RobomatonCode code = robomaton_image_open(file, options, &image, &error);
    if (code != ROBOMATON_CODE_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    CHECK(code == ROBOMATON_CODE_OK && image != NULL);
    return image;
}

static RobomatonCrawler *crawler_of(const RobomatonImage *image, const char *name) {
    RobomatonString names[] = {string_of(name)};
    RobomatonCrawler *crawler = NULL;
    CHECK(robomaton_crawler_new(image, names, 1, 0, &crawler, &error) == ROBOMATON_CODE_OK);
    return crawler;
}

/* Asks about a URL with a short spelling. */
static RobomatonCode ask(const RobomatonImage *image, const RobomatonCrawler *crawler, const char *url,
                         RobomatonVerdict *verdict) {
    return robomaton_decide(image, crawler, NULL, url, strlen(url), verdict, &error);
}

static void versions_and_names(void) {
    CHECK(strcmp(robomaton_version(), ROBOMATON_TEST_VERSION) == 0);
    CHECK(robomaton_format_version() == 8);
    CHECK(strcmp(robomaton_decision_name(ROBOMATON_DECISION_CONDITIONAL), "conditional") == 0);
    CHECK(strcmp(robomaton_basis_name(ROBOMATON_BASIS_NO_RULE), "no-rule") == 0);
    CHECK(strcmp(robomaton_outcome_name(ROBOMATON_OUTCOME_NOT_ROBOTS), "not-robots") == 0);
    CHECK(strcmp(robomaton_decision_name(200), "invalid") == 0);
}

static void answers(const char *folder) {
    RobomatonImage *image = opened(in(folder, "small.rimg"), NULL);
    RobomatonCrawler *crawler = crawler_of(image, "a");
    RobomatonVerdict verdict;
    CHECK(ask(image, crawler, URL, &verdict) == ROBOMATON_CODE_OK);
    CHECK(verdict.verdict == ROBOMATON_DECISION_DISALLOWED && verdict.basis == ROBOMATON_BASIS_RULE);
    CHECK(ask(image, crawler, "https://z.example/", &verdict) == ROBOMATON_CODE_OK);
    CHECK(verdict.basis == ROBOMATON_BASIS_OUTCOME && verdict.outcome == ROBOMATON_OUTCOME_UNAVAILABLE);
    CHECK(ask(image, crawler, "https://nowhere.example/", &verdict) == ROBOMATON_CODE_OK);
    CHECK(verdict.verdict == ROBOMATON_DECISION_UNKNOWN && verdict.basis == ROBOMATON_BASIS_NO_SITE);
    CHECK(ask(image, crawler, "", &verdict) == ROBOMATON_CODE_OK);
    CHECK(verdict.basis == ROBOMATON_BASIS_NO_URL);

    /* A permission that something missing might take back: act on the verdict. */
    const char *incomplete = "https://zacap.example/p";
    CHECK(ask(image, crawler, incomplete, &verdict) == ROBOMATON_CODE_OK);
    CHECK(verdict.incomplete == 1 && verdict.verdict == ROBOMATON_DECISION_DISALLOWED);
    CHECK(verdict.decision == ROBOMATON_DECISION_CONDITIONAL);
    RobomatonReasons *reasons = NULL;
    CHECK(robomaton_reasons_new(image, crawler, NULL, NULL, 0, incomplete, strlen(incomplete), &reasons,
                                &error) == ROBOMATON_CODE_OK);
    RobomatonString condition;
    CHECK(robomaton_reasons_condition(reasons, 0, &condition, &error) == ROBOMATON_CODE_OK);
    CHECK(condition.length == strlen("time-limit=until-recrawled"));
    CHECK(memcmp(condition.data, "time-limit=until-recrawled", condition.length) == 0);
    CHECK(robomaton_reasons_condition(reasons, 1, &condition, &error) == ROBOMATON_CODE_OUT_OF_RANGE);
    CHECK(robomaton_reasons_free(&reasons) == ROBOMATON_CODE_OK && reasons == NULL);

    CHECK(robomaton_reasons_new(image, crawler, NULL, NULL, 0, URL, strlen(URL), &reasons, &error) ==
          ROBOMATON_CODE_OK);
    RobomatonRule rule;
    CHECK(robomaton_reasons_rule(reasons, 0, &rule, &error) == ROBOMATON_CODE_OK);
    CHECK(rule.line == 2 && rule.permits == 0 && rule.file.length == 0 && rule.carrier.length == 6);
    CHECK(rule.rule.length > 10 && memcmp(rule.rule.data, "Disallow: ", 10) == 0);
    CHECK(robomaton_reasons_rule(reasons, 1, &rule, &error) == ROBOMATON_CODE_OUT_OF_RANGE);
    CHECK(robomaton_reasons_rule(reasons, SIZE_MAX, &rule, NULL) == ROBOMATON_CODE_OUT_OF_RANGE);
    RobomatonStatement statement;
    CHECK(robomaton_reasons_statement(reasons, 0, &statement, &error) == ROBOMATON_CODE_OUT_OF_RANGE);

    RobomatonSite *site = NULL;
    RobomatonSiteFacts facts;
    CHECK(robomaton_site_new(image, crawler, URL, strlen(URL), &site, &error) == ROBOMATON_CODE_OK);
    CHECK(robomaton_site_facts(site, &facts, &error) == ROBOMATON_CODE_OK);
    CHECK(facts.outcome == ROBOMATON_OUTCOME_RULES && facts.damaged == 0);
    RobomatonString sitemap;
    CHECK(robomaton_site_sitemap(site, facts.sitemaps, &sitemap, &error) == ROBOMATON_CODE_OUT_OF_RANGE);
    CHECK(robomaton_site_free(&site) == ROBOMATON_CODE_OK && site == NULL);
    const char *nowhere = "https://nowhere.example/";
    CHECK(robomaton_site_new(image, crawler, nowhere, strlen(nowhere), &site, &error) ==
          ROBOMATON_CODE_NO_SITE);
    CHECK(site == NULL);

    CHECK(robomaton_image_verify(image, 0, &error) == ROBOMATON_CODE_OK);
    CHECK(robomaton_image_verify(image, 1, &error) == ROBOMATON_CODE_OK);
    CHECK(robomaton_image_verify(image, 2, &error) == ROBOMATON_CODE_INVALID_ARGUMENT);

    /* Reasons and crawlers may outlive the image. */
    CHECK(robomaton_image_close(&image) == ROBOMATON_CODE_OK && image == NULL);
    CHECK(robomaton_reasons_rule(reasons, 0, &rule, &error) == ROBOMATON_CODE_OK && rule.line == 2);
    CHECK(ask(image, crawler, URL, &verdict) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_reasons_free(&reasons) == ROBOMATON_CODE_OK);
    CHECK(robomaton_crawler_free(&crawler) == ROBOMATON_CODE_OK && crawler == NULL);
    CHECK(robomaton_crawler_free(&crawler) == ROBOMATON_CODE_OK);
}

static void nulls(const char *folder) {
    RobomatonImage *image = NULL;
    RobomatonVerdict verdict;
    CHECK(robomaton_image_open(NULL, NULL, &image, &error) == ROBOMATON_CODE_NULL && image == NULL);
    CHECK(robomaton_image_open(in(folder, "small.rimg"), NULL, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_image_copy(NULL, 10, NULL, &image, &error) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_image_copy(NULL, 0, NULL, &image, &error) == ROBOMATON_CODE_BAD_IMAGE);
    CHECK(robomaton_image_close(NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_image_close(&image) == ROBOMATON_CODE_OK);
    CHECK(robomaton_image_verify(NULL, 0, NULL) == ROBOMATON_CODE_NULL);

    image = opened(in(folder, "small.rimg"), NULL);
    RobomatonCrawler *crawler = crawler_of(image, "*");
    RobomatonUsage *usage = NULL;
    RobomatonReasons *reasons = NULL;
    RobomatonSite *site = NULL;
    RobomatonString names[] = {{NULL, 1}};
    RobomatonCrawler *none = NULL;
    CHECK(robomaton_crawler_new(NULL, names, 1, 0, &none, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_crawler_new(image, NULL, 1, 0, &none, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_crawler_new(image, names, 1, 0, &none, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_crawler_new(image, NULL, 0, 0, &none, &error) == ROBOMATON_CODE_NO_CRAWLER);
    CHECK(robomaton_crawler_new(image, names, 0, 0, NULL, &error) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_usage_new(NULL, "crawl", 5, NULL, 0, &usage, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_usage_new(image, NULL, 5, NULL, 0, &usage, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_usage_new(image, "crawl", 5, NULL, 0, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide(NULL, crawler, NULL, URL, 8, &verdict, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide(image, NULL, NULL, URL, 8, &verdict, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide(image, crawler, NULL, NULL, 8, &verdict, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide(image, crawler, NULL, NULL, 0, &verdict, NULL) == ROBOMATON_CODE_OK);
    CHECK(robomaton_decide(image, crawler, NULL, URL, 8, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide_document(image, crawler, NULL, NULL, 8, URL, 8, &verdict, NULL) ==
          ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide_many(image, crawler, NULL, NULL, 1, &verdict, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_decide_many(image, crawler, NULL, NULL, 0, NULL, NULL) == ROBOMATON_CODE_OK);
    CHECK(robomaton_decide_many(image, crawler, NULL, names, 1, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_reasons_new(NULL, crawler, NULL, NULL, 0, URL, 8, &reasons, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_reasons_new(image, crawler, NULL, NULL, 0, URL, 8, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_reasons_verdict(NULL, &verdict, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_reasons_rule(NULL, 0, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_site_new(NULL, crawler, URL, 8, &site, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_site_facts(NULL, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_site_sitemap(NULL, 0, NULL, NULL) == ROBOMATON_CODE_NULL);
    CHECK(robomaton_site_free(NULL) == ROBOMATON_CODE_NULL);

    /* The message says which argument it is. */
    CHECK(robomaton_decide(image, crawler, NULL, NULL, 8, &verdict, &error) == ROBOMATON_CODE_NULL);
    CHECK(error.code == ROBOMATON_CODE_NULL && strcmp(error.message, "url: is null") == 0);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
}

static void misspelt_usages(const char *folder) {
    RobomatonImage *image = opened(in(folder, "small.rimg"), NULL);
    RobomatonUsage *usage = NULL;
    CHECK(robomaton_usage_new(image, "trian", 5, NULL, 0, &usage, &error) == ROBOMATON_CODE_UNKNOWN_USAGE);
    CHECK(usage == NULL && strstr(error.message, "(did you mean \"train\"?)") != NULL);
    CHECK(robomaton_usage_new(image, "", 0, "news", 4, &usage, &error) == ROBOMATON_CODE_UNKNOWN_USAGE);
    CHECK(robomaton_usage_new(image, "Train-AI", 8, NULL, 0, &usage, &error) == ROBOMATON_CODE_OK);
    robomaton_usage_free(&usage);
    robomaton_image_close(&image);
}

static void wrong_handles(const char *folder) {
    RobomatonImage *image = opened(in(folder, "small.rimg"), NULL);
    RobomatonImage *other = opened(in(folder, "small.rimg"), NULL);
    RobomatonCrawler *crawler = crawler_of(image, "a"), *foreign = crawler_of(other, "a");
    RobomatonUsage *usage = NULL, *foreign_usage = NULL;
    CHECK(robomaton_usage_new(image, "index", 5, "news", 4, &usage, &error) == ROBOMATON_CODE_OK);
    CHECK(robomaton_usage_new(other, "index", 5, NULL, 0, &foreign_usage, &error) == ROBOMATON_CODE_OK);
    RobomatonVerdict verdict;
    RobomatonSite *site = NULL;
    CHECK(ask(image, foreign, URL, &verdict) == ROBOMATON_CODE_FOREIGN);
    CHECK(robomaton_decide(image, crawler, foreign_usage, URL, 8, &verdict, &error) == ROBOMATON_CODE_FOREIGN);
    CHECK(robomaton_decide(image, crawler, usage, URL, 8, &verdict, &error) == ROBOMATON_CODE_OK);
    CHECK(robomaton_site_new(image, foreign, URL, strlen(URL), &site, &error) == ROBOMATON_CODE_FOREIGN);

    CHECK(ask((RobomatonImage *)crawler, crawler, URL, &verdict) == ROBOMATON_CODE_BAD_HANDLE);
    CHECK(ask(image, (RobomatonCrawler *)usage, URL, &verdict) == ROBOMATON_CODE_BAD_HANDLE);
    CHECK(ask(image, (RobomatonCrawler *)((char *)crawler + 1), URL, &verdict) == ROBOMATON_CODE_BAD_HANDLE);
    uint64_t zeros[64] = {0};
    CHECK(ask((RobomatonImage *)zeros, crawler, URL, &verdict) == ROBOMATON_CODE_BAD_HANDLE);
    RobomatonImage *wrong = (RobomatonImage *)crawler;
    CHECK(robomaton_image_close(&wrong) == ROBOMATON_CODE_BAD_HANDLE && wrong != NULL);

    robomaton_usage_free(&usage);
    robomaton_usage_free(&foreign_usage);
    robomaton_crawler_free(&foreign);
    robomaton_image_close(&other);
    /* Another image, perhaps at the same address, is still another image. */
    other = opened(in(folder, "small.rimg"), NULL);
    CHECK(ask(other, crawler, URL, &verdict) == ROBOMATON_CODE_FOREIGN);
    robomaton_image_close(&other);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
}

static void wrong_arguments(const char *folder) {
    RobomatonImage *image = NULL;
    RobomatonOptions options = {.size = sizeof options - 8};
    CHECK(robomaton_image_open(in(folder, "small.rimg"), &options, &image, &error) == ROBOMATON_CODE_WRONG_SIZE);
    options.size = sizeof options;
    options.elements = 2;
    CHECK(robomaton_image_open(path, &options, &image, &error) == ROBOMATON_CODE_INVALID_ARGUMENT);
    options.elements = 1;
    options.now = ROBOMATON_NO_TIME;
    image = opened(path, &options);
    robomaton_image_close(&image);

    image = opened(path, NULL);
    RobomatonCrawler *crawler = NULL;
    RobomatonString names[] = {string_of("a"), string_of("b")};
    CHECK(robomaton_crawler_new(image, names, SIZE_MAX, 0, &crawler, &error) == ROBOMATON_CODE_WRONG_SIZE);
    CHECK(robomaton_crawler_new(image, names, SIZE_MAX / 8, 0, &crawler, &error) == ROBOMATON_CODE_WRONG_SIZE);
    CHECK(robomaton_crawler_new(image, names, 2, 2, &crawler, &error) == ROBOMATON_CODE_INVALID_ARGUMENT);
    names[1] = string_of("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101");
    CHECK(robomaton_crawler_new(image, names, 2, 0, &crawler, &error) == ROBOMATON_CODE_NO_CRAWLER);
    CHECK(crawler == NULL);
    names[1] = string_of("\xff");
    CHECK(robomaton_crawler_new(image, names, 2, 0, &crawler, &error) == ROBOMATON_CODE_INVALID_UTF8);
    CHECK(robomaton_crawler_new(image, names, 1, ROBOMATON_NAMED_ONLY, &crawler, &error) == ROBOMATON_CODE_OK);

    RobomatonVerdict verdict;
    CHECK(robomaton_decide(image, crawler, NULL, URL, SIZE_MAX, &verdict, &error) == ROBOMATON_CODE_WRONG_SIZE);
    CHECK(robomaton_decide(image, crawler, NULL, URL, SIZE_MAX / 2 + 1, &verdict, &error) ==
          ROBOMATON_CODE_WRONG_SIZE);
    CHECK(ask(image, crawler, "https://x.example/\xc3(", &verdict) == ROBOMATON_CODE_INVALID_UTF8);
    CHECK(strcmp(error.message, "url: byte 18 is not UTF-8") == 0);
    CHECK(robomaton_decide(image, crawler, NULL, "https://x.example/\0\xc3\xa9", 21, &verdict, &error) ==
          ROBOMATON_CODE_OK);

    /* A batch ends at the first bad URL. */
    RobomatonString urls[40];
    RobomatonVerdict verdicts[40];
    for (int i = 0; i < 40; i++) {
        urls[i] = string_of(i % 2 ? URL : "https://x.example/n");
    }
    memset(verdicts, 0xEE, sizeof verdicts);
    CHECK(robomaton_decide_many(image, crawler, NULL, urls, 40, verdicts, &error) == ROBOMATON_CODE_OK);
    for (int i = 0; i < 40; i++) {
        CHECK(ask(image, crawler, urls[i].data, &verdict) == ROBOMATON_CODE_OK);
        CHECK(memcmp(&verdicts[i], &verdict, sizeof verdict) == 0);
    }
    memset(verdicts, 0xEE, sizeof verdicts);
    urls[21].data = "\xff";
    urls[21].length = 1;
    CHECK(robomaton_decide_many(image, crawler, NULL, urls, 40, verdicts, &error) ==
          ROBOMATON_CODE_INVALID_UTF8);
    CHECK(error.index == 21 && verdicts[20].incomplete == 0);
    CHECK(verdicts[21].incomplete == 0xEE && verdicts[39].incomplete == 0xEE);
    CHECK(robomaton_decide_many(image, crawler, NULL, urls, SIZE_MAX / 16, verdicts, &error) ==
          ROBOMATON_CODE_WRONG_SIZE);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
}

static void files(const char *folder, const char *scratch) {
    RobomatonImage *image = NULL;
    CHECK(robomaton_image_open(in(scratch, "missing.rimg"), NULL, &image, &error) == ROBOMATON_CODE_IO);
    CHECK(strstr(error.message, "missing.rimg") != NULL);
    CHECK(robomaton_image_open("", NULL, &image, NULL) == ROBOMATON_CODE_IO);
    memset(error_path, 'x', sizeof error_path - 1);
    CHECK(robomaton_image_open(error_path, NULL, &image, &error) == ROBOMATON_CODE_IO);
    CHECK(strlen(error.message) == sizeof error.message - 1);
    CHECK(robomaton_image_open(scratch, NULL, &image, &error) == ROBOMATON_CODE_BAD_IMAGE);
    image = opened(in(folder, "shards"), NULL);
    robomaton_image_close(&image);

    size_t length = 0;
    unsigned char *bytes = read_whole(in(folder, "small.rimg"), &length);
    CHECK(robomaton_image_copy(bytes, length - 1, NULL, &image, &error) == ROBOMATON_CODE_BAD_IMAGE);
    CHECK(error.rule == 3);
    CHECK(robomaton_image_copy(bytes, length, NULL, &image, &error) == ROBOMATON_CODE_OK);
    robomaton_image_close(&image);

    /* A mapped image whose file is replaced stays the same; one that is written to is an error. */
    const char *mapped = in(scratch, "mapped.rimg");
    FILE *file = fopen(mapped, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    RobomatonOptions options = {.size = sizeof options, .map_above = 1};
    image = opened(mapped, &options);
    RobomatonCrawler *crawler = crawler_of(image, "a");
    RobomatonVerdict verdict;
    CHECK(ask(image, crawler, URL, &verdict) == ROBOMATON_CODE_OK);
    snprintf(error_path, sizeof error_path, "%s/new.rimg", scratch);
    file = fopen(error_path, "wb");
    CHECK(file != NULL && fwrite("new", 1, 3, file) == 3 && fclose(file) == 0);
    CHECK(rename(error_path, mapped) == 0);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    CHECK(ask(image, crawler, URL, &verdict) == ROBOMATON_CODE_OK);
    CHECK(verdict.verdict == ROBOMATON_DECISION_DISALLOWED);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);

    file = fopen(mapped, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    image = opened(mapped, &options);
    crawler = crawler_of(image, "a");
    CHECK(truncate(mapped, 100) == 0);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    CHECK(ask(image, crawler, URL, &verdict) == ROBOMATON_CODE_MODIFIED);
    RobomatonString urls[] = {string_of(URL)};
    CHECK(robomaton_decide_many(image, crawler, NULL, urls, 1, &verdict, &error) == ROBOMATON_CODE_MODIFIED);
    CHECK(robomaton_image_verify(image, 0, &error) == ROBOMATON_CODE_MODIFIED);
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);

    /* A copy does not notice. */
    options.map_above = UINT64_MAX;
    image = opened(in(folder, "small.rimg"), &options);
    robomaton_image_close(&image);
    free(bytes);
}

struct shared {
    const RobomatonImage *image;
    const RobomatonCrawler *crawler;
};

static void *asks_much(void *given) {
    const struct shared *shared = given;
    for (int i = 0; i < 2000; i++) {
        RobomatonVerdict verdict;
        CHECK(robomaton_decide(shared->image, shared->crawler, NULL, URL, strlen(URL), &verdict, NULL) ==
              ROBOMATON_CODE_OK);
        CHECK(verdict.verdict == ROBOMATON_DECISION_DISALLOWED);
    }
    return NULL;
}

static void threads(const char *folder) {
    RobomatonImage *image = opened(in(folder, "small.rimg"), NULL);
    RobomatonCrawler *crawler = crawler_of(image, "a");
    struct shared shared = {image, crawler};
    pthread_t all[4];
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_create(&all[i], NULL, asks_much, &shared) == 0);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(all[i], NULL) == 0);
    }
    robomaton_crawler_free(&crawler);
    robomaton_image_close(&image);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    versions_and_names();
    answers(arguments[1]);
    nulls(arguments[1]);
    misspelt_usages(arguments[1]);
    wrong_handles(arguments[1]);
    wrong_arguments(arguments[1]);
    files(arguments[1], arguments[2]);
    threads(arguments[1]);
    puts("every call answered as the header says");
    return 0;
}
