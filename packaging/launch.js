#!/usr/bin/env node
// The npm package's command. Runs on any Node, to say which one is needed.
'use strict';

const needed = 24;
if (Number.parseInt(process.versions.node, 10) >= needed) {
  // Beside it, so that it goes with the package. Where that can't be written, every call compiles anew.
  require('node:module').enableCompileCache(require('node:path').join(__dirname, 'compile-cache'));
  require('./belfry.cjs');
} else {
  process.stderr.write(
    'belfry: needs Node ' +
      needed +
      ' or newer, and this is Node ' +
      process.versions.node +
      '. ' +
      'Install a newer Node, or take the executable, which needs none.\n',
  );
  process.exitCode = 1;
}
