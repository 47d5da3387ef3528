// The answers are those of the conformance file, which every reader gives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Image, VERDICTS } from '../index.mjs';
import { conformance, imageOf } from './support.mjs';

const lines = conformance();
const images = new Map();

/** The image of a line, as the file asks it. */
function image({ image: name, elements = false }) {
  const key = `${name} ${elements}`;
  if (!images.has(key)) images.set(key, Image.open(imageOf(name), { elements }));
  return images.get(key);
}

const crawler = (line) => image(line).crawler(line.crawler, { namedOnly: line.named_only ?? false });

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

test('answers are equal', () => {
  let asked = 0;
  for (const line of lines.filter((line) => line.answers)) {
    const { usage, purpose, document } = line;
    const [of, by] = [image(line), crawler(line)];
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
      asked += 1;
    });
  }
  assert.ok(asked > 5000, `asked ${asked}`);
});

test('misspelt usages are errors', () => {
  let asked = 0;
  for (const { image: name, usage, known } of lines.filter((line) => line.known !== undefined)) {
    const of = image({ image: name });
    const ask = () => of.decide('https://x.example/', of.crawler('a'), usage);
    if (known) ask();
    else assert.throws(ask, /is not a known usage/, usage);
    asked += 1;
  }
  assert.ok(asked > 100, `asked ${asked}`);
});

test('facts of sites are equal', () => {
  let asked = 0;
  for (const line of lines.filter((line) => line.outcome !== undefined)) {
    const [of, by] = [image(line), crawler(line)];
    const url = line.site.includes('://') ? line.site : `http://${line.site}`;
    const site = of.site(url);
    assert.equal(of.crawlDelay(url, by), line.crawl_delay);
    assert.deepEqual(of.sitemaps(url), line.sitemaps);
    const fetched = site.fetched_at === null ? null : Date.parse(site.fetched_at) / 1000;
    assert.deepEqual(
      [site.site, site.outcome, site.status ?? 0, fetched, site.fresh_for],
      [line.site, line.outcome, line.status, line.fetched_at, line.fresh_for],
    );
    asked += 1;
  }
  assert.ok(asked > 50, `asked ${asked}`);
});

test('URLs without a site have no answer', () => {
  const of = Image.open(imageOf('small.rimg'));
  const by = of.crawler('a');
  for (const { url, site } of lines.filter((line) => line.url !== undefined)) {
    assert.equal(of.decide(url, by).basis === 'no-url', site === null, url);
  }
});
