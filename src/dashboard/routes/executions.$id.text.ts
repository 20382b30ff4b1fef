import { textLoader } from '../runs/read-run.ts';

export const loader = textLoader((work, ...asked) => work.readExecutionDetail(...asked));
