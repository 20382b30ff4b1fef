/** Which test files share a process, and in which order they are taken. */
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Files that measure their whole process: its memory, its pauses, its threads. */
const ALONE = new Set([
  'spec/lost-thread.test.ts',
  'spec/security/large-things.test.ts',
  'src/outgoing/body.test.ts',
]);

/** The slowest, for a copy of the sources in which no test has run yet. */
const SLOW = new Set([
  'spec/6.4-alerts.test.ts',
  'spec/8-monthly-limit.test.ts',
  'spec/channels.test.ts',
  'spec/crash.test.ts',
  'spec/dashboard/every-page.test.ts',
  'spec/dashboard/jobs.test.ts',
  'spec/dashboard/passkeys.test.ts',
  'spec/many-nodes.test.ts',
  'spec/restart.test.ts',
  'spec/slow-pages.test.ts',
]);

/** How many milliseconds each file took when it ran last, by its path. */
export type Durations = Readonly<Record<string, number>>;

export interface Shares {
  /** Files that run in a process of their own. */
  alone: readonly string[];
  /** Each is taken by the next process that has nothing to do, and runs there from its first file to its last. */
  taken: readonly (readonly string[])[];
}

/** The slowest files come first, so that the cores stay busy to the end. */
export function shareProcesses(files: readonly string[], durations: Durations): Shares {
  const lasts = (file: string) => durations[file] ?? guess(file);
  const longestFirst = files.toSorted((a, b) => lasts(b) - lasts(a));
  const isPackaging = (file: string) => file.startsWith('packaging');
  // Files that need a package share a process, so that it is made once. They take longest of all.
  const packaging = longestFirst.filter(isPackaging);
  const rest = longestFirst.filter((file) => !ALONE.has(file) && !isPackaging(file));
  return {
    alone: longestFirst.filter((file) => ALONE.has(file)),
    taken: [...(packaging.length === 0 ? [] : [packaging]), ...rest.map((file) => [file])],
  };
}

/** Tests that start whole services take longest, and among them those that wait until a fault has lasted. */
function guess(file: string): number {
  if (SLOW.has(file) || file.startsWith('spec/faults')) return 40_000;
  if (file.startsWith('spec/dashboard')) return 8_000;
  return file.startsWith('spec') ? 6_000 : 1_000;
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
