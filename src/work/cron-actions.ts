import type { HeaderList } from '#domain/exchange';
import { isId } from '#domain/ids';
import { readTopLevelFields } from '#domain/json-text';
import { MOST_TAGS } from '#domain/tags';
import type { Cron } from '#store/crons/crons';
import type { Store } from '#store/store';
import type { CronSearch } from './cron-contract.ts';
import type { CronWork } from './crons.ts';
import { Findings } from './fields.ts';
import { readHeaders } from './header-input.ts';
import { type CronMutes, openMutes } from './mutes.ts';

/** An action on many crons. */
export type CronAct =
  | { kind: 'start' | 'pause' | 'run' | 'delete' | 'unmute' }
  /** A tag in its stored form, as `readTag` gives it (§2.13). */
  | { kind: 'add-tag' | 'remove-tag'; tag: string }
  /** Mutes the crons for a number of hours within `MUTE_HOURS`: no notices. Runs and streaks continue. */
  | { kind: 'mute'; hours: number }
  | {
      kind: 'header';
      name: string;
      value: string;
      /** True: crons without this header are left unchanged. */
      onlyWhereSet: boolean;
    };

export type CronsChosen = { ids: readonly string[] } | { search: CronSearch };

export interface CronsActed {
  done: { id: string; name: string }[];
  /** The crons that were not changed, each with the reason in words that follow its name. */
  unchanged: { id: string; name: string; why: string }[];
  /** True: there are more crons than one call handles, or it took too long; the rest was not touched. */
  hasMore: boolean;
}

export interface CronActions {
  /** At most 1,000 crons, and for at most 20 seconds. A header has to pass `checkHeaders` first. */
  actOnCrons(teamId: string, act: CronAct, chosen: CronsChosen): Promise<CronsActed>;
}

export const MOST_CRONS_AT_ONCE = 1_000;
const MOST_MS = 20_000;

export function createCronActions(store: Store, work: CronWork): CronActions {
  return { actOnCrons: (teamId, act, chosen) => actOnCrons(store, work, { teamId, act, chosen }) };
}

async function actOnCrons(
  store: Store,
  work: CronWork,
  { teamId, act, chosen }: { teamId: string; act: CronAct; chosen: CronsChosen },
): Promise<CronsActed> {
  const { crons, lists, clock } = store;
  const mutes = await openMutes(store, teamId, act.kind === 'mute' ? act.hours : 0);
  const ids =
    'ids' in chosen
      ? [...new Set(chosen.ids.filter(isId))]
      : await lists.listCronIds(teamId, { ...chosen.search, limit: MOST_CRONS_AT_ONCE });
  const acted: CronsActed = { done: [], unchanged: [], hasMore: ids.length > MOST_CRONS_AT_ONCE };
  const untilMs = clock.monotonicMs() + MOST_MS;
  for (const id of ids.slice(0, MOST_CRONS_AT_ONCE)) {
    if (clock.monotonicMs() > untilMs) {
      acted.hasMore = true;
      break;
    }
    const cron = await crons.find(teamId, id);
    if (cron === null) continue;
    const named = { id, name: cron.name };
    const why = refuseFor(cron, act, mutes) ?? (await actOnOne(work, cron, act, mutes));
    if (why === null) acted.done.push(named);
    else acted.unchanged.push({ ...named, why });
  }
  return act.kind === 'mute' ? muteTogether(acted, mutes) : acted;
}

/** Mutes all crons by one window, because the number of a team's windows is limited. */
async function muteTogether(acted: CronsActed, mutes: CronMutes): Promise<CronsActed> {
  if (acted.done.length === 0 || (await mutes.mute(acted.done))) return acted;
  const why = 'the team has as many maintenance windows as it may have';
  const refused = acted.done.map((named) => ({ ...named, why }));
  return { ...acted, done: [], unchanged: [...refused, ...acted.unchanged] };
}

const GONE = 'it is no longer here';

/** Why a cron is left unchanged; null: the action applies. */
function refuseFor(cron: Cron, act: CronAct, mutes: CronMutes): string | null {
  if (act.kind === 'start' && cron.isActive) return 'it was active already';
  if (act.kind === 'pause' && !cron.isActive) return 'it was paused already';
  if (act.kind === 'mute') return mutes.refuseMute(cron.id);
  if (act.kind === 'add-tag') {
    if (cron.tags.includes(act.tag)) return 'it had the tag already';
    return cron.tags.length >= MOST_TAGS ? `it has ${MOST_TAGS} tags already` : null;
  }
  if (act.kind === 'remove-tag')
    return cron.tags.includes(act.tag) ? null : 'it did not have the tag';
  if (act.kind !== 'header') return null;
  // Saving the readable part would lose the unreadable one.
  if (cron.unreadable !== null) return cron.unreadable;
  if (act.onlyWhereSet && !cron.headers.some(([name]) => isSame(name, act.name)))
    return `it has no header ${act.name}`;
  return checkHeaders(withHeader(cron.headers, act));
}

/** Applies the action to one cron. Gives why it failed; null: it is done. */
async function actOnOne(
  work: CronWork,
  cron: Cron,
  act: CronAct,
  mutes: CronMutes,
): Promise<string | null> {
  const { teamId, id } = cron;
  switch (act.kind) {
    case 'start':
      return (await work.startCron(teamId, id)) ? null : GONE;
    case 'pause':
      return (await work.pauseCron(teamId, id)) ? null : GONE;
    case 'run':
      return (await work.runCronNow(teamId, id)) ? null : GONE;
    case 'delete':
      return (await work.deleteCron(teamId, id)) ? null : GONE;
    case 'add-tag':
      // Based on the present tags, since another person may have added some meanwhile.
      return (await work.setCronTags(teamId, id, (tags) => withTag(tags, act.tag))) ? null : GONE;
    case 'remove-tag':
      return (await work.setCronTags(teamId, id, (tags) => tags.filter((tag) => tag !== act.tag)))
        ? null
        : GONE;
    case 'mute':
      return null;
    case 'unmute':
      return mutes.unmute(id);
    case 'header':
      return (await work.setCronHeaders(teamId, id, (headers) => withHeader(headers, act)))
        ? null
        : GONE;
  }
}

const withTag = (tags: readonly string[], tag: string) => [...tags, tag].slice(0, MOST_TAGS);

function withHeader(
  headers: HeaderList,
  { name, value }: { name: string; value: string },
): HeaderList {
  const kept = headers.filter(([each]) => !isSame(each, name));
  const at = headers.findIndex(([each]) => isSame(each, name));
  return at === -1 ? [...headers, [name, value]] : kept.toSpliced(at, 0, [name, value]);
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Checks headers by the rules of §2.10 and gives the errors in one line; null for none. */
export function checkHeaders(headers: HeaderList): string | null {
  const json = `{"headers":${JSON.stringify(Object.fromEntries(headers))}}`;
  const findings = new Findings();
  const fields = readTopLevelFields(json);
  readHeaders(fields ?? new Map(), findings);
  const reading = findings.settle(null);
  return reading.ok ? null : reading.errors.flatMap(([, texts]) => texts).join(' ');
}
