import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { TransactionScript } from '../database/transaction-script.ts';
import { type CountRange, HOUR_COUNT, type HourCount, TEAM, takeCounts } from './batch-counts.ts';
import { addToDurationHours } from './durations.ts';
import { addToOutcomeHours } from './outcomes.ts';
import { addStarts } from './usage.ts';

/** Parameters as for `takeCounts` */
const take = preparedStatement<HourCount>('take-batch-counts', takeCounts);
const addOutcomes = preparedStatement<never>('add-outcomes', (dialect) =>
  addToOutcomeHours(dialect.rows(HOUR_COUNT, 1)),
);
const addDurations = preparedStatement<never>('add-durations', (dialect) =>
  addToDurationHours(dialect.rows(HOUR_COUNT, 1)),
);

export const addUpCounts: TransactionScript<CountRange, void> = {
  name: 'add-up-counts',
  run: async (runner, { teamIds, firstId, lastId }) => {
    const teams = teamIds.map((team_id) => ({ team_id }));
    const taken = await runner.rows(take, [packRows(TEAM, teams), firstId, lastId]);
    if (taken.length === 0) return;
    const counts = packRows(HOUR_COUNT, sumCounts(taken));
    await runner.rows(addOutcomes, [counts]);
    await runner.rows(addDurations, [counts]);
    await addStarts(runner, taken);
  },
};

/** Unpacking JSON would be the main cost. */
function sumCounts(counts: readonly HourCount[]): HourCount[] {
  const sums = new Map<string, HourCount & { runs: number }>();
  for (const count of counts) {
    const { team_id, source_id, hour, outcome, step, runs } = count;
    const key = `${team_id} ${source_id} ${hour} ${outcome} ${step}`;
    const sum = sums.get(key);
    if (sum) sum.runs += runs ?? 0;
    else sums.set(key, { ...count, runs: runs ?? 0 });
  }
  return [...sums.values()];
}
