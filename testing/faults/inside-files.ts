/** The files by which a test tells a process what to do (see inside.ts). */

/** The wanted offset of the process's clock, in milliseconds. */
export const OFFSET = 'offset';
/** The last offset that the process has applied. */
export const SEEN = 'seen';
/** Exists once the process's database threads are to end. */
export const ENDS_THREADS = 'ends-threads';
