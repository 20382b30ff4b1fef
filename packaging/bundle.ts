import path from 'node:path';
import { rolldown } from 'rolldown';
import { COMMIT, ROOT } from './places.ts';

/** The oldest supported Node; newer syntax is rewritten. */
const TARGET = 'node24';

/** The file's name in the package, and its entry. */
const PROGRAMS = {
  'belfry.cjs': 'packaging/belfry.ts',
  'sqlite-worker.cjs': 'src/store/sqlite/worker.ts',
};

/**
 * One file each, because an executable can't load a second one. Dynamic imports are still evaluated on demand. Names
 * and lines are kept for stack traces.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  for (const [name, input] of Object.entries(PROGRAMS)) {
    const bundle = await rolldown({
      cwd: ROOT,
      input,
      platform: 'node',
      // An optional C driver of pg.
      external: ['pg-native'],
      resolve: { alias: { 'belfry:dashboard-server': dashboardServer } },
      transform: {
        target: TARGET,
        define: { 'import.meta.main': 'false', BELFRY_COMMIT: JSON.stringify(COMMIT) },
      },
      onLog: (level, log, report) => {
        if (level === 'warn') throw new Error(log.message);
        report(level, log);
      },
    });
    await bundle.write({
      file: path.join(folder, name),
      format: 'cjs',
      codeSplitting: false,
      comments: false,
    });
    await bundle.close();
  }
}

const dashboardServer = path.join(ROOT, 'build/dashboard/server/index.js');
