import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { bundleCommands } from './bundle-commands.js';
import { bundlesIn, findCommandBundle } from './command-bundle.js';

const BESIDE = ['package.json', 'installed.json'];

/** A program that says `hello`, by a library and a file on demand. */
async function makeProgram() {
  const root = makeFolder();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write('package.json', '{ "type": "module" }');
  write('installed.json', '{ "greet": 1 }');
  write('node_modules/greet/package.json', '{ "name": "greet", "main": "index.js" }');
  write('node_modules/greet/index.js', 'exports.greet = () => "hello";');
  write(
    'src/main.ts',
    `export const say = async (): Promise<string> => (await import('./later.ts')).greetLater();
    export const place = import.meta.url;`,
  );
  write('src/later.ts', `import { greet } from 'greet'; export const greetLater = () => greet();`);
  const bundle = () => bundleCommands(root, BESIDE);
  await bundle();
  return { root, write, bundle };
}

async function load(root: string): Promise<{ say: () => Promise<string>; place: string }> {
  const file = findCommandBundle(root);
  assert.ok(file);
  return (await import(pathToFileURL(file).href)) as Awaited<ReturnType<typeof load>>;
}

async function say(root: string): Promise<string> {
  return (await load(root)).say();
}

describe('the bundle of commands', () => {
  test('runs what the sources say, without them and without the libraries', async () => {
    const { root } = await makeProgram();
    renameSync(join(root, 'node_modules'), join(root, 'gone'));
    assert.equal(await say(root), 'hello');
  });

  test('finds what lies beside the sources where it lies', async () => {
    const { root } = await makeProgram();
    assert.equal((await load(root)).place, pathToFileURL(join(root, 'src/main.ts')).href);
    const moved = `${root}-moved`;
    renameSync(root, moved);
    assert.equal(findCommandBundle(moved), null);
    renameSync(moved, root);
  });

  test('is not run where there is none, or half of it', async () => {
    const folder = makeFolder();
    assert.equal(findCommandBundle(folder), null);
    mkdirSync(bundlesIn(folder), { recursive: true });
    writeFileSync(join(bundlesIn(folder), 'last.json'), '{ "hash": "12", "fi');
    assert.equal(findCommandBundle(folder), null);
  });

  test('is not run where its file is gone or empty', async () => {
    const { root } = await makeProgram();
    const file = findCommandBundle(root) ?? '';
    writeFileSync(file, '');
    assert.equal(findCommandBundle(root), null);
    rmSync(file);
    assert.equal(findCommandBundle(root), null);
  });

  test('is not run once a source is another, whatever its time says, and is when it is as it was', async () => {
    const { root, write } = await makeProgram();
    for (const [file, is, was] of [
      ['src/later.ts', 'export const greetLater = () => "bye";', null],
      ['package.json', '{ "type": "module", "imports": {} }', '{ "type": "module" }'],
      ['installed.json', '{ "greet": 2 }', '{ "greet": 1 }'],
    ] as const) {
      write(file, is);
      assert.equal(findCommandBundle(root), null, file);
      if (was !== null) write(file, was);
      else write(file, `import { greet } from 'greet'; export const greetLater = () => greet();`);
      assert.ok(findCommandBundle(root), file);
    }
    renameSync(join(root, 'src/later.ts'), join(root, 'src/else.ts'));
    assert.equal(findCommandBundle(root), null);
  });

  test('stays for a command that still runs from it, and goes with the one after', async () => {
    const { root, write, bundle } = await makeProgram();
    const first = dirname(findCommandBundle(root) ?? '');
    for (const word of ['bye', 'good night']) {
      assert.ok(existsSync(first), word);
      write('src/later.ts', `export const greetLater = () => ${JSON.stringify(word)};`);
      await bundle();
      assert.equal(await say(root), word);
    }
    assert.equal(existsSync(first), false);
    assert.equal(readdirSync(bundlesIn(root)).length, 3);
  });
});
