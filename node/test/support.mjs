// The test data of the repository, which all readers share.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const data = new URL('../../tests/data/', import.meta.url);

/** The lines of the conformance file. */
export const conformance = () =>
  readFileSync(new URL('conformance.jsonl', data), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));

/** The kinds of lines that a reader does not ask, with their numbers. */
export const unasked = (reader) =>
  JSON.parse(readFileSync(new URL('conformance-unasked.json', data), 'utf8'))
    .filter(({ readers }) => readers.includes(reader))
    .map(({ lines, count }) => [lines, count]);

/** The path of an image that the conformance file asks. */
export const imageOf = (name) => fileURLToPath(new URL(`conformance/${name}`, data));
