// `npm run demo`: a sample team to look around in.
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { buildDashboardIfChanged } = await import('./build-dashboard.js');
  if ((await buildDashboardIfChanged()) === 'failed') process.exitCode = 1;
  else await (await import('../testing/demo/demo.ts')).runDemo();
}
