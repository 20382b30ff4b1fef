import { isId } from '#domain/base/ids';
import { MOST_TAGS } from '#domain/team/tags';
import type { Cron } from '#store/crons/crons';
import { bind } from '#store/database/context';
import type { Store } from '#store/store';
import { createCronWork } from './crons.ts';
import { muteCron, unmuteCron } from './mutes.ts';
import { listSources, type SourceSearch } from './sources.ts';

export type CronAct = 'start' | 'pause' | 'run' | 'delete';

export type CronsChosen = { ids: readonly string[] } | { search: SourceSearch };

export interface CronsActed {
  done: { id: string; name: string }[];
  /** Reasons follow the cron's name. */
  unchanged: { id: string; name: string; why: string }[];
  /** Too many, or it took too long; the rest was not touched. */
  hasMore: boolean;
}

export type CronChange =
  | { kind: 'done'; changed: Cron }
  | { kind: 'not-found' }
  /** Follows the cron's name. */
  | { kind: 'unchanged'; why: string };

const MOST_CRONS_AT_ONCE = 1_000;
const MOST_MS = 20_000;

export function createCronActions(store: Store) {
  const { findCron } = createCronWork(store);
  /** Unless `change` gives a reason not to. */
  const changeOne = async (
    teamId: string,
    cronId: string,
    change: (cron: Cron) => Promise<string | null>,
  ): Promise<CronChange> => {
    const cron = await findCron(teamId, cronId);
    if (cron === null) return { kind: 'not-found' };
    const why = await change(cron);
    if (why !== null) return { kind: 'unchanged', why };
    const changed = await findCron(teamId, cronId);
    return changed ? { kind: 'done', changed } : { kind: 'not-found' };
  };
  return {
    ...bind(store, { actOnCrons }),
    /** Within `MUTE_HOURS`. Runs and streaks continue. */
    muteCron: (teamId: string, cronId: string, hours: number) =>
      changeOne(teamId, cronId, (cron) => muteCron(store, cron, hours)),
    unmuteCron: (teamId: string, cronId: string) =>
      changeOne(teamId, cronId, (cron) => unmuteCron(store, cron)),
    /** @param tag as `readTag` gives it (§2.13) */
    addCronTag: (teamId: string, cronId: string, tag: string) =>
      changeOne(teamId, cronId, async ({ tags }) => {
        if (tags.includes(tag)) return 'it had the tag already';
        if (tags.length >= MOST_TAGS) return `it has ${MOST_TAGS} tags already`;
        // Another person may have added tags meanwhile.
        await store.crons.setTags(teamId, cronId, (now) => [...now, tag].slice(0, MOST_TAGS));
        return null;
      }),
    removeCronTag: (teamId: string, cronId: string, tag: string) =>
      changeOne(teamId, cronId, async ({ tags }) => {
        if (!tags.includes(tag)) return 'it did not have the tag';
        await store.crons.setTags(teamId, cronId, (now) => now.filter((each) => each !== tag));
        return null;
      }),
  };
}

/** At most 1,000 crons, for at most 20 seconds. */
async function actOnCrons(
  store: Store,
  teamId: string,
  act: CronAct,
  chosen: CronsChosen,
  actor: string | null = null,
): Promise<CronsActed> {
  const { crons, clock } = store;
  const work = createCronWork(store);
  const ids =
    'ids' in chosen
      ? [...new Set(chosen.ids.filter(isId))]
      : (await listSources(store, teamId, 'cron', chosen.search)).map(({ id }) => id);
  const acted: CronsActed = { done: [], unchanged: [], hasMore: ids.length > MOST_CRONS_AT_ONCE };
  const actions = {
    start: (id: string) => work.startCron(teamId, id),
    pause: (id: string) => work.pauseCron(teamId, id),
    run: (id: string) => work.runCronNow(teamId, id, actor),
    delete: (id: string) => work.deleteCron(teamId, id),
  };
  const untilMs = clock.monotonicMs() + MOST_MS;
  for (const id of ids.slice(0, MOST_CRONS_AT_ONCE)) {
    if (clock.monotonicMs() > untilMs) {
      acted.hasMore = true;
      break;
    }
    const cron = await crons.find(teamId, id);
    if (cron === null) continue;
    const named = { id, name: cron.name };
    const why = explain(cron, act) ?? ((await actions[act](id)) ? null : 'it is no longer here');
    if (why === null) acted.done.push(named);
    else acted.unchanged.push({ ...named, why });
  }
  return acted;
}

/** Why the action changes nothing; null: it does. */
function explain({ isActive }: Cron, act: CronAct): string | null {
  if (act === 'start' && isActive) return 'it was active already';
  return act === 'pause' && !isActive ? 'it was paused already' : null;
}
