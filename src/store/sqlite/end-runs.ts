import { insertCallbackRows } from '../callbacks.ts';
import { insertCopyRows } from '../copy-jobs.ts';
import { addDurations } from '../durations.ts';
import { type HotStatement, hotStatement, runHot } from '../hot.ts';
import { addOutcomes } from '../outcomes.ts';
import type { Procedure } from '../procedure.ts';
import { ofEachTable } from '../run-tables.ts';
import {
  ENDED,
  type EndedRow,
  endRuns as endTable,
  insertResponses,
  NO_ROWS,
  type PackedSettlements,
} from '../settlement.ts';

const END = ofEachTable((table) =>
  hotStatement<EndedRow>(`end-${table}`, (dialect) =>
    endTable(dialect, table, dialect.rows(ENDED, 1)),
  ),
);

const insertResponseRows = hotStatement<never>('insert-responses', (dialect) =>
  insertResponses(dialect, 1),
);

/** No statement of SQLite changes several tables. */
export const endRuns: Procedure<PackedSettlements, EndedRow[]> = {
  name: 'end-runs',
  async run(runner, dialect, input) {
    const { table, nodeId, count } = input;
    const ended = await runHot(runner, dialect, END[table], [input.ends, nodeId]);
    const ids = new Set(ended.map(({ id }) => id));
    const kept = ended.length === count ? input : onlyOf(ids, input);
    const write = async (statement: HotStatement<never>, packed: string) => {
      if (packed !== NO_ROWS) await runHot(runner, dialect, statement, [packed]);
    };
    await write(insertResponseRows, kept.responses);
    await write(insertCopyRows, kept.copies);
    await write(insertCallbackRows, kept.callbacks);
    await write(addOutcomes, kept.ends);
    await write(addDurations, kept.ends);
    return ended;
  },
};

/** What is left of a batch when some of its runs are another node's by now: rare, so it may be unpacked for that. */
function onlyOf(ours: ReadonlySet<string>, input: PackedSettlements): PackedSettlements {
  const keep = (packed: string, key: string) => {
    const rows = JSON.parse(packed) as Record<string, string>[];
    return JSON.stringify(rows.filter((row) => ours.has(row[key] ?? '')));
  };
  return {
    ...input,
    ends: keep(input.ends, 'id'),
    responses: keep(input.responses, 'run_id'),
    copies: keep(input.copies, 'from_id'),
    callbacks: keep(input.callbacks, 'run_id'),
  };
}
