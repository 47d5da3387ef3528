// The answers are those of the conformance file, which every reader gives.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Image, VERDICTS } from '../index.mjs';
import { conformance, imageOf, unasked } from './support.mjs';

const images = new Map();
const folder = mkdtempSync(join(tmpdir(), 'robomaton-conformance-'));
after(() => rmSync(folder, { recursive: true }));

/** The image of a line, as the file asks it. */
function image({ image: name, elements = false }) {
  const key = `${name} ${elements}`;
  if (!images.has(key)) images.set(key, Image.open(imageOf(name), { elements }));
  return images.get(key);
}

const crawlerOf = (of, line) => of.crawler(line.crawler, { namedOnly: line.named_only ?? false });

/** An answer as the file has it, from the long form of an answer. */
function row(answer) {
  const basis = answer.outcome !== null && answer.basis === 'outcome' ? `outcome:${answer.outcome}` : answer.basis;
  const row = [answer.url, answer.decision, basis];
  const lines = answer.rules.map((rule) => rule.line);
  const more = [...answer.conditions, ...(answer.incomplete ? ['incomplete'] : [])];
  if (lines.length > 0 || more.length > 0) row.push(lines);
  if (more.length > 0) row.push(more);
  return row;
}

/** Asks an image the questions of a line. */
function ask(of, line) {
  const by = crawlerOf(of, line);
  const { usage, purpose, document } = line;
  const urls = line.answers.map(([url]) => url);
  const options = { purpose, document };
  const verdicts = urls.map((url) => of.decide(url, by, usage, options));
  const codes = of.decideMany(urls, by, usage, options);
  line.answers.forEach((expected, at) => {
    const answer = of.answer(urls[at], by, usage, options);
    assert.deepEqual(row(answer), expected);
    const { verdict, decision, allowed, incomplete, basis } = verdicts[at];
    assert.deepEqual([verdict, decision, incomplete, basis], [answer.verdict, answer.decision, answer.incomplete, answer.basis]);
    assert.equal(allowed, verdict === 'allowed');
    assert.equal(allowed, of.isAllowed(urls[at], by, usage, options));
    assert.equal(VERDICTS[codes[at]], verdict);
  });
}

/** The number of the rule that an error of an image names. */
function ruleOf(error) {
  assert.equal(error.code, 'ERR_ROBOMATON_IMAGE');
  return /not a robomaton image/.test(error.message) ? 1 : Number(/\(I(\d+)\)/.exec(error.message)[1]);
}

/** Does something with an image; the broken rule, or null. */
function broken(act) {
  try {
    act();
    return null;
  } catch (error) {
    return ruleOf(error);
  }
}

/** How this reader asks each kind of lines. */
const ASKED = {
  /** Damaged images: the broken rule, and the answers where a line has any. */
  patches(line) {
    const bytes = readFileSync(imageOf(line.image));
    for (const [at, text] of line.patches) bytes.write(text, at, 'hex');
    const path = join(folder, 'damaged.rimg');
    writeFileSync(path, bytes.subarray(0, line.length));
    let of;
    const unopened = broken(() => {
      of = Image.open(path);
    });
    assert.equal(unopened === null, line.opens);
    assert.equal(unopened ?? broken(() => of.verify({ texts: true })), line.rule);
    if (line.answers) ask(of, line);
    of?.close();
  },
  answers: (line) => ask(image(line), line),
  /** Names of usages, some misspelt. */
  known(line) {
    const of = image(line);
    const decide = () => of.decide('https://x.example/', of.crawler('a'), line.usage);
    if (line.known) decide();
    else assert.throws(decide, /is not a known usage/);
  },
  /** Facts of sites. */
  outcome(line) {
    const of = image(line);
    const url = line.site.includes('://') ? line.site : `http://${line.site}`;
    const site = of.site(url);
    assert.equal(of.crawlDelay(url, crawlerOf(of, line)), line.crawl_delay);
    assert.deepEqual(of.sitemaps(url), line.sitemaps);
    const fetched = site.fetched_at === null ? null : Date.parse(site.fetched_at) / 1000;
    assert.deepEqual(
      [site.site, site.outcome, site.status ?? 0, fetched, site.fresh_for],
      [line.site, line.outcome, line.status, line.fetched_at, line.fresh_for],
    );
  },
  /** Sites of URLs, and URLs of none. */
  url(line) {
    // Without `://`, `site` takes a text for a host.
    const of = image(line);
    assert.equal(of.decide(line.url, of.crawler('a')).basis === 'no-url', line.site === null);
    if (line.site !== null && line.url.includes('://')) {
      const { site, fresh_for } = of.site(line.url);
      assert.deepEqual([site, fresh_for], [line.site, line.fresh_for]);
    }
  },
};

const KINDS = ['patches', 'answers', 'known', 'outcome', 'url', 'canonical'];
/** The lines by kind: each has the key of its kind, and none of those before it. */
const lines = new Map(KINDS.map((kind) => [kind, []]));
for (const line of conformance()) lines.get(KINDS.find((kind) => kind in line)).push(line);

for (const [kind, askLine] of Object.entries(ASKED)) {
  test(`lines with the key ${kind} are answered`, () => {
    assert.ok(lines.get(kind).length > 50);
    for (const line of lines.get(kind)) {
      try {
        askLine(line);
      } catch (error) {
        throw new Error(JSON.stringify(line), { cause: error });
      }
    }
  });
}

test('lines that are not asked are listed', () => {
  const rest = [...lines].filter(([kind]) => !(kind in ASKED)).map(([kind, { length }]) => [kind, length]);
  assert.deepEqual(rest, unasked('Node'));
});
