// The addon for Node asks every URL of a file many times: `IMAGE AGENT URLS REPEATS [batch]`.
import { readFileSync } from 'node:fs';
import { Image, VERDICTS } from '../../node/index.mjs';

const [path, agent, file, repeats, batch] = process.argv.slice(2);
const image = Image.open(path);
const crawler = image.crawler(agent);
const urls = readFileSync(file, 'utf8').split('\n').filter((url) => url !== '');
const isAllowed = VERDICTS.indexOf('allowed');
let allowed = 0;
for (let repeat = Number(repeats); repeat > 0; repeat -= 1) {
  if (batch) {
    for (const code of image.decideMany(urls, crawler)) allowed += code === isAllowed ? 1 : 0;
  } else {
    for (const url of urls) allowed += image.isAllowed(url, crawler) ? 1 : 0;
  }
}
console.log(allowed);
