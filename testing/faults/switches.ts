import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#testing/guard';
import { eventually } from '#testing/process';

export type Switches = ReturnType<typeof makeSwitches>;

/** Faults that a test can inject into a service's process from within, one process at a time. */
export function makeSwitches() {
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
    /** Settings to start the process with. */
    env: {
      NODE_OPTIONS: `--import ${path.join(import.meta.dirname, 'inside.ts')}`,
      FAULTS_FOLDER: folder,
    },
    /** Sets the offset of the process's clock; resolves once the process has applied it. */
    stepClock: async (toMs: number) => {
      order('offset', String(toMs));
      await eventually(() => read('seen') === String(toMs), { what: 'the clock of the process' });
    },
    /** Ends the threads of the process that hold a database, as a fault in them would. */
    endDatabaseThreads: () => order('ends-threads', 'now'),
    /** Clears all orders, for the process that is started next. */
    clear: () => {
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
    },
  };
}
