// Damaged images: an error or a verdict, never a crash, and in bounded time.
//
// A crash would end the process and so the test. Every thirteenth byte is changed, every one with
// CI_LONG=1, with checksums as they were; the suites in Rust make checksums hold, with the same reader.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Image } from '../index.mjs';
import { imageOf } from './support.mjs';

const URLS = [
  'https://x.example/private/open',
  'https://x.example/%2axxy%C3',
  'http://y.example:8080/aa/bb/cc/dd',
  'https://z.example/',
  'https://nowhere.example/a',
  'https://zacap.example/p/on',
  'https://zpage.example/p',
  'https://zversions.example/p/x.gif',
  'http://zplain.example/p/x',
];
const USAGES = ['crawl', 'index', 'ai-train', 'present-snippet'];
/** The time limit of all questions to a damaged image, in microseconds of the processor. */
const BOUND = 5_000_000;

const IMAGES = [
  'small.rimg',
  'small-google.rimg',
  'small-koster.rimg',
  'small-rfc9309.rimg',
  'scopes.rimg',
  'modern.rimg',
  'programs.rimg',
  'tries.rimg',
];
const [BYTES, LENGTHS] = process.env.CI_LONG === '1' ? [1, 1] : [13, 97];

const folder = mkdtempSync(join(tmpdir(), 'robomaton-damage-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'damaged.rimg');

/** Asks an image everything; returns the number of calls that threw an error of an image. */
function ask(bytes, mapAbove, what) {
  writeFileSync(path, bytes);
  const begun = process.cpuUsage();
  let thrown = 0;
  const attempt = (act) => {
    try {
      return act();
    } catch (error) {
      assert.ok(error instanceof Error && error.message !== '', what);
      assert.match(error.code, /^(ERR_ROBOMATON|ERR_INVALID_ARG_VALUE)/, `${what}: ${error.message}`);
      thrown += 1;
      return undefined;
    }
  };
  const image = attempt(() => Image.open(path, { mapAbove }));
  if (image !== undefined) {
    attempt(() => image.verify({ texts: true }));
    for (const name of ['a', 'nobody']) {
      const crawler = attempt(() => image.crawler(name));
      if (crawler === undefined) continue;
      for (const usage of USAGES) {
        attempt(() => image.decideMany(URLS, crawler, usage));
        for (const url of URLS) {
          attempt(() => image.answer(url, crawler, usage));
        }
      }
      for (const url of URLS) {
        attempt(() => image.decide(url, crawler, 'crawl', { document: 'data.txt' }));
        attempt(() => image.explain(url, crawler));
        attempt(() => image.crawlDelay(url, crawler));
        attempt(() => image.site(url));
        attempt(() => image.sitemaps(url));
      }
    }
    image.close();
  }
  assert.ok(process.cpuUsage(begun).user < BOUND, `${what} takes long`);
  return thrown;
}

for (const name of IMAGES) {
  const good = readFileSync(imageOf(name));

  test(`bytes of ${name}`, () => {
    assert.equal(ask(good, 0, name), 0);
    const flips = [0x01, 0x80, 0x10, 0x7f, 0x02, 0x40, 0x20, 0xff];
    let at = 0;
    for (let turn = 0; at < good.length; turn += 1, at += BYTES) {
      const bytes = Buffer.from(good);
      bytes[at] ^= flips[turn % flips.length];
      // At least verification, or opening, finds it.
      assert.ok(ask(bytes, turn % 2 === 0 ? 0 : Infinity, `${name}: byte ${at} changed`) > 0, `${name}: byte ${at}`);
    }
  });

  test(`truncations of ${name}`, () => {
    for (let end = 0; end < good.length; end += LENGTHS) {
      assert.ok(ask(good.subarray(0, end), 0, `${name} cut to ${end}`) > 0);
    }
  });
}
