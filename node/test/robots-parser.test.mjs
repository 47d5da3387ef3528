// `robotsParser` against the package robots-parser: its own test suite, and what it does not test.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Robots, robotsParser } from '../index.mjs';
import { differences } from './differences.mjs';

const require = createRequire(import.meta.url);
const theirs = require('robots-parser');
const suite = readFileSync(join(dirname(require.resolve('robots-parser')), 'test/Robots.js'), 'utf8');

/** Runs the suite of robots-parser on a parser: `[title, error or undefined]` of each of its tests. */
function run(parser, begin = () => {}) {
  const results = [];
  const required = (name) => (name === '../index' ? parser : require(name));
  const it = (title, act) => {
    begin(title);
    try {
      act();
      results.push([title, undefined]);
    } catch (error) {
      results.push([title, error]);
    }
  };
  new Function('require', 'describe', 'it', suite)(required, (_, act) => act(), it);
  return results;
}

test('the suite of robots-parser passes but for the listed differences', () => {
  const results = run(robotsParser);
  assert.ok(results.length >= 40, `${results.length} tests`);
  assert.deepEqual(run(theirs).filter(([, error]) => error), []);
  const failed = results.filter(([, error]) => error).map(([title]) => title);
  const listed = Object.values(differences).flatMap(({ suite }) => Object.keys(suite ?? {}));
  assert.deepEqual(failed.sort(), listed.sort());
});

test('every answer in that suite is equal but for the listed differences', () => {
  // A failed test stops at its first difference: here each question is asked of both.
  let title;
  let asked = 0;
  const found = {};
  const both = (...given) => {
    const [ours, expected] = [robotsParser(...given), theirs(...given)];
    const ask = (method) => (...question) => {
      const [answer, wanted] = [ours[method](...question), expected[method](...question)];
      asked += 1;
      try {
        assert.deepEqual(answer, wanted);
      } catch {
        (found[title] ??= []).push(`${method}(${question.map((each) => JSON.stringify(each)).join(', ')})`);
      }
      return wanted;
    };
    return new Proxy({}, { get: (_, method) => ask(method) });
  };
  run(both, (next) => (title = next));
  assert.ok(asked > 200, `asked ${asked}`);
  assert.deepEqual(found, Object.assign({}, ...Object.values(differences).map(({ suite }) => suite)));
});

const TEXT = `User-agent: *
Disallow: /fish

User-agent: Named
Disallow: /secret
Allow: /secret/open
`;
const SITE = 'https://example.com';
const robots = robotsParser(`${SITE}/robots.txt`, TEXT);

test('isExplicitlyDisallowed ignores the groups for everybody', () => {
  // Of robots-parser's next version: not in the one on the registry, so not in its suite.
  assert.equal(robots.isExplicitlyDisallowed(`${SITE}/secret`, 'Named/1.0'), true);
  assert.equal(robots.isExplicitlyDisallowed(`${SITE}/secret/open`, 'Named/1.0'), false);
  assert.equal(robots.isExplicitlyDisallowed(`${SITE}/fish`, 'Other'), false);
  assert.equal(robots.isDisallowed(`${SITE}/fish`, 'Other'), true);
  assert.equal(robots.isExplicitlyDisallowed(`${SITE}/fish`), true);
  assert.equal(robots.isExplicitlyDisallowed('https://example.net/secret', 'Named'), undefined);
});

test('a URL may be an object, and a text bytes', () => {
  assert.ok(robots instanceof Robots);
  assert.equal(robots.isAllowed(new URL('/fish', SITE)), false);
  // As a request for them is sent.
  for (const path of ['/x/../fish', '/./fish', '/x/%2e%2E/fish', '/x\\..\\fish', '/\t./fish', '/x/\n../fish']) {
    assert.equal(robots.isAllowed(`${SITE}${path}`), false, path);
  }
  const bytes = new TextEncoder().encode(`\ufeff${TEXT}`);
  assert.equal(robotsParser(new URL('/robots.txt', SITE), bytes).isAllowed(`${SITE}/fish`), false);
  assert.equal(robotsParser(`${SITE}/robots.txt`).isAllowed(`${SITE}/fish`), true);
});

test('a whole User-Agent header names the crawler', () => {
  const header = 'Mozilla/5.0 (compatible; Named/2.1; +https://named.example/)';
  assert.equal(robots.isAllowed(`${SITE}/secret`, header), false);
  assert.equal(theirs(`${SITE}/robots.txt`, TEXT).isAllowed(`${SITE}/secret`, header), true);
});

test('a text that names no crawler means any', () => {
  for (const ua of [undefined, null, '', '*', '!', ' ', 'é', '/', 'x'.repeat(5000)]) {
    assert.equal(robots.isAllowed(`${SITE}/fish`, ua), false, ua);
    assert.equal(robots.isAllowed(`${SITE}/secret`, ua), true, ua);
  }
});

test('wrong arguments are errors or have no answer', () => {
  for (const url of [undefined, null, 3, {}, [], () => {}, 'x', '//', 'http:', 'ftp://example.com/', '\0', ' ', 'http://[', '\ud800']) {
    assert.equal(robots.isAllowed(url), undefined);
    assert.equal(robots.isDisallowed(url), true);
    assert.equal(robots.getMatchingLineNumber(url), -1);
    assert.equal(robotsParser(url, TEXT).isAllowed(`${SITE}/fish`), undefined);
  }
  assert.throws(() => robots.isAllowed(Symbol('x')));
  assert.throws(() => robots.isAllowed({ toString() { throw new RangeError('x'); } }));
  assert.throws(() => robots.isAllowed(`${SITE}/fish`, 3));
  assert.throws(() => robotsParser(`${SITE}/robots.txt`, 3));
  assert.throws(() => robots.isAllowed.call({}, `${SITE}/fish`));
});

test('line numbers are those of the text', () => {
  assert.equal(robots.getMatchingLineNumber(`${SITE}/fish/x`), 2);
  assert.equal(robots.getMatchingLineNumber(`${SITE}/secret/open`, 'named'), 6);
  assert.equal(robots.getMatchingLineNumber(`${SITE}/x`), -1);
});

test('a URL whose conversion takes the bytes of the text away', () => {
  const buffer = new ArrayBuffer(64 << 20, { maxByteLength: 64 << 20 });
  const contents = new Uint8Array(buffer);
  contents.set(Buffer.from('User-agent: *\nDisallow: /x\n#'));
  const url = {
    toString() {
      buffer.resize(0);
      return 'https://a.example/robots.txt';
    },
  };
  assert.equal(robotsParser(url, contents).isAllowed('https://a.example/x', 'bot'), false);
});
