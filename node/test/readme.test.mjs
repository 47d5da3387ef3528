// The programs of README.md print what their comments say. The image is made by the command that
// ROBOMATON_COMMAND names; without it only programs that need no image run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as robomaton from '../index.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const page = readFileSync(path('../README.md'), 'utf8');
const programs = Array.from(page.matchAll(/```js\n(.*?)```/gs), ([, program]) => program);
const command = process.env.ROBOMATON_COMMAND;

const folder = mkdtempSync(join(tmpdir(), 'robomaton-readme-'));
after(() => rmSync(folder, { recursive: true }));

test('README.md has programs', () => assert.equal(programs.length, 2));

for (const program of programs) {
  const needsImage = program.includes('sample.rimg');
  const title = program.split('\n').at(0);
  test(title, { skip: needsImage && !command && 'ROBOMATON_COMMAND names no command' }, () => {
    const image = join(folder, 'sample.rimg');
    if (needsImage) {
      execFileSync(command, ['compile', path('../../tests/data/sample.warc.gz'), '-o', image], { stdio: 'ignore' });
    }
    const body = program
      .replace(/^import .*\n/gm, '')
      .replace("'sample.rimg'", JSON.stringify(image))
      .replace(/^(.*); \/\/ (.*)$/gm, (_, expression, expected) => `equal(${expression}, ${expected});`);
    const { Image, VERDICTS, robotsParser } = robomaton;
    let checked = 0;
    const equal = (found, expected) => {
      assert.deepEqual(found, expected);
      checked += 1;
    };
    new Function('Image', 'VERDICTS', 'robotsParser', 'equal', body)(Image, VERDICTS, robotsParser, equal);
    assert.ok(checked > 1);
  });
}
