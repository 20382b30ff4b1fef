import type { HeaderList, HttpMethod } from '#domain/http/exchange';
import { LIMITS, rangeOf } from '#domain/base/limits';
import { mustBeArray, mustBeAtLeast } from '../fields.ts';
import { instant, integer } from './kinds.ts';
import { json } from './list-kinds.ts';
import { queueName } from './queue.ts';
import { callbackUrl, method, sentHeaders, targetUrl } from './request.ts';
import type { Resource } from './resource.ts';

/** §2.2, with defaults. Texts are untrimmed. */
export interface JobInput {
  /** It need not exist yet. */
  queue: string;
  url: string;
  method: HttpMethod;
  headers: HeaderList;
  /** As given (§2.6); null for none. */
  payloadJson: string | null;
  callbackUrl: string | null;
  delaySeconds: number;
}

/** In the order of errors; the API ignores other fields (§2.2). */
export const JOB: Resource<JobInput> = {
  queue: queueName(
    'queue',
    'A queue of the current team, created with default settings if there is none.',
  ),
  url: targetUrl(),
  method: method('POST'),
  headers: sentHeaders(),
  payloadJson: json('payload', {
    wrong: mustBeArray('payload'),
    levels: LIMITS.payloadLevels,
    tooDeep: `The payload field must not be nested deeper than ${LIMITS.payloadLevels} levels.`,
    about: `Sent as JSON, or as the query string for GET. At most ${LIMITS.payloadLevels} levels deep.`,
    option: {
      flags: '--payload <JSON>',
      help: 'an object or a list, sent as it is written',
      none: 'send no payload',
    },
    activity: ['payload', 'name'],
  }),
  callbackUrl: callbackUrl(
    'Receives a POST once the job has ended.',
    'receives a summary of the outcome',
  ),
  delaySeconds: integer('delay', {
    ...LIMITS.delaySeconds,
    initial: 0,
    tooSmall: mustBeAtLeast('delay', LIMITS.delaySeconds.least),
    tooLarge: `The delay cannot exceed ${LIMITS.delaySeconds.most} seconds (${LIMITS.delaySeconds.most / 3600} hours).`,
    about: 'Seconds before the first attempt.',
    option: {
      flags: '--delay <S>',
      help: `seconds before the first attempt, ${rangeOf(LIMITS.delaySeconds)}`,
    },
  }),
};

export type JobEdit = Omit<JobInput, 'delaySeconds'> & { scheduledAt: number };

const { delaySeconds: _, ...REQUEST } = JOB;

export const JOB_EDIT: Resource<JobEdit> = {
  ...REQUEST,
  scheduledAt: instant('scheduled_at', {
    missing: 'A time is required.',
    wrong: 'It must be a date and a time in UTC, such as 2026-11-21 22:00.',
    option: {
      flags: '--at <TIME>',
      help: 'when, in UTC: "2026-11-21 22:00", up to 24 hours after it was made',
    },
    activity: ['time', 'value'],
  }),
};

export function latestStart({ createdAt }: { createdAt: number }): number {
  return createdAt + LIMITS.delaySeconds.most * 1000;
}
