// The declarations of types: those of index.d.cts are the members of the addon, and programs with types
// compile.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as robomaton from '../index.mjs';

const require = createRequire(import.meta.url);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The declared names: of each class its members, of everything else nothing. */
function declared() {
  const program = ts.createProgram([path('../index.d.cts')], {});
  const source = program.getSourceFile(path('../index.d.cts'));
  const names = {};
  for (const node of source.statements) {
    if (ts.isClassDeclaration(node)) {
      const members = node.members.filter((member) => !ts.isConstructorDeclaration(member));
      names[node.name.text] = members.map((member) => member.name.getText(source)).sort();
    } else if (ts.isFunctionDeclaration(node)) {
      names[node.name.text] = null;
    } else if (ts.isVariableStatement(node)) {
      for (const { name } of node.declarationList.declarations) names[name.text] = null;
    }
  }
  return names;
}

/** The same of what the package exports. */
function exported() {
  const of = (value) => {
    if (typeof value !== 'function' || value === robomaton.robotsParser) return null;
    const own = Object.getOwnPropertyNames(value.prototype).filter((name) => name !== 'constructor');
    const statics = Object.getOwnPropertyNames(value).filter((name) => !['arguments', 'caller', 'length', 'name', 'prototype'].includes(name));
    // By the name in `Symbol`: Node 20 describes its own `Symbol.dispose` otherwise.
    const nameOf = (symbol) => Object.getOwnPropertyNames(Symbol).find((name) => Symbol[name] === symbol);
    const symbols = Object.getOwnPropertySymbols(value.prototype).map((symbol) => `[Symbol.${nameOf(symbol)}]`);
    return [...own, ...statics, ...symbols].sort();
  };
  return Object.fromEntries(Object.entries(robomaton).map(([name, value]) => [name, of(value)]));
}

test('declarations have the members of the addon', { skip: !Symbol.dispose }, () => {
  const [found, expected] = [declared(), exported()];
  assert.deepEqual(found, expected);
});

test('programs with types compile', () => {
  const tsc = require.resolve('typescript/bin/tsc');
  for (const project of ['types', 'types/using']) {
    execFileSync(process.execPath, [tsc, '--project', path(project)], { stdio: 'inherit' });
  }
});
