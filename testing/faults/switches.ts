import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#testing/guard';
import { eventually } from '#testing/process';
import { ENDS_THREADS, OFFSET, SEEN } from './inside-files.ts';

/** What a test can do to a service's process from within, without the service's knowing. */
export interface Switches {
  /** Settings to start the process with. */
  env: { NODE_OPTIONS: string; FAULTS_FOLDER: string };
  /** Steps the process's own clock so far away from the true time; resolves once it goes by that. */
  stepClock(toMs: number): Promise<void>;
  /** Ends the threads of the process that hold a database, as a fault in them would. */
  endDatabaseThreads(): void;
  /** Nothing is ordered any more: for the process that is started next. */
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
