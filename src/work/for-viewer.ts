import type { HeaderList } from '#domain/exchange';
import { NotAllowed } from '#domain/not-allowed';
import type { Reading } from './deeds.ts';
import { withMasks } from './run-detail.ts';
import type { Work } from './work.ts';

/** The names of methods that only read; see `Reading`. */
const READING = /^(?:read|list|find|count|search|group|describe|is)[A-Z]/;

/** Methods that give secrets: how channels are reached. */
const SECRETS: readonly (keyof Work)[] = [
  'readChannelConfig',
  'listChannelSettings',
  'findChannelConfig',
];

type Headed = { headers: HeaderList };
type Gives<Name extends keyof Work> = Work[Name] extends (...given: never[]) => Promise<infer Came>
  ? Came
  : never;
/** Methods that give headers with their values. The compiler demands that each of them is listed here. */
type GivingHeaders = {
  [Name in Extract<keyof Work, Reading>]: NonNullable<Gives<Name>> extends Headed | Headed[]
    ? Name
    : never;
}[Extract<keyof Work, Reading>];
const HEADED: Record<GivingHeaders, true> = { findCron: true, findJob: true, listCrons: true };

/**
 * The same work for a viewer (§5.8): every method that does not read is refused, including methods that are added
 * later, and no secret is given, whether asked for or not.
 */
export function forViewer(work: Work): Work {
  const kept = Object.entries(work).map(([name, act]) => [name, limit(work, name, act as Act)]);
  return Object.fromEntries(kept) as Work;
}

type Act = (...given: unknown[]) => unknown;

function limit(work: Work, name: string, act: Act): Act {
  if (name === 'as' || name === 'asMember' || name === 'forViewer') return () => forViewer(work);
  if (!READING.test(name) || SECRETS.some((each) => each === name)) return refuse(name);
  if (name === 'readJobDetail' || name === 'readExecutionDetail') {
    return (teamId, id, options) => act(teamId, id, { ...(options as object), showSecrets: false });
  }
  if (!Object.hasOwn(HEADED, name)) return act;
  return async (...given) => mask(await act(...given), work);
}

function refuse(name: string): Act {
  return () => Promise.reject(new NotAllowed(`a viewer may not: ${name}`));
}

function mask(came: unknown, { isSecretHeader }: Work): unknown {
  if (Array.isArray(came)) return came.map((each) => maskOne(each as Headed, isSecretHeader));
  return came === null ? null : maskOne(came as Headed, isSecretHeader);
}

function maskOne(thing: Headed, isSecretHeader: Work['isSecretHeader']): Headed {
  return { ...thing, headers: withMasks(thing.headers, { isSecretHeader, showSecrets: false }) };
}
