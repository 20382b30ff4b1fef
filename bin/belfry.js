#!/usr/bin/env node
// The operator's command line: `npm run -s belfry -- <command>`.
import module from 'node:module';
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { COMPILE_CACHE } = await import('./warm-start.js');
  module.enableCompileCache(COMPILE_CACHE);
  const { runMain } = await import('../src/main.ts');
  // Without a command it tells which there are; only `npm start` serves.
  await runMain(process.argv.length > 2 ? process.argv.slice(2) : ['help']);
}
