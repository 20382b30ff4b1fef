#!/usr/bin/env node
// The npm package's command. Runs on any Node, to report which version is needed.
'use strict';

const needed = 24;
if (Number.parseInt(process.versions.node, 10) >= needed) {
  // In the package, so that it is deleted with it. If it can't be written, every call compiles again.
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
