#!/usr/bin/env node
// The operator's command line: `npm run -s belfry -- <command>`.
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { keepCompiledCode } = await import('./compile-cache.js');
  keepCompiledCode();
  const { runMain } = await import('../src/main.ts');
  // Without a command, it lists the commands; only `npm start` serves.
  await runMain(process.argv.length > 2 ? process.argv.slice(2) : ['help']);
}
