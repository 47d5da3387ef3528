// The race: this package against robots-parser, on the same questions, in one run.
//
//     node race.mjs CAPTURES.warc.gz IMAGE [TEXTS]
//
// IMAGE is compiled from the same captures. Every text with rules is asked for URLs made of its own
// patterns, for four crawlers. First the answers are compared: each difference is counted under its cause, which is found by
// changing the text until the two agree. Then both are timed on the texts of which all answers agree, in
// interleaved rounds and in time of the processor, so that what else the machine does meets both alike;
// the least of the rounds counts. One thread.
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { Image, robotsParser, version } from './index.mjs';
import { chance, texts, urlsOf } from './texts.mjs';

const require = createRequire(import.meta.url);
const theirs = require('robots-parser');

const AGENTS = ['Googlebot', 'GPTBot/1.2', 'somebot'];
const AGENT = 'GPTBot';
const URLS = 20;
const ROUNDS = 9;

/** Changes of a text after which robots-parser reads what this package reads as it is, by their causes. */
const CAUSES = [
  ['a misspelt key: `useragent`, `user agent`, `dissallow`, …', spelt],
  ['another record in a list of user-agents, or between its rules', (text) => spelt(text).replace(/^(?!\s*(?:user-agent|allow|disallow)\s*:).*$/gim, '')],
  ['a name of a crawler that is more than a product token', (text) => spelt(text).replace(/^(\s*user-agent\s*:\s*)([\w.*-]+).*$/gim, '$1$2')],
];

function spelt(text) {
  return text
    .replace(/^(\s*)user[ \t]*-?[ \t]*agents?\s*:?/gim, '$1user-agent:')
    .replace(/^(\s*)dis+al+[ao]?w?\s*:/gim, '$1disallow:');
}

/** The cause of a difference. */
function causeOf({ site, text }, url, agent, answer) {
  if (new URL(url).pathname === '/robots.txt') return 'robots.txt itself is always allowed';
  const decided = (text) => theirs(`${site}/robots.txt`, text).isAllowed(url, agent) === answer;
  const cause = CAUSES.find(([, change]) => decided(change(text)));
  if (cause !== undefined) return cause[0];
  if (url.endsWith('?') && theirs(`${site}/robots.txt`, text).isAllowed(`${url}a`, agent) === answer) {
    return 'an empty query, whose question mark robots-parser drops';
  }
  const encoded = encodeURI(url).replaceAll('%25', '%');
  if (theirs(`${site}/robots.txt`, text).isAllowed(encoded, agent) === answer) {
    return 'a character that robots-parser encodes in a pattern and not in a URL, such as `|`';
  }
  if (decided('')) return 'this package reads no rules: no robots.txt, or none for this crawler';
  return 'not classified';
}

/** Nanoseconds of the processor that a call takes. */
function timed(work) {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) * 1000;
}

const [captures, path, most = '1000'] = process.argv.slice(2);
if (path === undefined) {
  console.error('usage: node race.mjs CAPTURES.warc.gz IMAGE [TEXTS]');
  process.exit(2);
}
const random = chance(1);
const asked = texts(captures)
  .filter(({ text }) => /^\s*(?:dis)?allow:[ \t]*\//im.test(text))
  .slice(0, Number(most))
  .map((text) => ({ ...text, urls: urlsOf(text, URLS, random) }));

const differences = new Map();
let questions = 0;
let differing = 0;
const equal = asked.filter((one) => {
  const [ours, other] = [robotsParser, theirs].map((parser) => parser(`${one.site}/robots.txt`, one.text));
  let same = true;
  for (const url of one.urls) {
    for (const agent of [...AGENTS, AGENT]) {
      questions += 1;
      const [answer, wanted] = [ours.isAllowed(url, agent), other.isAllowed(url, agent)];
      if (answer === wanted) continue;
      same = false;
      differing += 1;
      const cause = causeOf(one, url, agent, answer);
      const example = `${url} ${agent}: ${answer}`;
      const { count = 0, first = example } = differences.get(cause) ?? {};
      differences.set(cause, { count: count + 1, first });
    }
  }
  return same;
});
console.log(`robomaton ${version}, robots-parser ${require('robots-parser/package.json').version}, Node ${process.version}`);
console.log(`${asked.length} texts, ${questions} questions, ${differing} answers differ:`);
for (const [cause, { count, first }] of [...differences].sort(([, a], [, b]) => b.count - a.count)) {
  console.log(`${String(count).padStart(7)}  ${cause} (${first})`);
}

if (differences.has('not classified')) process.exit(1);

const image = Image.open(path);
const crawler = image.crawler(AGENT);
const urls = equal.flatMap(({ urls }) => urls);
const parsed = (parser) => equal.flatMap(({ site, text, urls }) => {
  const robots = parser(`${site}/robots.txt`, text);
  return urls.map((url) => [robots, url]);
});
const [ours, others] = [parsed(robotsParser), parsed(theirs)];
const each = (pairs) => () => {
  let allowed = 0;
  for (const [robots, url] of pairs) allowed += robots.isAllowed(url, AGENT) ? 1 : 0;
  return allowed;
};
const compile = (parser) => () => {
  for (const { site, text } of equal) parser(`${site}/robots.txt`, text);
};
const runs = {
  'robots-parser: parse a text': [compile(theirs), equal.length],
  'robotsParser: compile a text': [compile(robotsParser), equal.length],
  'robots-parser: isAllowed': [each(others), urls.length],
  'robotsParser: isAllowed': [each(ours), urls.length],
  'Image.isAllowed': [() => urls.forEach((url) => image.isAllowed(url, crawler)), urls.length],
  'Image.decide': [() => urls.forEach((url) => image.decide(url, crawler)), urls.length],
  'Image.decideMany': [() => image.decideMany(urls, crawler), urls.length],
};
const least = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, [work, count]] of Object.entries(runs)) {
    least[name] = Math.min(least[name] ?? Infinity, timed(work) / count);
  }
}
console.log(`${equal.length} texts of which all answers are equal, ${urls.length} questions; load ${loadavg()[0].toFixed(1)}`);
for (const [name, time] of Object.entries(least)) {
  console.log(`${name.padEnd(30)} ${time.toFixed(0).padStart(8)} ns`);
}
