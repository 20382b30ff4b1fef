import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * V8 salts compiled code with random numbers and stores the salt. With this flag the cache is valid in other
 * processes.
 */
const SAME_EACH_TIME = '--random-seed=1';

export function buildExecutable(folder: string, output: string): Promise<void> {
  return runNode('--build-sea', folder, output);
}

/** What the executable contains besides Node: the program, its compiled code and the assets. */
export function buildContents(folder: string, output: string): Promise<void> {
  return runNode('--experimental-sea-config', folder, output);
}

async function runNode(build: string, folder: string, output: string): Promise<void> {
  const config = path.join(folder, '..', 'executable.json');
  const node = path.dirname(path.dirname(process.execPath));
  const settings = {
    // Relative, because it is written into the result.
    main: 'belfry.cjs',
    output,
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    assets: { ...listParts(folder), 'node-licence.txt': path.join(node, 'LICENSE') },
  };
  fs.writeFileSync(config, JSON.stringify(settings));
  await run(process.execPath, [SAME_EACH_TIME, build, config], { cwd: folder });
}

const PARTS = '{dashboard/**/*.*,sqlite-worker.cjs,LICENSE,licences.txt}';

function listParts(folder: string): Record<string, string> {
  const names = fs.globSync(PARTS, { cwd: folder }).map((name) => name.replaceAll('\\', '/'));
  return Object.fromEntries(names.toSorted().map((name) => [name, path.join(folder, name)]));
}
