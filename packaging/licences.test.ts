import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { rolldown } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { BUILD_PACKAGES, DASHBOARD_PACKAGES, writeLicences } from './licences.ts';
import { ROOT } from './places.ts';

/** The package of an import such as `react-dom/server`. */
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

/** Packages that the service and its commands load when they run. */
async function findRunning(): Promise<string[]> {
  const ours = /^(\.|#|\/|\w:)/;
  const isPackage = (name: string) => !ours.test(name) && name !== 'src/main.ts';
  const bundle = await rolldown({
    cwd: ROOT,
    input: 'src/main.ts',
    platform: 'node',
    external: isPackage,
  });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const files = new Set(chunks.map(({ fileName }) => fileName));
  const names = chunks
    .flatMap(({ imports, dynamicImports }) => imports.concat(dynamicImports))
    .filter((name) => !files.has(name) && !name.startsWith('node:'));
  return [...new Set(names.map(packageOf))].toSorted();
}

/** Packages that a file imports from, and not their types alone. */
function findImports(text: string): string[] {
  const found = text.matchAll(/^import (?!type )[^;]*?from '([^.#'][^']*)'/gm);
  return Array.from(found, ([, name = '']) => packageOf(name));
}

describe('the packages that Belfry is made of', () => {
  test('the dependencies are the packages that run, build or are built into the dashboard', async () => {
    const others = new Set([...BUILD_PACKAGES, ...DASHBOARD_PACKAGES]);
    const named = Object.keys(manifest.dependencies).filter((name) => !others.has(name));
    assert.deepEqual(named, await findRunning());
  });

  test('packages bundled into the dashboard are listed with their licences', async () => {
    const files = fs.globSync('src/dashboard/**/*.{ts,tsx}', { cwd: ROOT });
    const imported = files
      .filter((file) => !/\.test\.|routes\.ts$/.test(file))
      .flatMap((file) => findImports(fs.readFileSync(path.join(ROOT, file), 'utf8')))
      .filter((name) => !name.startsWith('node:'));
    const known = new Set([...DASHBOARD_PACKAGES, ...(await findRunning())]);
    const unknown = imported.filter((name) => !known.has(name));
    assert.deepEqual([...new Set(unknown)], []);
    for (const name of DASHBOARD_PACKAGES) assert.ok(name in manifest.dependencies, name);
  });

  test('all packages are listed with their licences, nested ones too', () => {
    const text = writeLicences();
    for (const name of ['pino', 'pg-protocol', 'react-dom', 'scheduler', 'uuid'])
      assert.match(text, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
    assert.match(
      text,
      /^Inter \d+\.\d+\.\d+ \(OFL-1\.1\)\n\nCopyright 2016 The Inter Project Authors/m,
    );
    for (const name of ['vite', 'rolldown', 'playwright-core'])
      assert.doesNotMatch(text, new RegExp(`^${name} \\d`, 'm'));
  });
});
