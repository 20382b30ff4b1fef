import { CRON_REQUEST } from '#work/resources/cron';
import { JOB } from '#work/resources/job';
import { partsOf, type Resource } from '#work/resources/resource';

/** JSON Schema of §2.1 and §2.2. */

const instant = { type: 'string', format: 'date-time' };
const uuid = { type: 'string', format: 'uuid' };

export const cronRequest = describe(CRON_REQUEST);

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

export const jobRequest = describe(JOB);

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

function describe<Thing extends object>(resource: Resource<Thing>) {
  const parts = partsOf(resource);
  const properties = parts.map(({ name, schema, isRequired, initial, about }) => {
    const { type, enum: words, ...limits } = schema;
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
