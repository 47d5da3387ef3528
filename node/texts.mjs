// Captured robots.txt files and questions about them, for race.mjs.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const utf8 = new TextDecoder();

/** The robots.txt files of a WARC file that were answered with 200: `{ site, text }`, the newest of each site. */
export function texts(path) {
  const all = gunzipSync(readFileSync(path));
  const found = new Map();
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf('\r\n\r\n', at) + 4;
    const head = all.toString('latin1', at, end);
    const length = Number(/^Content-Length: (\d+)/im.exec(head)?.[1]);
    const site = /^WARC-Target-URI: <?(\S+?)\/robots\.txt>?\r/im.exec(head)?.[1];
    if (site !== undefined && /^WARC-Type: response\r/im.test(head)) {
      const body = all.indexOf('\r\n\r\n', end) + 4;
      if (/^HTTP\S+ 200/.test(all.toString('latin1', end, end + 14))) {
        found.set(site, { site, text: utf8.decode(all.subarray(body, end + length)) });
      } else {
        found.delete(site);
      }
    }
    at = end + length + 4;
  }
  return [...found.values()];
}

/** Numbers from 0 up to 1 that are the same in every run. */
export function chance(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const TAILS = ['', '/index.html', '?a=b', '/some/page/2024/x.html', 'y'];

/** URLs that the patterns of a text match and nearly match. */
export function urlsOf({ site, text }, count, random) {
  const patterns = Array.from(text.matchAll(/^\s*(?:dis)?allow:[ \t]*([/*][^\s#]*)/gim), ([, pattern]) => pattern);
  const pick = (list) => list[Math.floor(random() * list.length)];
  return Array.from({ length: count }, () => {
    const path = (pick(patterns) ?? '/').replaceAll('*', 'x').replace(/\$$/, '');
    return site + (path.startsWith('/') ? '' : '/') + path + pick(TAILS);
  });
}
