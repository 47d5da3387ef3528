// A permission that has ended is none, also for an image that was open before. The image is made by
// the command that ROBOMATON_COMMAND names.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Image, VERDICTS } from '../index.mjs';

const command = process.env.ROBOMATON_COMMAND;
const PAGE = 'https://a.example/page';

const folder = mkdtempSync(join(tmpdir(), 'robomaton-ended-'));
after(() => rmSync(folder, { recursive: true }));

test('what ends while an image is open', { skip: !command && 'ROBOMATON_COMMAND names no command' }, async () => {
  const end = Math.floor(Date.now() / 1000) + 3;
  const tag = `unavailable_after: ${new Date(end * 1000).toUTCString()}`;
  const line = (url, rest) => `${JSON.stringify({ url, status: 200, fetched_at: end - 60, ...rest })}\n`;
  const [captures, path] = [join(folder, 'captures.jsonl'), join(folder, 'image.rimg')];
  writeFileSync(
    captures,
    line('https://a.example/robots.txt', { body: 'User-agent: *\nContent-Usage: search=y\nAllow: /\n' }) +
      line(PAGE, { headers: { 'Content-Type': 'text/html', 'X-Robots-Tag': tag }, body: '<html></html>' }),
  );
  execFileSync(command, ['compile', '--pages', captures, '-o', path], { stdio: 'ignore' });
  const images = [Image.open(path), Image.open(path, { now: end - 1 }), Image.open(path, { now: end + 1 })];
  const crawlers = images.map((image) => image.crawler('bot'));
  const answers = () =>
    images.map((image, number) => {
      const one = image.decide(PAGE, crawlers[number], 'index').verdict;
      const many = image.decideMany([PAGE], crawlers[number], 'index');
      assert.deepEqual([VERDICTS[many[0]], image.answer(PAGE, crawlers[number], 'index').verdict], [one, one]);
      return one;
    });
  assert.deepEqual(answers(), ['conditional', 'conditional', 'disallowed']);
  await sleep(Math.max(0, (end + 1.2) * 1000 - Date.now()));
  assert.deepEqual(answers(), ['disallowed', 'conditional', 'disallowed']);
});
