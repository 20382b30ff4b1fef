/** What the process ends with: a graceful stop, a fault, a wrong setting. */
export const EXIT = { done: 0, fault: 1, wrongSetting: 2 } as const;

/** One line for the operator. */
export const say = (line: string) => void process.stderr.write(`belfry: ${line}\n`);
