import { insertCallbacksOf } from '../callbacks.ts';
import { insertCopies } from '../copy-jobs.ts';
import type { Dialect } from '../dialect.ts';
import { countDurationsOf } from '../durations.ts';
import { hotStatement, runHot } from '../hot.ts';
import { countOutcomesOf } from '../outcomes.ts';
import type { Procedure } from '../procedure.ts';
import { ofEachTable } from '../run-tables.ts';
import {
  ENDED,
  type EndedRow,
  endRuns as endTable,
  insertResponses,
  type PackedSettlements,
} from '../settlement.ts';

const keptBy = (column: string) => `join ended on ended.id = given.${column}`;

/** $5 next attempts */
const retried = (dialect: Dialect) =>
  `, retried as (${insertCopies(dialect, 5, keptBy('from_id'))})`;

/** Those of the ends that were written. */
const OURS = '(select ends.* from ends join ended using (id)) as given';

/**
 * The whole settlement as one statement: on Postgres each statement costs a round trip. Everything hangs on the
 * rows that `ended` could change: those still under this node's claim.
 *
 * $1 ends, $2 node, $3 responses, $4 callbacks
 */
const END = ofEachTable((table) =>
  hotStatement<EndedRow>(
    `settle-${table}-at-once`,
    (dialect) => `
  with ends as materialized (
    select given.* from ${dialect.rows(ENDED, 1)} ${dialect.briefly}
  ), ended as (${endTable(dialect, table, 'ends as given')}
  ), answered as (${insertResponses(dialect, 3, keptBy('run_id'))}
  ), told as (${insertCallbacksOf(dialect, 4, keptBy('run_id'))}
  ), counted as (${countOutcomesOf(OURS)}
  ), timed as (${countDurationsOf(OURS)}
  ) ${table === 'jobs' ? retried(dialect) : ''}
  select * from ended`,
  ),
);

export const endRuns: Procedure<PackedSettlements, EndedRow[]> = {
  name: 'end-runs',
  isOneStatement: true,
  run(runner, dialect, { table, nodeId, ends, responses, callbacks, copies }) {
    const parameters = [ends, nodeId, responses, callbacks];
    if (table === 'jobs') parameters.push(copies);
    return runHot(runner, dialect, END[table], parameters);
  },
};
