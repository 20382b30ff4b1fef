// `npm start`: builds the dashboard if its sources changed, then runs the service in this process.
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { buildDashboardIfChanged } = await import('./build-dashboard.js');
  if (buildDashboardIfChanged() === 'failed') process.exitCode = 1;
  else {
    const { keepCompiledCode } = await import('./compile-cache.js');
    keepCompiledCode();
    const { runMain } = await import('../src/main.ts');
    await runMain([]);
  }
}
