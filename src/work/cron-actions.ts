import { isId } from '#domain/base/ids';
import { HOUR_MS } from '#domain/base/instant';
import {
  coversSource,
  findMutingWindow,
  isInsideWindow,
  type AlertSource,
} from '#domain/team/maintenance';
import type { ActivityAction } from '#domain/team/activity';
import type { StoredWindow } from '#store/alerts/windows';
import { MOST_TAGS } from '#domain/team/tags';
import type { Cron } from '#store/crons/crons';
import { bind } from '#store/database/context';
import type { Store } from '#store/store';
import { anybody, type Doing, type DoingContext } from './acting.ts';
import { createCronWork } from './crons.ts';
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

const ACTIONS = {
  start: 'cron.started',
  pause: 'cron.paused',
  run: 'cron.run',
  delete: 'cron.deleted',
} as const;

const MOST_CRONS_AT_ONCE = 1_000;
const MOST_MS = 20_000;
/** A new mute must end at least this much later than a present one. */
const LONGER_BY_MS = 60_000;

/** Hours. A forgotten mute would hide failures. */
export const MUTE_HOURS = { least: 1, most: 720 } as const;

export function createCronActions(store: Store, doing: Doing) {
  const { findCron } = createCronWork(store);
  /** Unless `change` gives a reason not to. */
  const changeOne = async (
    teamId: string,
    cronId: string,
    action: ActivityAction,
    change: (cron: Cron) => Promise<string | null>,
  ): Promise<CronChange> => {
    const cron = await findCron(teamId, cronId);
    if (cron === null) return { kind: 'not-found' };
    const why = await change(cron);
    if (why !== null) return { kind: 'unchanged', why };
    const detail = action === 'cron.edited' ? 'tags' : undefined;
    const cronNow = await findCron(teamId, cronId);
    const changed = await doing.recorded(teamId, action, cronNow, () => detail);
    return changed ? { kind: 'done', changed } : { kind: 'not-found' };
  };
  return {
    ...bind({ store, doing }, { actOnCrons }),
    /** Within `MUTE_HOURS`. Runs and streaks continue. */
    muteCron: (teamId: string, cronId: string, hours: number) =>
      changeOne(teamId, cronId, 'cron.muted', (cron) => muteCron(store, cron, hours)),
    unmuteCron: (teamId: string, cronId: string) =>
      changeOne(teamId, cronId, 'cron.unmuted', (cron) => unmuteCron(store, cron)),
    /** @param tag as `readTag` gives it (§2.13) */
    addCronTag: (teamId: string, cronId: string, tag: string) =>
      changeOne(teamId, cronId, 'cron.edited', async ({ tags }) => {
        if (tags.includes(tag)) return 'it had the tag already';
        if (tags.length >= MOST_TAGS) return `it has ${MOST_TAGS} tags already`;
        // Another person may have added tags meanwhile.
        await store.crons.setTags(teamId, cronId, (now) => [...now, tag].slice(0, MOST_TAGS));
        return null;
      }),
    removeCronTag: (teamId: string, cronId: string, tag: string) =>
      changeOne(teamId, cronId, 'cron.edited', async ({ tags }) => {
        if (!tags.includes(tag)) return 'it did not have the tag';
        await store.crons.setTags(teamId, cronId, (now) => now.filter((each) => each !== tag));
        return null;
      }),
  };
}

/** At most 1,000 crons, for at most 20 seconds. */
async function actOnCrons(
  { store, doing }: DoingContext,
  teamId: string,
  act: CronAct,
  chosen: CronsChosen,
): Promise<CronsActed> {
  const { crons, clock } = store;
  // All are recorded together.
  const work = createCronWork(store, anybody(doing.actor));
  const ids =
    'ids' in chosen
      ? [...new Set(chosen.ids.filter(isId))]
      : (await listSources(store, teamId, 'cron', chosen.search)).map(({ id }) => id);
  const acted: CronsActed = { done: [], unchanged: [], hasMore: ids.length > MOST_CRONS_AT_ONCE };
  const actions = {
    start: (id: string) => work.startCron(teamId, id),
    pause: (id: string) => work.pauseCron(teamId, id),
    run: (id: string) => work.runCronNow(teamId, id),
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
  await doing.record(teamId, ...acted.done.map((subject) => ({ action: ACTIONS[act], subject })));
  return acted;
}

/** Why the action changes nothing; null: it does. */
function explain({ isActive }: Cron, act: CronAct): string | null {
  if (act === 'start' && isActive) return 'it was active already';
  return act === 'pause' && !isActive ? 'it was paused already' : null;
}

/**
 * By a maintenance window (§6.6), so its end notifies of a failing cron. @returns the reason why not, following its
 * name; null: done
 */
async function muteCron(
  { windows, clock }: Store,
  { teamId, id, name }: Cron,
  hours: number,
): Promise<string | null> {
  const now = clock.now();
  const endsAt = now + hours * HOUR_MS;
  const known = await windows.list(teamId);
  const longer = known.filter(
    (window) => !window.isWeekly && window.endsAt > endsAt - LONGER_BY_MS,
  );
  const by = findMutingWindow(longer, source(id), now);
  if (by) return `it is muted for as long or longer by the maintenance window “${by.name}”`;
  const settings = { startsAt: now, endsAt, isWeekly: false, covers: [source(id)] };
  const made = await windows.create(teamId, { ...settings, name: nameAt(now, name) }, now);
  return made ? null : 'the team has as many maintenance windows as it may have';
}

/** @returns the reason why not, following its name; null: done */
async function unmuteCron({ windows, clock }: Store, { teamId, id }: Cron): Promise<string | null> {
  const now = clock.now();
  const known = await windows.list(teamId);
  const muting = known.filter(
    (each) => isInsideWindow(each, now) && coversSource(each, source(id)),
  );
  if (muting.length === 0) return 'it was not muted';
  const stays = muting.find((window) => !isOwn(window));
  if (stays) return `the maintenance window “${stays.name}” mutes more than chosen crons`;
  await windows.uncover(teamId, source(id));
  return null;
}

const source = (id: string): AlertSource => ({ kind: 'cron', id });

/** Not a weekly window, nor one of the whole team. */
function isOwn({ isWeekly, covers }: StoredWindow): boolean {
  return !isWeekly && covers !== 'team';
}

const NAME_CHARACTERS = 200;

/** Contains the time, because a team's file identifies windows by their names. */
function nameAt(now: number, name: string): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  return `${Array.from(name).slice(0, NAME_CHARACTERS).join('')}, muted at ${time}`;
}
