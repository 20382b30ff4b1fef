import { formatMillis } from '#domain/base/instant';
import { instant } from './kinds.ts';

/** Of a cron or queue, and of a team. */
export const pausedUntil = () =>
  instant('paused_until', {
    wrong: 'The end of the pause must be a date and a time in UTC, such as 2026-12-31 18:00.',
    option: {
      flags: '--pause-until <TIME>',
      help: 'pause it until then, in UTC such as "2026-12-31 18:00"',
      none: 'if it is paused, do not end the pause by itself',
    },
    record: (paused_until) => ({ paused_until: formatMillis(paused_until) }),
    activity: ['paused until', 'value'],
  });
