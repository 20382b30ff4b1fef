import { CRON_REQUEST } from '#work/resources/cron';
import { JOB } from '#work/resources/job';
import { partsOf, type Resource } from '#work/resources/resource';
import { FIXED_ANSWERS } from './answers.ts';

const instant = { type: 'string', format: 'date-time' };
const uuid = { type: 'string', format: 'uuid' };

/** §2.1 */
const cronRequest = describe(CRON_REQUEST);

const cronAnswer = {
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

/** §2.2 */
const jobRequest = describe(JOB);

const jobAnswer = {
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

function describe<Thing extends object>(resource: Resource<Thing>) {
  const parts = partsOf(resource);
  const properties = parts.map(({ name, schema, isRequired, initial, about }) => {
    const { type, enum: words, ...limits } = schema ?? {};
    const optional = { type: [type, 'null'].flat(), ...(words && { enum: [...words, null] }) };
    const required = { type, ...(words && { enum: words }) };
    const isShown = initial !== undefined && typeof initial !== 'object';
    const description = about === undefined ? {} : { description: about };
    const described = { ...(isRequired ? required : optional), ...limits };
    return [name, { ...described, ...(isShown && { default: initial }), ...description }];
  });
  return {
    type: 'object',
    required: parts.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    properties: Object.fromEntries(properties) as object,
  };
}

const validationFailed = {
  type: 'object',
  required: ['message', 'errors'],
  properties: {
    message: { type: 'string', description: 'The first error, and a count of the others.' },
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
  },
};

const rateHeaders = {
  'X-RateLimit-Limit': { schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { schema: { type: 'integer' } },
};

const refusalHeaders = {
  ...rateHeaders,
  'X-RateLimit-Reset': { schema: { type: 'integer' }, description: 'Unix time in seconds.' },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' },
};

function answer(description: string, schema: object, headers: object = rateHeaders) {
  return { description, headers, content: { 'application/json': { schema } } };
}

type FixedAnswer = keyof typeof FIXED_ANSWERS;

/** Of answers with one status, each of which has a fixed text. */
function fixed(
  description: string,
  which: readonly [FixedAnswer, ...FixedAnswer[]],
  headers: object = rateHeaders,
) {
  const bodies = which.map((each) => FIXED_ANSWERS[each][1]);
  const [status] = FIXED_ANSWERS[which[0]];
  const texts = bodies.flatMap((body) => Object.values<string>(body));
  const [member = ''] = Object.keys(bodies[0] ?? {});
  const text = member === 'error' ? { enum: texts } : { const: texts[0] };
  const schema = { type: 'object', required: [member], properties: { [member]: text } };
  return { [status]: answer(description, schema, headers) };
}

const faults = {
  302: {
    description: 'Validation failed and `Accept: application/json` was not sent.',
    headers: { Location: { schema: { type: 'string' } }, ...rateHeaders },
    content: { 'text/html': { schema: { type: 'string' } } },
  },
  ...fixed('The token is missing or matches no user.', ['tokenMissing', 'tokenInvalid']),
  ...fixed('The user of the token is a viewer of the selected team.', ['viewOnly']),
  ...fixed('The body came too slowly.', ['timedOut']),
  ...fixed('The body is over 1 MiB.', ['tooLarge']),
  422: answer('Validation failed.', validationFailed),
  ...fixed('Too many requests from one address within a minute.', ['tooMany'], refusalHeaders),
  ...fixed('The user of the token has no team selected.', ['serverError']),
  503: answer(
    "The database is away, or the payloads of the team's waiting jobs have reached their limit. Nothing was stored.",
    { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    { ...rateHeaders, 'Retry-After': refusalHeaders['Retry-After'] },
  ),
};

function describePost(operationId: string, summary: string, request: object, created: object) {
  return {
    post: {
      operationId,
      summary,
      // A parameter named Accept would be ignored (OpenAPI 3.1, Parameter Object): clients use the media types below.
      description:
        'Send `Accept: application/json`: without it a failed validation is answered with a redirect.',
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: request },
          'application/x-www-form-urlencoded': { schema: request },
        },
      },
      responses: { 201: answer('Created.', created), ...faults },
    },
  };
}

/**
 * §4
 * @param baseUrl without a slash at its end
 */
export function buildOpenApi(baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Belfry',
      version: '1',
      description: 'Scheduled and delayed HTTP requests. Everything else happens in the dashboard.',
    },
    servers: [{ url: baseUrl }],
    security: [{ apiToken: [] }],
    paths: {
      '/api/crons': describePost(
        'createCron',
        'Create a cron in the current team.',
        cronRequest,
        cronAnswer,
      ),
      '/api/jobs': describePost(
        'createJob',
        'Schedule one request in a queue of the current team.',
        jobRequest,
        jobAnswer,
      ),
    },
    components: {
      securitySchemes: {
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'From the dashboard: Settings, API token.',
        },
      },
    },
  };
}
