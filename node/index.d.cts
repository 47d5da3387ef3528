/** The answer to act on, or a decision. */
export type Decision = 'allowed' | 'disallowed' | 'conditional' | 'unknown';

/** Options for opening an image. */
export interface OpenOptions {
  /**
   * Bytes, 64 MiB unless given: a smaller image is copied into memory, a larger one is mapped; with
   * `Infinity`, none is. Whatever happens to the file of a copy makes no difference. A mapped file is
   * replaced by renaming another one over it; questions throw if it was written to.
   */
  mapAbove?: number;
  /** The answer for a robots.txt that was answered with 401 or 403; `allow` unless given. */
  onForbidden?: 'allow' | 'deny';
  /** The answer for a robots.txt that was answered with 429; `allow` unless given. */
  onThrottled?: 'allow' | 'deny';
  /** The answer for a robots.txt that was unreachable more than 30 days ago; `deny` unless given. */
  onLongUnreachable?: 'allow' | 'deny';
  /** True for crawlers that work on single elements of pages. */
  elements?: boolean;
  /** Seconds since 1970: the time of all questions, which decides what has ended; that of each call unless given. */
  now?: number;
}

/** Options of a question. */
export interface QuestionOptions {
  /** The purpose of the usage. */
  purpose?: string;
  /** The document of the site that answers; `robots.txt` unless given. */
  document?: 'robots.txt' | 'data.txt';
}

/** The verdict about one URL. */
export interface Verdict {
  /** The answer to act on: a permission that something unread might take back is `disallowed`. */
  verdict: Decision;
  /** The decision of what was read. */
  decision: Decision;
  /** True if the crawler may go ahead without conditions. */
  allowed: boolean;
  /** True if a file, page or statement was not read, so that more may be refused. */
  incomplete: boolean;
  /** The basis of the decision: `rule`, `no-rule`, `no-group`, `no-site`, `no-url`, … */
  basis: string;
}

/** A deciding rule and its place. */
export interface RuleLine {
  /** The line, from 1. */
  line: number;
  /** The file that contains it, if the robots.txt refers to one. */
  file: string | null;
  /** The path of the page that contains it. */
  page: string | null;
  /** The rule, in canonical spelling. */
  rule: string;
}

/** An answer as `robomaton query --json` prints it; docs/service.md shows one. */
export interface Answer {
  url: string;
  agent: string;
  usage: string;
  purpose: string | null;
  verdict: Decision;
  decision: Decision;
  incomplete: boolean;
  basis: string;
  choice: 'named' | 'default' | 'nobody' | null;
  name: string | null;
  looked_for: string[];
  conditions: string[];
  rule: string | null;
  line: number | null;
  rules: RuleLine[];
  outcome: string | null;
  stale: boolean | null;
  status: number | null;
  fetched_at: string | null;
  [key: string]: unknown;
}

/** A crawler, resolved once for one image by `Image.crawler`. */
export class Crawler {
  private constructor();
  /** Its names as they are compared, best first. */
  readonly names: string[];
  /** True if only groups that name the crawler count. */
  readonly namedOnly: boolean;
}

/**
 * An image: a file, a directory of shards, or a stack of layers.
 *
 * Errors have a `code`: `ERR_ROBOMATON_IMAGE` (damaged, of another version, or no image),
 * `ERR_ROBOMATON_MODIFIED` (a mapped file was written to), `ERR_ROBOMATON_CLOSED`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_ROBOMATON` (any other), and `ENOENT`, `EACCES` or `EIO` from the file
 * system. An argument of the wrong type has a code of napi-rs, such as `StringExpected`.
 */
export class Image {
  private constructor();
  /**
   * Opens an image: header and section table are checked here, contents only by `verify`. Takes constant
   * time, except for the copy of a small image.
   */
  static open(path: string, options?: OpenOptions): Image;
  /** The path by which it was opened. */
  readonly path: string;
  /** The profile that it was compiled under. */
  readonly profile: string;
  /** The size of its files in bytes. */
  readonly byteLength: number;
  /** The number of sites and of other documents. */
  readonly size: number;
  /** True if it is closed. */
  readonly closed: boolean;
  /** Closes it and frees its memory. Closing it twice makes no difference. */
  close(): void;
  /**
   * Closes it at the end of a block: `using image = Image.open(path)`. Node before 18.18 has no such
   * symbol.
   */
  [Symbol.dispose](): void;
  /** Checks the whole image against the rules of its format, in time linear in its size. */
  verify(options?: { /** Checks the stored texts, too. */ texts?: boolean }): void;
  /**
   * Resolves a crawler: one name, names separated by commas, best first, a whole `User-Agent` header, or
   * an array of names. `*` is any crawler. With `namedOnly`, only groups that name the crawler count.
   */
  crawler(names: string | string[], options?: { namedOnly?: boolean }): Crawler;
  /** True if the crawler may crawl the URL, or use it otherwise, without conditions. */
  isAllowed(url: string, crawler: Crawler, usage?: string, options?: QuestionOptions): boolean;
  /** The verdict about one URL. */
  decide(url: string, crawler: Crawler, usage?: string, options?: QuestionOptions): Verdict;
  /** For each URL the code of its verdict, an index of `VERDICTS`: 0 is allowed. */
  decideMany(urls: string[], crawler: Crawler, usage?: string, options?: QuestionOptions): Uint8Array;
  /** The answer with everything that the image knows about it. */
  answer(url: string, crawler: Crawler, usage?: string, options?: QuestionOptions): Answer;
  /** The explanation: the text of `robomaton explain`. */
  explain(url: string, crawler: Crawler, usage?: string, options?: QuestionOptions): string;
  /** The site of a URL or host as `robomaton inspect --site --json` prints it. */
  site(url: string): { [key: string]: unknown } | null;
  /** The seconds between fetches that the site of a URL requests from the crawler. */
  crawlDelay(url: string, crawler: Crawler): number | null;
  /** The URLs of the sitemaps of the site of a URL, in file order. */
  sitemaps(url: string): string[];
}

/** One robots.txt, in the shape of the package robots-parser. */
export class Robots {
  private constructor();
  /** True if the crawler may fetch the URL without conditions; `undefined` for a URL of another site. */
  isAllowed(url: string | URL, ua?: string): boolean | undefined;
  /** The opposite of `isAllowed`; true for a URL of another site. */
  isDisallowed(url: string | URL, ua?: string): boolean;
  /** The same with only the groups that name the crawler; `undefined` for a URL of another site. */
  isExplicitlyDisallowed(url: string | URL, ua?: string): boolean | undefined;
  /** The line of the deciding rule, from 1; -1 if no rule decides. */
  getMatchingLineNumber(url: string | URL, ua?: string): number;
  /** The seconds between fetches from Crawl-delay; the longest of several. */
  getCrawlDelay(ua?: string): number | undefined;
  /** The URLs of sitemaps, in file order. */
  getSitemaps(): string[];
  /** The host of the last Host record, in lower case. */
  getPreferredHost(): string | null;
}

/** Compiles a robots.txt; `url` is its own URL. */
export function robotsParser(url: string | URL, contents?: string | Uint8Array | null): Robots;

/** The verdicts, in the order of the codes of `decideMany`. */
export const VERDICTS: readonly ['allowed', 'disallowed', 'conditional', 'unknown'];

/** The version of the package. */
export const version: string;

declare global {
  /** As `lib.esnext.disposable` has it, for programs whose `lib` is older. */
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}
