import { useLocation } from 'react-router';
import { parseUtc } from '#domain/base/instant';
import { InstantField } from '../forms/Field.tsx';
import { readText } from '../forms/values.ts';
import { Notice } from '../parts/Notice.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { Time } from '../parts/Time.tsx';
import type { TeamPause } from '../services.ts';
import type { open } from '../serving/open.ts';

/** In the menu of a cron or queue. */
export function PauseUntil({ of, name }: { of: 'cron' | 'queue'; name: string }) {
  return (
    <ConfirmDialog
      word="Pause until"
      question={`Pause the ${of} “${name}” until a time?`}
      fields={{ intent: 'pause' }}
      variant="default"
      controls={<UntilField required />}
    >
      {of === 'cron'
        ? 'It does not run before this time. Then it continues with its next time; missed runs are not made up for.'
        : 'It starts nothing before this time and holds its jobs. Then due jobs start.'}
    </ConfirmDialog>
  );
}

export function UntilField({ required = false }: { required?: boolean }) {
  return (
    <InstantField
      name="until"
      label="Until (UTC)"
      required={required}
      {...(!required && { description: 'Empty: until a person resumes it.' })}
    />
  );
}

type Sent = Pick<ReturnType<typeof open>, 'form' | 'now' | 'say'>;

/** Null: without end. Goes back with a message if it is wrong. */
export function readUntil({ form, now, say }: Sent, here: string): number | null {
  const text = readText(form, 'until');
  const until = parseUtc(text);
  if (text === '' || (until !== null && until > now)) return until;
  throw say(here, {
    kind: 'failed',
    text: 'Nothing was paused: the end must be a date and a time in the future, in UTC.',
  });
}

export const pauseIntents = { pause: 'pause-team', resume: 'resume-team' } as const;
const overview = '/?index';

/** On every page, which stays: it may be a form with input. */
export function TeamPauseNotice({ pause }: { pause: TeamPause | null }) {
  const { pathname, search } = useLocation();
  if (pause === null) return null;
  return (
    <Notice kind="warning" title="Everything of this team is paused" isBanner>
      <p>
        By {pause.by}, since <Time at={pause.at} exact />
        {pause.until === null ? null : (
          <>
            , until <Time at={pause.until} exact />
          </>
        )}
        . No cron runs by its schedule and no job is sent. New jobs are accepted and wait.
      </p>
      <ConfirmDialog
        word="Resume everything"
        question="Resume everything of this team?"
        action={overview}
        fields={{ intent: pauseIntents.resume, next: pathname + search }}
        variant="default"
      >
        Jobs that are due start now. Crons continue with their next times; missed runs are not made
        up for. Crons and queues that were paused individually stay paused.
      </ConfirmDialog>
    </Notice>
  );
}
