import type { Trx } from './database.ts';
import type { DialectName, Fields } from './dialect.ts';
import { packRows, unpackRows } from './dialect.ts';
import { briefly } from './held-rows.ts';
import { hotStatement, runHot } from './hot.ts';

/**
 * Callbacks that a node has taken to send (§6.1): claimed, sent, deleted. They lie apart from those that wait, so
 * a version that knows nothing of them cannot take one twice. Only those of a node that died while it had them are
 * given up, since they may have been sent.
 */

const TAKEN = { team_id: 'id', id: 'id' } as const satisfies Fields;

const forgetSent = hotStatement<never>(
  'forget-sent-callbacks',
  (dialect) => `
  delete from callbacks_under_way where node_id = ${dialect === 'postgres' ? '$2' : '?2'}
    and (team_id, id) in (select team_id, id from ${unpackRows(dialect, TAKEN, 1)} ${briefly(dialect)})`,
);

/** Deletes callbacks that were sent. */
export async function forgetSentCallbacks(
  trx: Trx,
  dialect: DialectName,
  nodeId: string,
  sent: readonly { teamId: string; id: string }[],
): Promise<void> {
  const rows = sent.map(({ teamId, id }) => ({ team_id: teamId, id }));
  await runHot(trx, dialect, forgetSent, [packRows(TAKEN, rows), nodeId]);
}

/** Gives up what dead nodes may have sent. */
export async function dropCallbacksUnderWay(trx: Trx, nodeIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('callbacks_under_way').where('node_id', 'in', nodeIds).execute();
}

/** Lets wait again what a node has taken without its knowing: the answer to its claim was lost. */
export async function returnCallbacks(trx: Trx, nodeId: string, known: ReadonlySet<string>) {
  const taken = await trx
    .selectFrom('callbacks_under_way')
    .selectAll()
    .where('node_id', '=', nodeId)
    .execute();
  const returned = [];
  for (const { node_id: _, ...callback } of taken.filter(({ id }) => !known.has(id))) {
    const gone = await trx
      .deleteFrom('callbacks_under_way')
      .where('node_id', '=', nodeId)
      .where('team_id', '=', callback.team_id)
      .where('id', '=', callback.id)
      .returning('id')
      .execute();
    // Sent and forgotten since the look: it may not wait again.
    if (gone.length === 0) continue;
    await trx.insertInto('callbacks').values(callback).execute();
    returned.push(callback);
  }
  return returned;
}
