// Prints verdict and URL as `robomaton query` does, or with --json whole answers, for URLs from standard
// input: `node query.mjs IMAGE AGENT [USAGE] [--json] < URLS`. An example, and one side of `agree`. Lines
// are trimmed, and blank ones passed over. Bytes that are not UTF-8 are asked and printed as U+FFFD;
// `robomaton query` prints them as they are.
import { readFileSync } from 'node:fs';
import { Image, VERDICTS } from './index.mjs';

const words = process.argv.slice(2).filter((word) => word !== '--json');
const [path, agent, usage] = words;
if (words.length < 2 || words.length > 3) {
  console.error('usage: node query.mjs IMAGE AGENT [USAGE] [--json] < URLS');
  process.exit(2);
}
const image = Image.open(path);
const crawler = image.crawler(agent);
// One run of white space is looked at once: at its first character.
const trimmed = (line) => line.replace(/^[ \t\r\f]+/, '').replace(/(?<![ \t\r\f])[ \t\r\f]+$/, '');
const urls = readFileSync(0, 'utf8').split('\n').map(trimmed).filter((url) => url !== '');

const lines = process.argv.includes('--json')
  ? urls.map((url) => JSON.stringify(image.answer(url, crawler, usage)))
  : Array.from(image.decideMany(urls, crawler, usage), (code, at) => `${VERDICTS[code]}\t${urls[at]}`);
process.stdout.write(lines.map((line) => `${line}\n`).join(''));
