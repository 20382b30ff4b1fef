import type { ActivityEntry, Doer } from '#domain/activity';
import type { HeaderList } from '#domain/exchange';
import type { Log } from '#domain/log';
import { NotAllowed } from '#domain/not-allowed';
import type { Store } from '#store/store';
import { withMasks } from './run-detail.ts';
import { type Method, type Need, type Verb, VERBS } from './verbs.ts';
import type { Work } from './work.ts';

export interface Acting {
  doer: Doer;
  /** Its name as the maker of runs (domain/actors.ts). */
  actor: string;
  may: (need: Need) => boolean;
  log: Pick<Log, 'error'>;
}

type Act = (teamId: string, ...given: unknown[]) => Promise<unknown>;
interface AnyVerb extends Pick<Verb<Method>, 'needs' | 'hides' | 'actorAt'> {
  check?: (work: Work, teamId: string, ...given: unknown[]) => void | Promise<void>;
  entries?: (
    result: unknown,
    teamId: string,
    ...given: unknown[]
  ) => ActivityEntry | ActivityEntry[] | null;
  prepare?: (
    work: Work,
    teamId: string,
    ...given: unknown[]
  ) => Promise<(result: unknown) => ActivityEntry | ActivityEntry[] | null>;
}

/**
 * A method that the role does not allow throws NotAllowed. Every change is recorded right after it; if that fails, the
 * change stays and the log says so.
 */
export function workFor(work: Work, acting: Acting, store: Store): Work {
  const methods = Object.keys(VERBS).map((name) => [
    name,
    limit(work, name as Method, acting, store),
  ]);
  return {
    ...work,
    ...(Object.fromEntries(methods) as Pick<Work, Method>),
    // No way leads from the work of one role to that of a higher one.
    for: (next) => {
      const may = (need: Need) => acting.may(need) && next.may(need);
      return workFor(work, { ...next, may }, store);
    },
  };
}

function limit(work: Work, name: Method, { doer, actor, may, log }: Acting, store: Store): Act {
  const { needs, check, entries, prepare, hides, actorAt } = VERBS[name] as AnyVerb;
  const act = nameActor(work[name] as Act, actorAt, actor);
  if (!may(needs)) return () => Promise.reject(new NotAllowed(`not allowed for the role: ${name}`));
  if (hides && !may('work')) return hide(act, hides, work);
  if (!check && !entries && !prepare) return act;
  return async (teamId, ...given) => {
    if (!may('notifications')) await check?.(work, teamId, ...given);
    const makeEntries = await prepare?.(work, teamId, ...given);
    const result = await act(teamId, ...given);
    const recorded = [
      (makeEntries ? makeEntries(result) : entries?.(result, teamId, ...given)) ?? [],
    ].flat();
    try {
      if (recorded.length > 0)
        await store.activity.record(teamId, doer, recorded, store.clock.now());
    } catch (error) {
      log.error('activity.not-recorded', { what: name, error: (error as Error).message });
    }
    return result;
  };
}

/** Sets it whatever the caller gave. */
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
