export const EXIT = { done: 0, fault: 1, wrongSetting: 2 } as const;

export const say = (line: string) => void process.stderr.write(`belfry: ${line}\n`);
