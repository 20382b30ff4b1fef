/**
 * Node's test runner follows every promise, to learn from which test a rejection came that nobody handled. That takes
 * up to a quarter of the processor time of tests that work in their own process. Test processes of `npm test` load this
 * first, so that the runner follows timers and sockets alone: an unhandled rejection still fails the file, and
 * `node --test FILE` names the test.
 */
'use strict';

const hooks = require('node:async_hooks');

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
