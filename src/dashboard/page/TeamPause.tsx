import { UntilField } from './PauseUntil.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Time } from '../parts/Time.tsx';
import type { TeamPause } from '../services.ts';

export const pauseIntents = { pause: 'pause-team', resume: 'resume-team' } as const;
const overview = '/?index';

export function TeamPauseNotice({ pause }: { pause: TeamPause | null }) {
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
        fields={{ intent: pauseIntents.resume }}
        variant="default"
      >
        Jobs that are due start now. Crons continue with their next times; missed runs are not made
        up for. Crons and queues that were paused individually stay paused.
      </ConfirmDialog>
    </Notice>
  );
}

export function PauseEverything() {
  return (
    <ConfirmDialog
      word="Pause everything"
      question="Pause everything of this team?"
      action={overview}
      fields={{ intent: pauseIntents.pause }}
      controls={<UntilField />}
    >
      No cron runs on schedule and no job is sent until the team is resumed. Running requests
      finish, and the API accepts new jobs, which wait.
    </ConfirmDialog>
  );
}
