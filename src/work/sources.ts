import { type Health, judgeHealth, rankHealth, type Streak } from '#domain/alerts/health';
import { isId } from '#domain/base/ids';
import { findMutingWindow, findPauseEnd } from '#domain/team/maintenance';
import type { BoundedCount } from '#store/database/bounded-count';
import type { SourceKind, SourcesAsked } from '#store/lists/lists';
import type { RunResult } from '#store/lists/recent-results';
import type { Store } from '#store/store';
import { boundPage } from './list-limit.ts';

export type { RunResult, Streak };

export interface SourceHealth {
  health: Health;
  /** One that fails may be muted, too. */
  isMuted: boolean;
  streak: Streak | null;
}

export interface DeletionScope {
  waiting: BoundedCount;
  running: number;
  finished: BoundedCount;
}

/** All given conditions must hold. */
export interface SourceSearch extends Pick<SourcesAsked, 'text' | 'tag'> {
  health?: Health;
}

export interface JudgedSource {
  id: string;
  name: string;
  health: Health;
  isMuted: boolean;
  /** It, or its team, or by a maintenance window. */
  isPaused: boolean;
  nextAt: number | null;
}

/** First failing, then late, then the others; each part by name. */
export async function listSources(
  { lists, teamPauses, windows, clock }: Store,
  teamId: string,
  kind: SourceKind,
  { health, ...asked }: SourceSearch & Pick<SourcesAsked, 'id' | 'withRunning'> = {},
): Promise<JudgedSource[]> {
  const now = clock.now();
  const [states, pause, known] = await Promise.all([
    lists.listSourceStates(teamId, kind, asked),
    teamPauses.read(teamId),
    windows.list(teamId),
  ]);
  const pausing = known.filter(({ pausesRuns }) => pausesRuns);
  const sources = states.map(({ id, name, nextAt, ...state }) => {
    const isInPause = pause !== null || findPauseEnd(pausing, { kind, id }, now) !== null;
    const isPaused = state.isPaused || isInPause;
    const isMuted = findMutingWindow(known, { kind, id }, now) !== null;
    // One that failures stopped is not at rest: a person has to start it.
    const isAtRest = isPaused && (isInPause || !state.isFailing);
    const facts = { ...state, isPaused: isAtRest, isMuted, nextAt };
    return { id, name, isPaused, isMuted, nextAt, health: judgeHealth(facts, now) };
  });
  return sources
    .filter((source) => health === undefined || source.health === health)
    .toSorted((one, other) => comparePlaces(placeOf(one), placeOf(other)));
}

type RowsAsked = SourceSearch & { cursor?: string; limit?: number };

/** Failing, then late, then all others by name. Cursor and limit as for `listRuns`. */
export function createSourcePages<Row>(
  store: Store,
  kind: SourceKind,
  rowsOf: (store: Store, teamId: string, sources: readonly JudgedSource[]) => Promise<Row[]>,
) {
  return {
    list: async (teamId: string, { cursor, limit, ...search }: RowsAsked = {}) => {
      const sources = await listSources(store, teamId, kind, search);
      const { items, ...others } = pageOf(sources, cursor, boundPage(limit));
      return { ...others, rows: await rowsOf(store, teamId, items) };
    },
    read: async (teamId: string, id: string) => {
      if (!isId(id)) return null;
      const sources = await listSources(store, teamId, kind, { id });
      return (await rowsOf(store, teamId, sources))[0] ?? null;
    },
  };
}

/** Where an item was in the list. Since then it may have been deleted or renamed, or its health may have changed. */
interface Place {
  rank: number;
  name: string;
  id: string;
}

const placeOf = ({ health, name, id }: JudgedSource): Place => ({
  rank: rankHealth(health),
  name,
  id,
});

/** Databases sort by different rules, so theirs can't be repeated here. */
const { compare: compareNames } = new Intl.Collator('en');

function comparePlaces(one: Place, other: Place): number {
  const byName = one.rank - other.rank || compareNames(one.name, other.name);
  return byName || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function writeCursor(way: 'n' | 'p', { rank, id, name }: Place): string {
  return `${way}${rank}.${id}.${name}`;
}

/** Null for an invalid text: the list then starts at its beginning. */
function readCursor(text = ''): { way: string; place: Place } | null {
  const [, way = '', rank, id = '', name = ''] =
    /^([np])(\d)\.([0-9a-f-]{36})\.(.*)$/s.exec(text) ?? [];
  return rank === undefined ? null : { way, place: { rank: Number(rank), name, id } };
}

/** After or before a place, whose item may be gone. No page is empty as long as there are items. */
function pageOf(sorted: readonly JudgedSource[], text: string | undefined, most: number) {
  const cursor = readCursor(text);
  const orders = sorted.map((item) => (cursor ? comparePlaces(placeOf(item), cursor.place) : 1));
  const before = orders.filter((order) => order < 0).length;
  const behind = orders.filter((order) => order > 0).length;
  const isBack = cursor?.way === 'p';
  const from = Math.max(0, isBack ? before - most : sorted.length - (behind || most));
  const items = sorted.slice(from, from + most);
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    next: last && from + most < sorted.length ? writeCursor('n', placeOf(last)) : null,
    previous: first && from > 0 ? writeCursor('p', placeOf(first)) : null,
  };
}

export function readStreaksOf(
  { lists }: Store,
  kind: SourceKind,
  sources: readonly JudgedSource[],
) {
  const failing = sources.filter(({ health }) => health === 'failing');
  return lists.readStreaks(
    kind,
    failing.map(({ id }) => id),
  );
}
