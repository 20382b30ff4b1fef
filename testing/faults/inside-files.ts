/** The files by which a test tells a process what to do (see inside.ts). */

/** How far its clock is ahead, in milliseconds. */
export const OFFSET = 'offset';
/** The last offset that it goes by. */
export const SEEN = 'seen';
/** Is there once its threads with a database are to end. */
export const ENDS_THREADS = 'ends-threads';
