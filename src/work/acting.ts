import type { ActivityEntry, Doer } from '#domain/team/activity';
import type { HeaderList } from '#domain/http/exchange';
import type { Log } from '#domain/base/log';
import type { Mask } from '#domain/runs/masking';
import { NotAllowed } from '#domain/http/not-allowed';
import type { Store } from '#store/store';
import { maskDeep } from './masking.ts';
import { type ShowOptions, withMasks } from './run-detail.ts';
import type { Before, Entries, MaybePromise, Method, Need } from './verbs.ts';
import { type Verb, VERBS } from './verbs.ts';
import type { Work } from './work.ts';

export interface Acting {
  doer: Doer;
  /** Its name as the maker of runs (domain/team/actors.ts). */
  actor: string;
  may: (need: Need) => boolean;
  /** Nothing is masked. */
  seesMasked?: true;
  log: Pick<Log, 'error'>;
}

type Act = (teamId: string, ...given: unknown[]) => Promise<unknown>;
interface AnyVerb extends Pick<
  Verb<Method>,
  'needs' | 'hides' | 'actorAt' | 'isMasked' | 'recordsAfterMs'
> {
  entries?: (result: unknown, ...given: unknown[]) => Entries;
  prepare?: (before: Before, ...given: unknown[]) => MaybePromise<(result: unknown) => Entries>;
}

/**
 * Throws NotAllowed if the role does not allow the method. Every change is recorded right after it; if that fails, the
 * change stays and the fault is logged. Secrets are only shown once that is recorded.
 */
export function workFor(work: Work, acting: Acting, tools: ActingTools): Work {
  const methods = Object.keys(VERBS).map((name) => [
    name,
    limit(work, name as Method, acting, tools),
  ]);
  return {
    ...work,
    ...(Object.fromEntries(methods) as Pick<Work, Method>),
    // The work of one role leads to no higher one.
    for: (next) => {
      const may = (need: Need) => acting.may(need) && next.may(need);
      return workFor(work, { ...next, may }, tools);
    },
  };
}

interface ActingTools {
  store: Store;
  readMask: (teamId: string) => Promise<Mask>;
}

function limit(work: Work, name: Method, acting: Acting, tools: ActingTools): Act {
  const { actor, may, seesMasked } = acting;
  const verb = VERBS[name] as AnyVerb;
  const { needs, hides, actorAt, isMasked = needs === 'look' } = verb;
  const act = nameActor(work[name] as Act, actorAt, actor);
  if (!may(needs)) return () => Promise.reject(new NotAllowed(`not allowed for the role: ${name}`));
  if (hides && !may('work')) return masked(hide(act, hides, work), tools);
  const recording = recorded(work, name, act, acting, tools.store);
  if (!isMasked || seesMasked === true) return recording;
  const masking = masked(recording, tools);
  if (!hides) return masking;
  return (...given) => (showsSecrets(given[2]) ? recording(...given) : masking(...given));
}

const showsSecrets = (options: unknown) =>
  typeof options === 'object' && options !== null && (options as ShowOptions).showSecrets === true;

function masked(act: Act, { readMask }: ActingTools): Act {
  return async (teamId, ...given) => {
    const [result, mask] = await Promise.all([act(teamId, ...given), readMask(teamId)]);
    return maskDeep(result, mask);
  };
}

function recorded(
  work: Work,
  name: Method,
  act: Act,
  { doer, may, log }: Acting,
  store: Store,
): Act {
  const { entries, prepare, recordsAfterMs } = VERBS[name] as AnyVerb;
  if (!entries && !prepare) return act;
  return async (teamId, ...given) => {
    const before = { work, isAdmin: may('notifications') };
    const makeEntries = await prepare?.(before, teamId, ...given);
    const result = await act(teamId, ...given);
    const made = [
      (makeEntries ? makeEntries(result) : entries?.(result, teamId, ...given)) ?? [],
    ].flat();
    const now = store.clock.now();
    try {
      const [first] = made;
      if (!first) return result;
      const times = recordsAfterMs !== undefined && { from: now - recordsAfterMs, to: now + 1 };
      if (!times || !(await isRecorded(store, teamId, doer, first, times)))
        await store.activity.record(teamId, doer, made, now);
    } catch (error) {
      if (recordsAfterMs !== undefined) throw error;
      log.error('activity.not-recorded', { what: name, error: (error as Error).message });
    }
    return result;
  };
}

async function isRecorded(
  { activity }: Store,
  teamId: string,
  doer: Doer,
  { action, subject }: ActivityEntry,
  times: { from: number; to: number },
): Promise<boolean> {
  const actorId = typeof doer === 'string' ? doer : doer.userId;
  const of = { actorId, actions: [action], ...(subject && { subjectId: subject.id }) };
  return (await activity.list(teamId, { ...of, ...times, limit: 1 })).length > 0;
}

/** Replaces the actor that the caller gave by the acting person's name. */
function nameActor(act: Act, at: number | undefined, actor: string): Act {
  if (at === undefined) return act;
  return (...given) => {
    const named = [...given] as Parameters<Act>;
    named[at] = actor;
    return act(...named);
  };
}

function hide(act: Act, hides: 'headers' | 'secrets', { isSecretHeader }: Work): Act {
  if (hides === 'secrets') {
    return (teamId, id, options) => act(teamId, id, { ...(options as object), showSecrets: false });
  }
  const mask = (thing: { headers: HeaderList }) => ({
    ...thing,
    headers: withMasks(thing.headers, { isSecretHeader, showSecrets: false }),
  });
  return async (...given) => {
    const result = (await act(...given)) as Headed | Headed[] | null;
    return Array.isArray(result) ? result.map(mask) : result && mask(result);
  };
}

type Headed = { headers: HeaderList };
