// `npm run demo`: a sample team.
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { buildDashboardIfChanged } = await import('./build-dashboard.js');
  if (buildDashboardIfChanged() === 'failed') process.exitCode = 1;
  else {
    const { runDemo } = await import('../src/demo/demo.ts');
    const { runMain } = await import('../src/main.ts');
    await runDemo(() => runMain([]));
  }
}
