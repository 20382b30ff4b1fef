import { type CountRange, TEAM, takeCounts } from '../figures/batch-counts.ts';
import { addToDurationHours } from '../figures/durations.ts';
import { addToOutcomeHours } from '../figures/outcomes.ts';
import { addUsage } from '../figures/usage.ts';
import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { TransactionScript } from '../database/transaction-script.ts';

/** The starts among the taken counts, by month or day. */
const startsBy = (period: string) => `
    select team_id, to_char(to_timestamp(hour / 1000) at time zone 'UTC', '${period}'), sum(runs)::bigint
    from summed where outcome = 'started' group by 1, 2 order by 1, 2`;

/** Parameters as for `takeCounts` */
const addUp = preparedStatement<never>(
  'add-up-counts',
  (dialect) => `
  with lock_wait as materialized (
    select 1 as one from (select 1 as one) as given ${dialect.briefly}
  ), taken as (${takeCounts(dialect)}
  ), summed as materialized (
    select team_id, source_id, hour, outcome, step, sum(runs)::bigint as runs
    from taken group by 1, 2, 3, 4, 5
  ), months as (${addUsage('usage_months', startsBy('YYYY-MM'))}
  ), days as (${addUsage('usage_days', startsBy('YYYY-MM-DD'))}
  ), outcomes as (${addToOutcomeHours('summed')}
  ), durations as (${addToDurationHours('summed')}
  )
  select from lock_wait`,
);

export const addUpCounts: TransactionScript<CountRange, void> = {
  name: 'add-up-counts',
  isOneStatement: true,
  run: async (runner, { teamIds, firstId, lastId }) => {
    const teams = packRows(
      TEAM,
      teamIds.map((team_id) => ({ team_id })),
    );
    await runner.rows(addUp, [teams, firstId, lastId]);
  },
};
