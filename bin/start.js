// `npm start`: everything that has to be there before the service can run, and then the service, in this process.
import module from 'node:module';
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { buildDashboardIfChanged } = await import('./build-dashboard.js');
  const { COMPILE_CACHE, warmUpStart } = await import('./warm-start.js');
  const { bundleCommandsIfChanged } = await import('./bundle-commands.js');
  const bundling = bundleCommandsIfChanged();
  const build = await buildDashboardIfChanged();
  if (build === 'built') await warmUpStart();
  await bundling;
  if (build === 'failed') {
    process.exitCode = 1;
  } else {
    module.enableCompileCache(COMPILE_CACHE);
    // The threads of a database read it from here.
    process.env.NODE_COMPILE_CACHE = COMPILE_CACHE;
    const { runMain } = await import('../src/main.ts');
    await runMain([]);
  }
}
