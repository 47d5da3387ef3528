// The test data of the repository, which all readers share.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const data = new URL('../../tests/data/', import.meta.url);

/** The lines of the conformance file. */
export const conformance = () =>
  readFileSync(new URL('conformance.jsonl', data), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));

/** The path of an image that the conformance file asks. */
export const imageOf = (name) => fileURLToPath(new URL(`conformance/${name}`, data));
