import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlesIn, findCommandBundle, hashSources, LAST } from './command-bundle.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Which libraries are installed, how imports are resolved, and how the bundle is made. */
const BESIDE = ['package.json', 'node_modules/.package-lock.json', 'bin/bundle-commands.js'];
/** A command that runs meanwhile may still read the bundle before. */
const KEPT = 2;

/**
 * Bundles what `src/main.ts` runs for a command, libraries too. Only what is imported on demand stays in files of its
 * own.
 *
 * @param {string} root
 * @param {readonly string[]} beside  files that the bundle depends on besides those that it holds
 */
export async function bundleCommands(root, beside = BESIDE) {
  const { rolldown } = await import('rolldown');
  const contents = new Map(beside.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const remember = {
    name: 'remember',
    transform(code, id) {
      const file = relative(root, id).split(sep).join('/');
      // Libraries stand for themselves in the lock file, and the bundler's own parts are no files.
      if (/^\.\.|\0|(^|\/)node_modules\//.test(file)) return null;
      contents.set(file, code);
      // What a source finds beside itself lies there still.
      return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
    },
  };
  const bundle = await rolldown({
    cwd: root,
    input: { main: 'src/main.ts' },
    platform: 'node',
    // A driver in C that pg uses where somebody has installed it; and no command serves.
    external: ['pg-native', './serve.ts'],
    transform: { define: { 'import.meta.main': 'false' } },
    plugins: [remember],
    logLevel: 'silent',
  });
  const draft = join(bundlesIn(root), `next-${process.pid}`);
  try {
    await bundle.write({ dir: draft, format: 'esm', comments: false });
    keep(
      root,
      draft,
      [...contents].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  } finally {
    await bundle.close();
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Its place first, then the word of it, so that nobody runs half of it. */
function keep(root, draft, sources) {
  const bundles = bundlesIn(root);
  const hash = hashSources(root, sources);
  const place = join(bundles, hash);
  if (!existsSync(place)) renameSync(draft, place);
  const word = `${draft}.json`;
  writeFileSync(word, JSON.stringify({ hash, files: sources.map(([file]) => file) }));
  renameSync(word, join(bundles, LAST));
  const made = readdirSync(bundles)
    .filter((name) => name !== hash && /^[0-9a-f]{32}$/.test(name))
    .map((name) => ({ name, at: statSync(join(bundles, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { name } of made.slice(KEPT - 1)) rmSync(join(bundles, name), { recursive: true });
}

/** In a process of its own, which takes the bundler's memory along. What goes wrong only leaves commands slower. */
export async function bundleCommandsIfChanged() {
  if (findCommandBundle(ROOT) !== null) return;
  if (!existsSync(join(ROOT, 'node_modules', 'rolldown'))) return;
  const child = spawn(process.execPath, [import.meta.filename], { stdio: 'ignore' });
  await once(child, 'close').catch(() => {});
}

// `npm run build` ends with it.
// Without an `await`, so that this file can be loaded at once, as its test is.
if (import.meta.main && findCommandBundle(ROOT) === null) void bundleCommands(ROOT);
