import { isId } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import type { Store } from '#store/store';

export type Found =
  | { kind: 'cron'; id: string; name: string; isActive: boolean }
  | { kind: 'queue'; id: string; name: string; isPaused: boolean }
  | { kind: 'job'; id: string; queue: string }
  | { kind: 'run'; id: string; cronName: string };

const MOST_OF_A_KIND = 8;
/** The end of an id, as pages show it. */
const SHORT_ID = /^[0-9a-f]{8}$/;
/** Names have no more. */
const MOST_WORDS = 8;
const MOST_CHARACTERS = LIMITS.nameCharacters;

export function createFindWork({ crons, jobs, lists, queues }: Store) {
  /** As pages shorten ids. */
  const findByEnd = async (teamId: string, end: string): Promise<Found[]> => {
    if (!SHORT_ID.test(end)) return [];
    const limit = MOST_OF_A_KIND;
    const [ofJobs, ofCrons] = await Promise.all([
      lists.listJobs(teamId, { tab: 'all', words: end }, { limit }),
      lists.listRuns(teamId, { kind: 'execution', words: end }, { limit }),
    ]);
    const isIt = ({ id }: { id: string }) => id.endsWith(end);
    return [
      ...ofJobs.rows.filter(isIt).map(({ id, queue }) => ({ kind: 'job', id, queue }) as const),
      ...ofCrons.rows
        .filter(isIt)
        .map(({ id, sourceName }) => ({ kind: 'run', id, cronName: sourceName }) as const),
    ];
  };
  return {
    /** In alphabetical order; without `of`, those of crons and queues. */
    listTags: async (teamId: string, of?: 'crons' | 'queues') => {
      const kinds = of ? [of] : (['crons', 'queues'] as const);
      const tags = await Promise.all(kinds.map((kind) => lists.listTags(teamId, kind)));
      return [...new Set(tags.flat())].toSorted();
    },
    /** An id of another team finds nothing. */
    findById: async (teamId: string, text: string): Promise<Found | null> => {
      const id = text.toLowerCase();
      if (!isId(id)) return null;
      const [cron, queue, job, run] = await Promise.all([
        crons.find(teamId, id),
        queues.find(teamId, id),
        jobs.find(teamId, id),
        crons.findExecution(teamId, id),
      ]);
      if (cron) return { kind: 'cron', id, name: cron.name, isActive: cron.isActive };
      if (queue) return { kind: 'queue', id, name: queue.name, isPaused: queue.isPaused };
      if (job) return { kind: 'job', id, queue: job.queue };
      const of = run && (await crons.find(teamId, run.cronId));
      return of ? { kind: 'run', id, cronName: of.name } : null;
    },
    /** Every word must occur; most similar names first, a few of each kind. */
    findByWords: async (teamId: string, text: string): Promise<Found[]> => {
      const words = readWords(text);
      if (words.length === 0) return [];
      const [runs, foundCrons, allQueues] = await Promise.all([
        findByEnd(teamId, text.trim().toLowerCase()),
        lists.findCrons(teamId, words, MOST_OF_A_KIND),
        queues.list(teamId),
      ]);
      const alike = allQueues
        .filter(({ name, id }) => includesAll(`${name} ${id}`, words))
        .toSorted((a, b) => distanceOf(a.name, words) - distanceOf(b.name, words))
        .slice(0, MOST_OF_A_KIND);
      return [
        ...runs,
        ...foundCrons.map((cron) => Object.assign(cron, { kind: 'cron' } as const)),
        ...alike.map(({ id, name, isPaused }) => ({ kind: 'queue', id, name, isPaused }) as const),
      ];
    },
  };
}

function readWords(text: string): string[] {
  const words = text.slice(0, MOST_CHARACTERS).trim().split(/\s+/);
  return words.filter((word) => word !== '').slice(0, MOST_WORDS);
}

function includesAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word.toLowerCase()));
}

/** In the order of the store's `findCrons`. */
function distanceOf(name: string, words: readonly string[]): number {
  const [lower, typed] = [name.toLowerCase(), words.join(' ').toLowerCase()];
  if (lower === typed) return 0;
  if (lower.startsWith(typed)) return 1;
  return lower.includes(typed) ? 2 : 3;
}
