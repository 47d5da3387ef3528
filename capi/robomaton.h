/* robomaton: may this crawler use this URL, in this way?
 *
 * Made by cbindgen from capi/src of robomaton; do not edit.
 *
 * Results. A function returns ROBOMATON_CODE_OK or why it failed, and says more in `*error`, which
 * may be null. After a failure a new handle is null, and other outputs are not to be read, except
 * for verdicts of robomaton_decide_many as it says.
 *
 * Handles. A function whose name ends in _new, _open or _copy stores a handle, and the caller ends it
 * with the function of the same kind whose name ends in _free or _close, which makes it null. A null
 * handle, a handle of another kind, and a crawler of another image are errors.
 *
 * Pointers. A pointer is null or points to what its type says for the time of the call. Nobody writes
 * to inputs meanwhile, or uses outputs. A text has the stated length, in bytes, and need not end in a
 * zero byte; `path` has no length and ends in one. A text of length 0 may be null.
 *
 * Threads. There is no global state. Threads share handles freely, but none is ended while another
 * thread uses it.
 *
 * Compatibility. Structs, numbers and functions stay as they are until the number in the name of the
 * shared library changes; functions and numbers may be added.
 */

#ifndef ROBOMATON_H
#define ROBOMATON_H

#include <stddef.h>
#include <stdint.h>

/**
 * For `RobomatonOptions.now`: the questions have no time.
 */
#define ROBOMATON_NO_TIME UINT64_MAX

/**
 * For `robomaton_crawler_new`: only groups that name the crawler count, `User-agent: *` is
 * ignored.
 */
#define ROBOMATON_NAMED_ONLY 1

/**
 * The result of a function.
 */
enum RobomatonCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * It has done what it is for.
     */
    ROBOMATON_CODE_OK = 0,
    /**
     * A pointer is null that must not be. A handle that was closed is null, too.
     */
    ROBOMATON_CODE_NULL = 1,
    /**
     * A pointer is not a handle of the kind that is expected, as far as that can be told.
     */
    ROBOMATON_CODE_BAD_HANDLE = 2,
    /**
     * A crawler or a usage was resolved for another image.
     */
    ROBOMATON_CODE_FOREIGN = 3,
    /**
     * A size or length cannot be right.
     */
    ROBOMATON_CODE_WRONG_SIZE = 4,
    /**
     * A string is not UTF-8. In a URL, percent-encode such bytes, which gives the same URL.
     */
    ROBOMATON_CODE_INVALID_UTF8 = 5,
    /**
     * An argument has a value that it may not have.
     */
    ROBOMATON_CODE_INVALID_ARGUMENT = 6,
    /**
     * A name names no crawler.
     */
    ROBOMATON_CODE_NO_CRAWLER = 7,
    /**
     * The image does not have the site.
     */
    ROBOMATON_CODE_NO_SITE = 8,
    /**
     * There is nothing with this index.
     */
    ROBOMATON_CODE_OUT_OF_RANGE = 9,
    /**
     * A file cannot be read.
     */
    ROBOMATON_CODE_IO = 10,
    /**
     * The file is no image, an image of another version, or damaged.
     */
    ROBOMATON_CODE_BAD_IMAGE = 11,
    /**
     * Somebody wrote to the files of the image. Open it again; replace images by rename.
     */
    ROBOMATON_CODE_MODIFIED = 12,
    /**
     * A bug of this library.
     */
    ROBOMATON_CODE_INTERNAL = 13,
    /**
     * The name of a usage may be misspelt: neither a vocabulary nor the image has it.
     */
    ROBOMATON_CODE_UNKNOWN_USAGE = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum RobomatonCode RobomatonCode;
#else
typedef int32_t RobomatonCode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a crawler may do.
 */
enum RobomatonDecision
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Permitted.
     */
    ROBOMATON_DECISION_ALLOWED = 0,
    /**
     * Prohibited.
     */
    ROBOMATON_DECISION_DISALLOWED = 1,
    /**
     * Permitted under conditions: `robomaton_reasons_condition`.
     */
    ROBOMATON_DECISION_CONDITIONAL = 2,
    /**
     * No rule applies and silence does not permit, or the image does not have the site.
     */
    ROBOMATON_DECISION_UNKNOWN = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum RobomatonDecision RobomatonDecision;
#else
typedef uint8_t RobomatonDecision;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The basis of a decision.
 */
enum RobomatonBasis
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A rule matched.
     */
    ROBOMATON_BASIS_RULE = 0,
    /**
     * ACAP fields weighed by specificity, possibly together with conventional rules.
     */
    ROBOMATON_BASIS_FIELDS = 1,
    /**
     * Statements about the use of a resource, possibly together with rules and fields.
     */
    ROBOMATON_BASIS_PREFERENCES = 2,
    /**
     * No rule of the crawler's groups matches.
     */
    ROBOMATON_BASIS_NO_RULE = 3,
    /**
     * No rule of the crawler's groups is about the usage.
     */
    ROBOMATON_BASIS_UNSPOKEN = 4,
    /**
     * The file has no group for the crawler.
     */
    ROBOMATON_BASIS_NO_GROUP = 5,
    /**
     * The URL is robots.txt itself.
     */
    ROBOMATON_BASIS_ROBOTS_TXT = 6,
    /**
     * There are no rules; the outcome of the fetch decides.
     */
    ROBOMATON_BASIS_OUTCOME = 7,
    /**
     * The image was compiled for other crawlers only.
     */
    ROBOMATON_BASIS_NARROWED = 8,
    /**
     * The image does not contain the site.
     */
    ROBOMATON_BASIS_NO_SITE = 9,
    /**
     * The question is not about an absolute URL.
     */
    ROBOMATON_BASIS_NO_URL = 10,
    /**
     * The image is damaged where the answer should be: `robomaton_image_verify` says where.
     */
    ROBOMATON_BASIS_DAMAGED = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum RobomatonBasis RobomatonBasis;
#else
typedef uint8_t RobomatonBasis;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The outcome of fetching a robots.txt.
 */
enum RobomatonOutcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A text with rules or other records.
     */
    ROBOMATON_OUTCOME_RULES = 0,
    /**
     * A text without records.
     */
    ROBOMATON_OUTCOME_EMPTY = 1,
    /**
     * HTML or binary, without records.
     */
    ROBOMATON_OUTCOME_NOT_ROBOTS = 2,
    /**
     * Status 4xx.
     */
    ROBOMATON_OUTCOME_UNAVAILABLE = 3,
    /**
     * Status 5xx, or no response.
     */
    ROBOMATON_OUTCOME_UNREACHABLE = 4,
    /**
     * More than five redirects.
     */
    ROBOMATON_OUTCOME_TOO_MANY_REDIRECTS = 5,
    /**
     * Redirected to a resource that was not captured.
     */
    ROBOMATON_OUTCOME_UNRESOLVED = 6,
    /**
     * The text exceeds a limit.
     */
    ROBOMATON_OUTCOME_OVER_LIMIT = 7,
    /**
     * Pages of the site were captured, but no robots.txt.
     */
    ROBOMATON_OUTCOME_NOT_CAPTURED = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum RobomatonOutcome RobomatonOutcome;
#else
typedef uint8_t RobomatonOutcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A crawler, resolved for one image.
 */
typedef struct RobomatonCrawler RobomatonCrawler;

/**
 * An open image.
 */
typedef struct RobomatonImage RobomatonImage;

/**
 * The reasons of one answer.
 */
typedef struct RobomatonReasons RobomatonReasons;

/**
 * The facts about one site.
 */
typedef struct RobomatonSite RobomatonSite;

/**
 * A usage, perhaps for a purpose, resolved for one image.
 */
typedef struct RobomatonUsage RobomatonUsage;

/**
 * Options of opening an image. Zeros are the defaults, so
 * `RobomatonOptions options = {.size = sizeof options};` has them all.
 */
typedef struct {
    /**
     * `sizeof(RobomatonOptions)`.
     */
    size_t size;
    /**
     * An image of up to this many bytes is copied into memory; a larger one is mapped. 0 for 64
     * MiB.
     */
    uint64_t map_above;
    /**
     * The time of the questions, in seconds since 1970; 0 for the time of opening;
     * `ROBOMATON_NO_TIME` for no time, so that nothing is stale or expired.
     */
    uint64_t now;
    /**
     * 1 if a robots.txt that was answered with 401 or 403 disallows everything.
     */
    uint8_t deny_forbidden;
    /**
     * 1 if a robots.txt that was answered with 429 disallows everything.
     */
    uint8_t deny_throttled;
    /**
     * 1 if a robots.txt that was unreachable more than 30 days ago allows everything.
     */
    uint8_t allow_long_unreachable;
    /**
     * 1 for crawlers that work on single elements of pages.
     */
    uint8_t elements;
} RobomatonOptions;

/**
 * The reason why a function failed. Callers make one, on their stack for example, and pass its
 * address; functions write to it only when they fail.
 */
typedef struct {
    /**
     * The code that the function returned.
     */
    RobomatonCode code;
    /**
     * Of a damaged image, the number of the broken rule in SPEC.md; else 0.
     */
    uint32_t rule;
    /**
     * Of a batch, the index of the URL in question; else 0.
     */
    size_t index;
    /**
     * The message, in UTF-8, ended by a zero byte. A message that does not fit is cut off.
     */
    char message[1008];
} RobomatonError;

/**
 * A string in UTF-8. It need not end in a zero byte.
 */
typedef struct {
    /**
     * Its first byte. May be null if the length is 0.
     */
    const char *data;
    /**
     * Its length in bytes.
     */
    size_t length;
} RobomatonString;

/**
 * The answer to one question. Its layout never changes.
 */
typedef struct {
    /**
     * The decision to act on. A permission that something unread might take back counts as a
     * prohibition.
     */
    RobomatonDecision verdict;
    /**
     * The decision of what was read.
     */
    RobomatonDecision decision;
    /**
     * The basis of the decision.
     */
    RobomatonBasis basis;
    /**
     * If the basis is `ROBOMATON_BASIS_OUTCOME`, the outcome; else `ROBOMATON_OUTCOME_RULES`.
     */
    RobomatonOutcome outcome;
    /**
     * 1 if a file, page or statement was not read, so that more may be refused, else 0.
     */
    uint8_t incomplete;
    /**
     * Zeros.
     */
    uint8_t reserved[3];
} RobomatonVerdict;

/**
 * A deciding rule. Its strings live as long as the reasons.
 */
typedef struct {
    /**
     * The line, from 1.
     */
    uint32_t line;
    /**
     * 1 if the rule permits, else 0.
     */
    uint8_t permits;
    /**
     * The rule, in canonical spelling.
     */
    RobomatonString rule;
    /**
     * The file that contains it, if robots.txt refers to one; else empty.
     */
    RobomatonString file;
    /**
     * Its place: `robots` or `page`.
     */
    RobomatonString carrier;
} RobomatonRule;

/**
 * A statement about the usage in question. Its strings live as long as the reasons.
 */
typedef struct {
    /**
     * The line, or the number of the rule in its document, from 1; 0 for a header or page.
     */
    uint32_t line;
    /**
     * 1 if it contributes to the decision, else 0.
     */
    uint8_t decides;
    /**
     * The language: `aipref`, `content-signals`, `rsl`, and so on.
     */
    RobomatonString language;
    /**
     * The place: `robots`, `header`, `page`, `tdmrep`, `rsl` or `ai-txt`.
     */
    RobomatonString carrier;
    /**
     * The usage that it speaks of.
     */
    RobomatonString usage;
    /**
     * The document that contains it, if that is not robots.txt; else empty.
     */
    RobomatonString document;
    /**
     * The record as written.
     */
    RobomatonString text;
} RobomatonStatement;

/**
 * The facts about one site. Without a fact, the number is the one that is named.
 */
typedef struct {
    /**
     * The time of the fetch, in seconds since 1970; 0 if it is not known.
     */
    uint64_t fetched_at;
    /**
     * Seconds after the fetch for which answers are fresh.
     */
    uint32_t fresh_for;
    /**
     * The HTTP status of the capture; 0 if there was none.
     */
    uint16_t status;
    /**
     * The outcome of fetching robots.txt.
     */
    RobomatonOutcome outcome;
    /**
     * 1 if the image is damaged here, so that the outcome is not known, else 0.
     */
    uint8_t damaged;
    /**
     * Seconds between requests that the site asks of the crawler; negative if it asks for none.
     */
    double crawl_delay;
    /**
     * The number of sitemaps.
     */
    size_t sitemaps;
} RobomatonSiteFacts;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of this library, such as "0.1.0".
 */
const char *robomaton_version(void);

/**
 * The version of the image format that this library reads.
 */
uint32_t robomaton_format_version(void);

/**
 * The name of a decision, as in the JSON of the command; "invalid" for other numbers.
 */
const char *robomaton_decision_name(uint8_t decision);

/**
 * The name of a basis, as in the JSON of the command; "invalid" for other numbers.
 */
const char *robomaton_basis_name(uint8_t basis);

/**
 * The name of an outcome, as in the JSON of the command; "invalid" for other numbers.
 */
const char *robomaton_outcome_name(uint8_t outcome);

/**
 * Opens an image: a file, a directory of shards, or a stack of layers, which is a directory with a
 * manifest. Header and section table are checked here, the contents by `robomaton_image_verify`.
 * `options` may be null.
 *
 * A small image is copied into memory; what happens to its files later makes no difference. A
 * large one is mapped: nobody may write to its files. To replace one, rename another file over it.
 * Before a question, and after a batch or a verification too, the lengths and modification times
 * of mapped files are compared with those at the opening, unless that was done in the last 20
 * microseconds. If they differ, the code is `ROBOMATON_CODE_MODIFIED`. A question that runs during
 * a write, or begins less than 20 microseconds after it, may be answered from the new bytes; if a
 * file is cut short, such a question may end the process, as it does for every program that maps
 * files.
 */
RobomatonCode robomaton_image_open(const char *path,
                                   const RobomatonOptions *options,
                                   RobomatonImage **image,
                                   RobomatonError *error);

/**
 * Opens an image of one file that is in memory already; the bytes are copied. `options` may be
 * null.
 */
RobomatonCode robomaton_image_copy(const uint8_t *bytes,
                                   size_t length,
                                   const RobomatonOptions *options,
                                   RobomatonImage **image,
                                   RobomatonError *error);

/**
 * Closes an image and makes `*image` null. Crawlers, usages, reasons and sites of it may be freed
 * later. Null is fine.
 */
RobomatonCode robomaton_image_close(RobomatonImage **image);

/**
 * Checks the image against all rules of its format, in time linear in its size; with `texts` 1 the
 * stored texts, too.
 */
RobomatonCode robomaton_image_verify(const RobomatonImage *image,
                                     uint8_t texts,
                                     RobomatonError *error);

/**
 * Resolves a crawler by its names, best first: the first name that a file has a group for decides
 * which group applies. A name is a product token (`GPTBot`), several separated by commas, a whole
 * `User-Agent` header, or `*` for any crawler. `flags` is 0 or `ROBOMATON_NAMED_ONLY`. Resolve
 * once and ask often.
 */
RobomatonCode robomaton_crawler_new(const RobomatonImage *image,
                                    const RobomatonString *names,
                                    size_t count,
                                    uint32_t flags,
                                    RobomatonCrawler **crawler,
                                    RobomatonError *error);

/**
 * Frees a crawler and makes `*crawler` null. Null is fine.
 */
RobomatonCode robomaton_crawler_free(RobomatonCrawler **crawler);

/**
 * Resolves a usage by its name, such as `crawl`, `index` or `ai-train`, or by a label of a
 * language, such as `train-ai`. A name that neither a vocabulary nor the image has may be
 * misspelt: `ROBOMATON_CODE_UNKNOWN_USAGE`. The purpose may be null.
 */
RobomatonCode robomaton_usage_new(const RobomatonImage *image,
                                  const char *name,
                                  size_t name_length,
                                  const char *purpose,
                                  size_t purpose_length,
                                  RobomatonUsage **usage,
                                  RobomatonError *error);

/**
 * Frees a usage and makes `*usage` null. Null is fine.
 */
RobomatonCode robomaton_usage_free(RobomatonUsage **usage);

/**
 * May this crawler use this absolute URL in this way? A null `usage` is crawling. A site that the
 * image does not have, and a text that is no URL, are `ROBOMATON_DECISION_UNKNOWN`.
 */
RobomatonCode robomaton_decide(const RobomatonImage *image,
                               const RobomatonCrawler *crawler,
                               const RobomatonUsage *usage,
                               const char *url,
                               size_t url_length,
                               RobomatonVerdict *verdict,
                               RobomatonError *error);

/**
 * The same, by another document of the site, such as `data.txt`. If the image does not have the
 * document, robots.txt does not answer in its place.
 */
RobomatonCode robomaton_decide_document(const RobomatonImage *image,
                                        const RobomatonCrawler *crawler,
                                        const RobomatonUsage *usage,
                                        const char *document,
                                        size_t document_length,
                                        const char *url,
                                        size_t url_length,
                                        RobomatonVerdict *verdict,
                                        RobomatonError *error);

/**
 * Decides about many URLs, `verdicts[i]` about `urls[i]`; of a large image faster than one by one.
 * If the code is `ROBOMATON_CODE_INVALID_UTF8`, or another one about a URL, `error.index` is the
 * index of that URL, the verdicts before it hold, and no others are written. After
 * `ROBOMATON_CODE_MODIFIED` any of them may be written, and none holds.
 */
RobomatonCode robomaton_decide_many(const RobomatonImage *image,
                                    const RobomatonCrawler *crawler,
                                    const RobomatonUsage *usage,
                                    const RobomatonString *urls,
                                    size_t count,
                                    RobomatonVerdict *verdicts,
                                    RobomatonError *error);

/**
 * The reasons of an answer: its deciding rules, statements and conditions. A null `usage` is
 * crawling; a null `document` is robots.txt.
 */
RobomatonCode robomaton_reasons_new(const RobomatonImage *image,
                                    const RobomatonCrawler *crawler,
                                    const RobomatonUsage *usage,
                                    const char *document,
                                    size_t document_length,
                                    const char *url,
                                    size_t url_length,
                                    RobomatonReasons **reasons,
                                    RobomatonError *error);

/**
 * Frees reasons and makes `*reasons` null. Null is fine.
 */
RobomatonCode robomaton_reasons_free(RobomatonReasons **reasons);

/**
 * The verdict that these are the reasons of.
 */
RobomatonCode robomaton_reasons_verdict(const RobomatonReasons *reasons,
                                        RobomatonVerdict *verdict,
                                        RobomatonError *error);

/**
 * A deciding rule by its index, in file order; `ROBOMATON_CODE_OUT_OF_RANGE` behind the last one.
 */
RobomatonCode robomaton_reasons_rule(const RobomatonReasons *reasons,
                                     size_t index,
                                     RobomatonRule *rule,
                                     RobomatonError *error);

/**
 * A statement about the usage by its index, those that decide first; `ROBOMATON_CODE_OUT_OF_RANGE`
 * behind the last one.
 */
RobomatonCode robomaton_reasons_statement(const RobomatonReasons *reasons,
                                          size_t index,
                                          RobomatonStatement *statement,
                                          RobomatonError *error);

/**
 * A condition of a conditional permission by its index; all of them must be met.
 * `ROBOMATON_CODE_OUT_OF_RANGE` behind the last one. The string lives as long as the reasons.
 */
RobomatonCode robomaton_reasons_condition(const RobomatonReasons *reasons,
                                          size_t index,
                                          RobomatonString *condition,
                                          RobomatonError *error);

/**
 * The site of an absolute URL; `ROBOMATON_CODE_NO_SITE` if the image does not have it. The crawl
 * delay is that for the crawler.
 */
RobomatonCode robomaton_site_new(const RobomatonImage *image,
                                 const RobomatonCrawler *crawler,
                                 const char *url,
                                 size_t url_length,
                                 RobomatonSite **site,
                                 RobomatonError *error);

/**
 * Frees a site and makes `*site` null. Null is fine.
 */
RobomatonCode robomaton_site_free(RobomatonSite **site);

/**
 * The facts about a site.
 */
RobomatonCode robomaton_site_facts(const RobomatonSite *site,
                                   RobomatonSiteFacts *facts,
                                   RobomatonError *error);

/**
 * The URL of a sitemap by its index, in file order; `ROBOMATON_CODE_OUT_OF_RANGE` behind the last
 * one. The string lives as long as the site.
 */
RobomatonCode robomaton_site_sitemap(const RobomatonSite *site,
                                     size_t index,
                                     RobomatonString *sitemap,
                                     RobomatonError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ROBOMATON_H */
