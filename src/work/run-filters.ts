import { isId } from '#domain/ids';
import { MOST_RUN_FILTERS, readKeptQuery, RUN_FILTER_CHARACTERS } from '#domain/run-filter';
import type { RunFilter } from '#store/lists/run-filters';
import type { Store } from '#store/store';

export type { RunFilter };

export type RunFilterOutcome =
  | { kind: 'saved'; filter: RunFilter; isNew: boolean }
  | { kind: 'not-found' }
  /** What is wrong with `name` or with `query`, in a sentence. */
  | { kind: 'refused'; field: 'name' | 'query'; error: string };

/** Filters of the list of runs that a team keeps under a name (§3.10). */
export interface RunFilterWork {
  /** By name. */
  listRunFilters(teamId: string): Promise<RunFilter[]>;
  /**
   * In the place of the one of that name, if there is one.
   *
   * @param query  of an address of the page; what is no filter of it is left out, and times are too
   */
  saveRunFilter(teamId: string, name: string, query: string): Promise<RunFilterOutcome>;
  renameRunFilter(teamId: string, id: string, name: string): Promise<RunFilterOutcome>;
  /** False: no such filter. */
  deleteRunFilter(teamId: string, id: string): Promise<boolean>;
}

const TEXTS = {
  nameRequired: 'A name for the filter is required.',
  nameLong: `The name must not be greater than ${RUN_FILTER_CHARACTERS} characters.`,
  nameTaken: 'The team has a filter of that name already.',
  query: 'There is nothing to save: narrow the list by more than times first.',
  tooMany: `A team keeps at most ${MOST_RUN_FILTERS} filters. Delete one first.`,
} as const;

export function createRunFilterWork({ runFilters, clock }: Store): RunFilterWork {
  return {
    listRunFilters: (teamId) => runFilters.list(teamId),
    saveRunFilter: async (teamId, name, given) => {
      const query = readKeptQuery(new URLSearchParams(given));
      const error = findWrongName(name);
      if (error !== null) return refuse('name', error);
      if (query === null) return refuse('query', TEXTS.query);
      const saved = await runFilters.save(teamId, { name, query }, clock.now());
      return saved === null ? refuse('query', TEXTS.tooMany) : { kind: 'saved', ...saved };
    },
    renameRunFilter: async (teamId, id, name) => {
      const error = findWrongName(name);
      if (error !== null) return refuse('name', error);
      if (!isId(id)) return { kind: 'not-found' };
      const kind = await runFilters.rename(teamId, id, name);
      if (kind === 'name-taken') return refuse('name', TEXTS.nameTaken);
      const filter = (await runFilters.list(teamId)).find((each) => each.id === id);
      if (kind === 'not-found' || !filter) return { kind: 'not-found' };
      return { kind: 'saved', filter, isNew: false };
    },
    deleteRunFilter: async (teamId, id) => isId(id) && runFilters.delete(teamId, id),
  };
}

function refuse(field: 'name' | 'query', error: string): RunFilterOutcome {
  return { kind: 'refused', field, error };
}

/** What is wrong with a name, in a sentence; null for nothing. */
export function findWrongName(name: string): string | null {
  if (name.trim() === '' || /\p{Cc}/u.test(name) || !name.isWellFormed()) return TEXTS.nameRequired;
  return Array.from(name).length > RUN_FILTER_CHARACTERS ? TEXTS.nameLong : null;
}
