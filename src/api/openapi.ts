import { cronAnswer, cronRequest, jobAnswer, jobRequest } from './openapi-schemas.ts';

const message = (text: string) => ({
  type: 'object',
  required: ['message'],
  properties: { message: { const: text } },
});

const error = (...texts: string[]) => ({
  type: 'object',
  required: ['error'],
  properties: { error: { enum: texts } },
});

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

const faults = {
  302: {
    description: 'Validation failed and `Accept: application/json` was not sent.',
    headers: { Location: { schema: { type: 'string' } }, ...rateHeaders },
    content: { 'text/html': { schema: { type: 'string' } } },
  },
  401: answer(
    'The token is missing or matches no user.',
    error('Missing authorization token', 'Invalid webhook token'),
  ),
  403: answer(
    'The user of the token is a viewer of the selected team.',
    error('Viewers of a team cannot create anything in it'),
  ),
  408: answer('The body came too slowly.', message('Request Timeout')),
  413: answer('The body is over 1 MiB.', message('Payload Too Large')),
  422: answer('Validation failed.', validationFailed),
  429: answer(
    'Too many requests from one address within a minute.',
    message('Too Many Attempts.'),
    refusalHeaders,
  ),
  500: answer('The user of the token has no team selected.', message('Server Error')),
  503: answer(
    "The database is away, or the payloads of the team's waiting jobs have reached their limit. Nothing was stored.",
    { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    {
      ...rateHeaders,
      'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' },
    },
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
