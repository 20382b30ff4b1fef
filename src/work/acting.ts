import type { ActivityAction, ActivityEntry, Doer } from '#domain/team/activity';
import type { Log } from '#domain/base/log';
import { NotAllowed } from '#domain/http/not-allowed';
import { describeUntil, type Pause } from '#domain/team/pause';
import type { Store } from '#store/store';
import type { Need } from './verbs.ts';

export interface Acting {
  doer: Doer;
  /** Its name as the maker of runs (domain/team/actors.ts). */
  actor: string;
  may: (need: Need) => boolean;
  /** Nothing is masked. */
  seesMasked?: true;
  log: Pick<Log, 'error'>;
}

type Subject = NonNullable<ActivityEntry['subject']>;

interface Recording {
  /** After a change (§5.10): if it fails, the change stays and the fault is logged. */
  record(teamId: string, ...entries: ActivityEntry[]): Promise<void>;
  /** Before secrets are shown, once in some time for a person and subject. If it fails, nothing is shown. */
  recordShown(teamId: string, entry: ActivityEntry & { subject: Subject }): Promise<void>;
}

/** The person for whom methods act. */
export type Doing = ReturnType<typeof createDoing>;

/** @param person `actor`: of the runs that it creates */
function createDoing(person: { actor: string | null; may: Acting['may'] }, recording: Recording) {
  return {
    ...person,
    ...recording,
    /** @throws NotAllowed for a change that only admins may make */
    refuseMember: (what: string) => {
      if (!person.may('notifications')) throw new NotAllowed(`a member may not: ${what}`);
    },
    /** Null: nothing was there, and nothing is recorded. @returns the subject */
    recorded: async <Found extends Subject | null>(
      teamId: string,
      action: ActivityAction,
      subject: Found,
      describe: (subject: NonNullable<Found>) => string | undefined = () => undefined,
    ): Promise<Found> => {
      const detail = subject ? describe(subject) : undefined;
      const more = detail !== undefined && { detail };
      if (subject) await recording.record(teamId, { action, subject, ...more });
      return subject;
    },
  };
}

export interface DoingContext {
  store: Store;
  doing: Doing;
}

const NOT_RECORDED: Recording = { record: async () => {}, recordShown: async () => {} };

/** May do everything, and nothing is recorded. */
export const anybody = (actor: string | null = null): Doing =>
  createDoing({ actor, may: () => true }, NOT_RECORDED);

const SHOWN_FOR_MS = 600_000;

export function doingOf({ doer, actor, may, log }: Acting, { activity, clock }: Store): Doing {
  const actorId = typeof doer === 'string' ? doer : doer.userId;
  return createDoing(
    { actor, may },
    {
      record: async (teamId, ...entries) => {
        const [first] = entries;
        if (!first) return;
        try {
          await activity.record(teamId, doer, entries, clock.now());
        } catch (error) {
          const { message } = error as Error;
          log.error('activity.not-recorded', { what: first.action, error: message });
        }
      },
      recordShown: async (teamId, entry) => {
        const now = clock.now();
        const of = { actorId, actions: [entry.action], subjectId: entry.subject.id };
        const times = { from: now - SHOWN_FOR_MS, to: now + 1 };
        const known = await activity.list(teamId, { ...of, ...times, limit: 1 });
        if (known.length === 0) await activity.record(teamId, doer, entry, now);
      },
    },
  );
}

/** As pages shorten ids. */
export function jobSubject(id: string): Subject {
  return { id, name: id.slice(-8) };
}

/** The end of a pause in words. */
export function untilOf({ pausedUntil }: Pick<Pause, 'pausedUntil'>): string | undefined {
  return pausedUntil === null ? undefined : describeUntil(pausedUntil);
}
