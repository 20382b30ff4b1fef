/** The exit codes of the process: after a graceful stop, after a fault, for a wrong setting. */
export const EXIT = { done: 0, fault: 1, wrongSetting: 2 } as const;

/** Writes one line for the operator. */
export const say = (line: string) => void process.stderr.write(`belfry: ${line}\n`);
