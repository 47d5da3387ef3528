// The script query.mjs reads lines as `robomaton query` does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { imageOf } from './support.mjs';

const script = fileURLToPath(new URL('../query.mjs', import.meta.url));

test('lines are trimmed, and blank ones passed over', () => {
  const input = '\n \t\n\f http://zplain.example/a \r\nhttp://zplain.example/private/\rx\u2003';
  const output = execFileSync(process.execPath, [script, imageOf('small.rimg'), 'a'], { input, encoding: 'utf8' });
  assert.equal(output, 'allowed\thttp://zplain.example/a\ndisallowed\thttp://zplain.example/private/\rx\u2003\n');
});
