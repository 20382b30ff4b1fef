#!/usr/bin/env node
// The operator's command line: `npm run -s belfry -- <command>`.
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isPinnedNode } from './pinned-node.js';

if (isPinnedNode()) {
  const { COMPILE_CACHE } = await import('./warm-start.js');
  const { findCommandBundle } = await import('./command-bundle.js');
  module.enableCompileCache(COMPILE_CACHE);
  const bundle = findCommandBundle(fileURLToPath(new URL('..', import.meta.url)));
  const { runMain } = await import(bundle === null ? '../src/main.ts' : pathToFileURL(bundle).href);
  // Without a command it tells which there are; only `npm start` serves.
  await runMain(process.argv.length > 2 ? process.argv.slice(2) : ['help']);
}
