import { HTTP_METHODS } from '#domain/exchange';
import { LIMITS } from '#domain/limits';

/** Request and response bodies of the two endpoints as JSON Schema (§2.1, §2.2), for the OpenAPI document. */

const optionalText = { type: ['string', 'null'] };
const url = { type: 'string', format: 'uri', maxLength: LIMITS.urlCharacters };
const callbackUrl = { ...url, type: ['string', 'null'] };
const integer = { type: ['integer', 'string', 'null'], pattern: '^-?\\d+$' };
const instant = { type: 'string', format: 'date-time' };
const uuid = { type: 'string', format: 'uuid' };

const headers = {
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
  maxProperties: LIMITS.headerEntries,
  description: `Header names and their values, ${LIMITS.headerBytes} bytes together at most. Headers that frame the connection cannot be set.`,
};

const method = (initial: string) => ({
  type: ['string', 'null'],
  enum: [...HTTP_METHODS, null],
  default: initial,
});

export const cronRequest = {
  type: 'object',
  required: ['name', 'url', 'cron_expression'],
  properties: {
    name: { type: 'string', maxLength: LIMITS.nameCharacters, description: 'Need not be unique.' },
    url: {
      ...url,
      description: 'Where the request goes. Must be publicly reachable when it runs.',
    },
    cron_expression: {
      type: 'string',
      maxLength: LIMITS.cronExpressionCharacters,
      description:
        'Five fields, or @hourly, @daily, @weekly, @monthly or @yearly. Always evaluated in UTC.',
      examples: ['*/5 * * * *', '0 9 * * MON-FRI'],
    },
    method: method('GET'),
    headers,
    payload: {
      ...optionalText,
      description:
        'A string. A JSON object or array in it is sent as that JSON, any other text under the key `body`; for GET it is sent as query parameters.',
    },
    callback_url: { ...callbackUrl, description: 'Receives a POST after every run.' },
    timeout_seconds: {
      ...integer,
      minimum: LIMITS.timeoutSeconds.least,
      maximum: LIMITS.timeoutSeconds.most,
      default: LIMITS.timeoutSeconds.initial,
    },
    alert_threshold: {
      ...integer,
      minimum: Math.min(...LIMITS.alertThresholds),
      maximum: Math.max(...LIMITS.alertThresholds),
      description: 'Alert after that many consecutive failed runs. Without it there are no alerts.',
    },
    is_active: {
      type: ['boolean', 'null'],
      default: true,
      description: 'False creates the cron paused.',
    },
  },
};

export const cronAnswer = {
  type: 'object',
  required: ['id', 'name', 'cron_expression', 'next_run_at', 'is_active'],
  properties: {
    id: uuid,
    name: { type: 'string' },
    cron_expression: { type: 'string' },
    next_run_at: { ...instant, type: ['string', 'null'] },
    is_active: { type: 'boolean' },
  },
};

export const jobRequest = {
  type: 'object',
  required: ['queue', 'url'],
  properties: {
    queue: {
      type: 'string',
      maxLength: LIMITS.queueCharacters,
      description: 'A queue of the current team, created with default settings if there is none.',
    },
    url: {
      ...url,
      description: 'Where the request goes. Must be publicly reachable when it runs.',
    },
    method: method('POST'),
    headers,
    payload: {
      type: ['object', 'array', 'null'],
      items: {},
      description: `Sent as JSON, or as the query string for GET. At most ${LIMITS.payloadLevels} levels deep.`,
    },
    callback_url: { ...callbackUrl, description: 'Receives a POST once the job has ended.' },
    delay: {
      ...integer,
      minimum: LIMITS.delaySeconds.least,
      maximum: LIMITS.delaySeconds.most,
      default: 0,
      description: 'Seconds before the first attempt.',
    },
  },
};

export const jobAnswer = {
  type: 'object',
  required: ['success', 'queue_id', 'job_id', 'scheduled_at', 'message'],
  properties: {
    success: { const: true },
    queue_id: uuid,
    job_id: { ...uuid, description: 'Of attempt 1. Each retry is a new job with a new id.' },
    scheduled_at: { ...instant, description: 'The earliest run time.' },
    message: { const: 'Scheduled successfully' },
  },
};
