import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#testing/guard';
import { eventually } from '#testing/process';
import { ENDS_THREADS, OFFSET, SEEN } from './inside-files.ts';

/** Faults that a test can inject into a service's process from within. */
export interface Switches {
  /** Settings to start the process with. */
  env: { NODE_OPTIONS: string; FAULTS_FOLDER: string };
  /** Sets the offset of the process's clock; resolves once the process has applied it. */
  stepClock(toMs: number): Promise<void>;
  /** Ends the threads of the process that hold a database, as a fault in them would. */
  endDatabaseThreads(): void;
  /** Clears all orders, for the process that is started next. */
  clear(): void;
}

/** For one process at a time. */
export function makeSwitches(): Switches {
  const folder = makeFolder();
  const order = (name: string, text: string) => {
    const draft = path.join(folder, 'draft');
    fs.writeFileSync(draft, text);
    fs.renameSync(draft, path.join(folder, name));
  };
  const read = (name: string) => {
    const file = path.join(folder, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  };
  return {
    env: {
      NODE_OPTIONS: `--import ${path.join(import.meta.dirname, 'inside.ts')}`,
      FAULTS_FOLDER: folder,
    },
    stepClock: async (toMs) => {
      order(OFFSET, String(toMs));
      await eventually(() => read(SEEN) === String(toMs), { what: 'the clock of the process' });
    },
    endDatabaseThreads: () => order(ENDS_THREADS, 'now'),
    clear: () => {
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
    },
  };
}
