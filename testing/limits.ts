/**
 * Limits end what hangs, with words about what was awaited. They are many times what a slow and busy machine needs: no
 * test may pass or fail by the machine's speed, so a test that bounds work counts it.
 */

/** Of a wait for something that comes at once. */
export const WAIT_LIMIT_MS = 60_000;
/** Of a wait for a process, a lease, or all work of a scene. */
export const LONG_WAIT_LIMIT_MS = 300_000;
/** Of a test, a suite and a file. */
export const TEST_LIMIT_MS = 30 * 60_000;
