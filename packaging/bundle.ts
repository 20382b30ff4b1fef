import path from 'node:path';
import { rolldown } from 'rolldown';
import { findCommit } from './commit.ts';
import { ROOT } from './places.ts';

/** What Node 24 runs; newer syntax is rewritten. */
const TARGET = 'node24';

/** File by name in the package, and where its code begins. */
const PROGRAMS = {
  'belfry.cjs': 'packaging/belfry.ts',
  'sqlite-worker.cjs': 'src/store/sqlite/worker.ts',
};

/**
 * Writes each program with everything it imports as one file: an executable can load no second one. What is imported
 * on demand is still evaluated on demand. Names and lines stay, so that a stack trace can be read.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  for (const [name, input] of Object.entries(PROGRAMS)) {
    const bundle = await rolldown({
      cwd: ROOT,
      input,
      platform: 'node',
      // A driver in C that pg uses where somebody has installed it.
      external: ['pg-native'],
      resolve: { alias: { 'belfry:dashboard-server': dashboardServer } },
      transform: {
        target: TARGET,
        define: { 'import.meta.main': 'false', BELFRY_COMMIT: JSON.stringify(findCommit()) },
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
