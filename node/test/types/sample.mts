// A program with types: `tsc` must accept it, and refuse the lines that expect an error.
import { Crawler, Image, Robots, VERDICTS, robotsParser, version, type Answer, type Verdict } from 'robomaton';
import drop from 'robomaton/robots-parser';

const image: Image = Image.open('crawl.rimg', { mapAbove: 0, onForbidden: 'deny', now: 1_800_000_000 });
const crawler: Crawler = image.crawler(['d', 'a'], { namedOnly: true });
const verdict: Verdict = image.decide('https://example.com/', crawler, 'ai-train', { purpose: 'news' });
if (verdict.verdict === 'conditional') verdict.basis.length;
const codes: Uint8Array = image.decideMany(['https://example.com/'], crawler);
const first: string | undefined = VERDICTS[codes[0] ?? 3];
const answer: Answer = image.answer('https://example.com/', crawler);
const line: number | null = answer.line;
image.verify({ texts: true });
image.close();
// The `lib` of this program has no such symbol, but for the declarations of the package.
image[Symbol.dispose]();

const robots: Robots = robotsParser('https://example.com/robots.txt', 'User-agent: *\n');
const allowed: boolean | undefined = robots.isAllowed(new URL('https://example.com/'), 'a');
const delay: number | undefined = drop('https://example.com/robots.txt', null).getCrawlDelay();
console.log(first, line, allowed, delay, version);

// @ts-expect-error: a name is no crawler
image.decide('https://example.com/', 'a');
// @ts-expect-error: no such option
Image.open('crawl.rimg', { mapabove: 0 });
// @ts-expect-error: images are opened
new Image();
// @ts-expect-error: no such verdict
if (verdict.verdict === 'permitted') image.close();
