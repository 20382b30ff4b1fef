/** Which test files share a process, and in which order processes start. */
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * How many files share a process, one after the other: starting one and loading the rooms and pages takes longer than
 * the tests of most files. Not more, so that processes end at about the same time.
 */
const FILES_PER_PROCESS = 16;
/** The most milliseconds of tests in one process. */
const MS_PER_PROCESS = 60_000;
/** Files that measure their whole process: its memory, its pauses, its threads. */
const ALONE = new Set([
  'spec/lost-thread.test.ts',
  'spec/security/large-things.test.ts',
  'src/outgoing/body.test.ts',
]);

/** How many milliseconds each file took when it ran last, by its path. */
export type Durations = Readonly<Record<string, number>>;

/** The slowest files come first, so that the cores stay busy to the end. */
export function shareProcesses(files: readonly string[], durations: Durations): string[][] {
  const taken = (file: string) => durations[file] ?? guess(file);
  const longestFirst = files.toSorted((a, b) => taken(b) - taken(a));
  // Files that need a package share a process, so that it is made once. They take longest of all.
  const packaging = files.filter((file) => file.startsWith('packaging'));
  const alone = longestFirst.filter((file) => ALONE.has(file)).map((file) => [file]);
  const rest = longestFirst.filter((file) => !ALONE.has(file) && !packaging.includes(file));
  const shared = [...chunk(rest, taken), ...alone];
  const sum = (group: readonly string[]) => group.reduce((ms, file) => ms + taken(file), 0);
  shared.sort((a, b) => sum(b) - sum(a));
  return packaging.length === 0 ? shared : [packaging, ...shared];
}

/** Tests that start whole services take longest, and among them those that wait until a fault has lasted. */
function guess(file: string): number {
  if (file.startsWith('spec/faults')) return 40_000;
  if (file.startsWith('spec/dashboard')) return 8_000;
  return file.startsWith('spec') ? 6_000 : 1_000;
}

function chunk(files: readonly string[], taken: (file: string) => number): string[][] {
  const chunks: string[][] = [];
  let last: string[] = [];
  let ms = Infinity;
  for (const file of files) {
    if (last.length === FILES_PER_PROCESS || ms + taken(file) > MS_PER_PROCESS) {
      chunks.push((last = []));
      ms = 0;
    }
    last.push(file);
    ms += taken(file);
  }
  return chunks;
}

export function readDurations(from: string): Durations {
  if (!fs.existsSync(from)) return {};
  return JSON.parse(fs.readFileSync(from, 'utf8')) as Durations;
}

/** @param output  of a run with the spec reporter */
export function keepDurations(to: string, output: string): void {
  const lines = stripVTControlCharacters(output).matchAll(
    /^[✔✖] (\S+\.test\.tsx?) \(([\d.]+)ms\)/gm,
  );
  const found = [...lines].map(([, file = '', ms]) => [file, Math.round(Number(ms))]);
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.writeFileSync(
    to,
    JSON.stringify({ ...readDurations(to), ...Object.fromEntries(found) }, null, 1),
  );
}
