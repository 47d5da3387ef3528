// Images as objects: how they open, whom they answer, and which errors they throw.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as robomaton from '../index.mjs';
import { imageOf } from './support.mjs';

const { Crawler, Image, Robots, VERDICTS, robotsParser, version } = robomaton;
const require = createRequire(import.meta.url);
const SMALL = imageOf('small.rimg');
const URL_OF_RULE = 'http://zplain.example/private';

const folder = mkdtempSync(join(tmpdir(), 'robomaton-'));
after(() => rmSync(folder, { recursive: true }));

/** A copy of the small image under a name. */
function copied(name) {
  const path = join(folder, name);
  cpSync(SMALL, path);
  return path;
}

/** A stack of two layers, both of which are the small image. */
function stack() {
  const path = join(folder, 'stack');
  mkdirSync(path);
  for (const layer of ['1.rimg', '2.rimg']) cpSync(SMALL, join(path, layer));
  writeFileSync(join(path, 'layers.manifest'), 'robomaton layers 1\ngeneration 1\nlayer 1.rimg\nlayer 2.rimg\nend\n');
  return path;
}

/** Fails unless the function throws an error with this code and message. */
function throws(code, message, act) {
  assert.throws(act, (error) => {
    assert.ok(error instanceof Error);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

test('a stack of layers is one image', () => {
  const answers = [SMALL, stack()].map((path) => {
    const image = Image.open(path);
    return image.decide(URL_OF_RULE, image.crawler('a'));
  });
  assert.deepEqual(answers[1], answers[0]);
  writeFileSync(join(folder, 'stack', '1.rimg'), '');
  throws('ERR_ROBOMATON_IMAGE', /1\.rimg/, () => Image.open(join(folder, 'stack')));
});

test('both module systems have the same exports', () => {
  const required = require('../index.cjs');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(robomaton).sort());
  for (const name of Object.keys(required)) assert.equal(robomaton[name], required[name], name);
  assert.equal(require('../robots-parser.cjs'), robotsParser);
});

test('the package has the version of the workspace', () => {
  const workspace = readFileSync(new URL('../../Cargo.toml', import.meta.url), 'utf8');
  const [, expected] = /\[workspace\.package\]\nversion = "(.*)"/.exec(workspace);
  assert.equal(version, expected);
  assert.equal(require('../package.json').version, expected);
  assert.equal(require('../package-lock.json').version, expected);
});

test('an image describes itself', () => {
  const image = Image.open(SMALL);
  assert.equal(image.path, SMALL);
  assert.equal(image.profile, 'full');
  assert.equal(image.byteLength, statSync(SMALL).size);
  assert.equal(image.size, 8);
  assert.equal(image.closed, false);
  image.verify();
  image.verify({ texts: true });
});

test('the shapes of an answer agree', () => {
  const image = Image.open(SMALL);
  const crawler = image.crawler('a');
  assert.deepEqual(image.decide(URL_OF_RULE, crawler), {
    verdict: 'disallowed',
    decision: 'disallowed',
    allowed: false,
    incomplete: false,
    basis: 'rule',
  });
  const answer = image.answer(URL_OF_RULE, crawler);
  assert.deepEqual([answer.verdict, answer.line, answer.rule], ['disallowed', 2, 'Disallow: /p']);
  assert.match(image.explain(URL_OF_RULE, crawler), /^verdict  disallowed: line 2/m);
  const codes = image.decideMany([URL_OF_RULE, 'http://zplain.example/', 'x'], crawler);
  assert.ok(codes instanceof Uint8Array);
  assert.deepEqual([...codes].map((code) => VERDICTS[code]), ['disallowed', 'allowed', 'unknown']);
  assert.equal(image.site('http://nowhere.example/'), null);
});

test('a crawler has names', () => {
  const image = Image.open(SMALL);
  assert.deepEqual(image.crawler('d, a/1.0').names, ['d', 'a']);
  assert.deepEqual(image.crawler(['d', 'a']).names, ['d', 'a']);
  assert.deepEqual(image.crawler('Mozilla/5.0 (compatible; A/1.2; +https://a.example/bot)').names, ['a']);
  assert.equal(image.crawler('a').namedOnly, false);
  assert.equal(image.crawler('a', { namedOnly: true }).namedOnly, true);
  throws('ERR_INVALID_ARG_VALUE', /^names: "" names no crawler/, () => image.crawler(''));
  throws('ERR_INVALID_ARG_VALUE', /^names: an empty array/, () => image.crawler([]));
  throws('ERR_INVALID_ARG_VALUE', /^names: \[1\]: /, () => image.crawler(['a', 3]));
});

test('a crawler belongs to one image', () => {
  const [one, other] = [Image.open(SMALL), Image.open(SMALL)];
  const crawler = one.crawler('a');
  for (const ask of ['decide', 'isAllowed', 'answer', 'explain', 'crawlDelay']) {
    throws('ERR_INVALID_ARG_VALUE', /^crawler: was resolved for another image/, () => other[ask](URL_OF_RULE, crawler));
  }
  throws('ERR_INVALID_ARG_VALUE', /^crawler: /, () => other.decideMany([URL_OF_RULE], crawler));
});

test('a closed image answers nothing', () => {
  const image = Image.open(SMALL);
  const crawler = image.crawler('a');
  image.close();
  image.close();
  assert.equal(image.closed, true);
  assert.equal(image.path, SMALL);
  const asks = [
    () => image.decide(URL_OF_RULE, crawler),
    () => image.isAllowed(URL_OF_RULE, crawler),
    () => image.decideMany([], crawler),
    () => image.answer(URL_OF_RULE, crawler),
    () => image.explain(URL_OF_RULE, crawler),
    () => image.site(URL_OF_RULE),
    () => image.sitemaps(URL_OF_RULE),
    () => image.crawlDelay(URL_OF_RULE, crawler),
    () => image.crawler('a'),
    () => image.verify(),
    () => image.size,
    () => image.byteLength,
    () => image.profile,
  ];
  for (const ask of asks) throws('ERR_ROBOMATON_CLOSED', /^the image is closed$/, ask);
});

test('JavaScript that runs inside a question may close the image', () => {
  const image = Image.open(SMALL, { mapAbove: 0 });
  const crawler = image.crawler('a');
  const urls = [URL_OF_RULE, URL_OF_RULE];
  Object.defineProperty(urls, 1, {
    get() {
      image.close();
      return URL_OF_RULE;
    },
  });
  throws('ERR_ROBOMATON_CLOSED', /closed/, () => image.decideMany(urls, crawler));
});

test('a dispose symbol closes an image', { skip: !Symbol.dispose }, () => {
  const image = Image.open(SMALL);
  image[Symbol.dispose]();
  assert.equal(image.closed, true);
});

test('errors of files name the file', () => {
  throws('ENOENT', /cannot open .*nope\.rimg: /, () => Image.open(join(folder, 'nope.rimg')));
  throws('EIO', /\/dev\/zero: is neither a file nor a directory/, () => Image.open('/dev/zero'));
  throws('ERR_ROBOMATON_IMAGE', /holds no file \*\.rimg/, () => Image.open(folder));
  const path = join(folder, 'text.txt');
  writeFileSync(path, 'User-agent: *\n');
  throws('ERR_ROBOMATON_IMAGE', /text\.txt: not a robomaton image/, () => Image.open(path));
});

test('options are checked', () => {
  throws('ERR_INVALID_ARG_VALUE', /^options: unknown option "mapabove"/, () => Image.open(SMALL, { mapabove: 1 }));
  for (const mapAbove of [-1, 0.5, NaN, 2 ** 60, '1']) {
    throws('ERR_INVALID_ARG_VALUE', /^mapAbove: /, () => Image.open(SMALL, { mapAbove }));
  }
  // A time that never comes would make every answer stale, and end what has an end.
  for (const now of [-1, 0.5, NaN, Infinity, -Infinity, 2 ** 60, '1', 1n]) {
    throws('ERR_INVALID_ARG_VALUE', /^now: /, () => Image.open(SMALL, { now }));
  }
  throws('ERR_INVALID_ARG_VALUE', /^onForbidden: expected 'allow' or 'deny'/, () => Image.open(SMALL, { onForbidden: 'no' }));
  const all = { mapAbove: Infinity, onForbidden: 'deny', onThrottled: 'deny', onLongUnreachable: 'allow', elements: true, now: 1e9 };
  const image = Image.open(SMALL, all);
  assert.equal(Image.open(SMALL, undefined).size, Image.open(SMALL, { now: undefined }).size);
  const crawler = image.crawler('a');
  throws('ERR_INVALID_ARG_VALUE', /^usage: "ai-trian" .*did you mean "ai-train"/, () => image.decide('x', crawler, 'ai-trian'));
  throws('ERR_INVALID_ARG_VALUE', /unknown option "prupose"/, () => image.decide('x', crawler, 'crawl', { prupose: 'x' }));
  throws('ERR_INVALID_ARG_VALUE', /^document: expected/, () => image.decide('x', crawler, 'crawl', { document: 'x' }));
});

test('arguments of wrong types are errors', () => {
  const image = Image.open(SMALL);
  const crawler = image.crawler('a');
  const wrong = [undefined, null, 3, {}, [], image, () => {}, Symbol('x'), Object.create(crawler), new Proxy(crawler, {})];
  for (const value of wrong) {
    assert.throws(() => image.decide(URL_OF_RULE, value), Error);
    assert.throws(() => image.decide(value, crawler), Error);
    if (value !== image) assert.throws(() => image.decide.call(value, URL_OF_RULE, crawler), TypeError);
    assert.throws(() => image.decideMany([value], crawler), Error);
    assert.throws(() => Image.open(value), Error);
  }
  for (const value of ['x', 3, {}, null, { length: 3 }]) assert.throws(() => image.decideMany(value, crawler), Error);
  assert.throws(() => image.decideMany(new Array(2 ** 32 - 1), crawler), Error);
  for (const made of [Image, Crawler, Robots]) assert.throws(() => new made(), Error);
});

test('a lone surrogate is the replacement character', () => {
  const image = Image.open(SMALL);
  const crawler = image.crawler('a');
  assert.equal(image.answer('http://zplain.example/\ud800', crawler).url, 'http://zplain.example/\ufffd');
});

test('a copied image does not notice its file', () => {
  const path = copied('copied.rimg');
  const image = Image.open(path);
  truncateSync(path);
  assert.equal(image.decide(URL_OF_RULE, image.crawler('a')).verdict, 'disallowed');
});

test('a mapped image keeps a file that is replaced by renaming', () => {
  const path = copied('renamed.rimg');
  const image = Image.open(path, { mapAbove: 0 });
  const other = join(folder, 'other');
  writeFileSync(other, '');
  renameSync(other, path);
  assert.equal(image.decide(URL_OF_RULE, image.crawler('a')).verdict, 'disallowed');
});

test('a mapped image that was written to is an error', () => {
  const path = copied('written.rimg');
  const image = Image.open(path, { mapAbove: 0 });
  const crawler = image.crawler('a');
  utimesSync(path, 1, 1);
  // For 20 microseconds a look at the file is trusted.
  const begun = process.hrtime.bigint();
  while (process.hrtime.bigint() - begun < 1_000_000n);
  throws('ERR_ROBOMATON_MODIFIED', /written\.rimg: was written to since it was opened/, () => image.decide(URL_OF_RULE, crawler));
  throws('ERR_ROBOMATON_MODIFIED', /was written to/, () => image.decideMany([], crawler));
});

test('an image may be forgotten', () => {
  // Without `close`, the garbage collector frees it; crawlers do not keep it.
  for (let round = 0; round < 2000; round += 1) {
    const image = Image.open(SMALL);
    image.decide(URL_OF_RULE, image.crawler('a'));
  }
});

test('worker threads open images of their own', async () => {
  const program = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { Image } = require(workerData.index);
    const image = Image.open(workerData.path, { mapAbove: 0 });
    const crawler = image.crawler('a');
    for (let round = 0; round < 1000; round += 1) image.decideMany([workerData.url], crawler);
    parentPort.postMessage(image.decide(workerData.url, crawler).verdict);`;
  const workerData = { index: require.resolve('../index.cjs'), path: SMALL, url: URL_OF_RULE };
  const verdict = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(program, { eval: true, workerData });
      worker.once('message', resolve).once('error', reject);
    });
  assert.deepEqual(await Promise.all([verdict(), verdict(), verdict(), verdict()]), Array(4).fill('disallowed'));
});
