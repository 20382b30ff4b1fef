/** Processor time, for tests of what work costs: unlike the time of the clock it does not grow with the machine's load. */

/** The processor time that this thread has spent, in milliseconds. */
export function threadMs(): number {
  return millisOf(process.threadCpuUsage());
}

/** The processor time that this process has spent with all its threads, in milliseconds. */
export function processMs(): number {
  return millisOf(process.cpuUsage());
}

function millisOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
