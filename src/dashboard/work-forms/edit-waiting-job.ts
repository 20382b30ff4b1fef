import type { JobDetail, JobEdit } from '#work/jobs';
import { latestStart } from '#work/jobs';
import { parseUtc } from '#domain/instant';
import { formatUtc } from '../parts/Time.tsx';
import type { FieldErrors } from '../services.ts';
import { readJobForm } from './read-forms.ts';
import type { FormReading, JobFormValues } from './form-values.ts';

/**
 * Reads the form of a waiting job. A time that was not changed keeps its milliseconds.
 *
 * @param stored  the job as it is stored
 */
export function readEditForm(
  form: FormData,
  stored: Pick<JobDetail, 'headers' | 'scheduledAt' | 'createdAt'>,
): FormReading<JobFormValues, JobEdit> {
  const reading = readJobForm(form, stored.headers);
  const { formValues } = reading;
  const given = parseUtc(formValues.scheduled_at);
  const isLeft = given === stored.scheduledAt - (stored.scheduledAt % 1000);
  const scheduledAt = isLeft ? stored.scheduledAt : given;
  const errors = { ...(reading.ok ? {} : reading.errors), ...checkTime(scheduledAt, stored) };
  if (!reading.ok || scheduledAt === null || Object.keys(errors).length > 0) {
    return { ok: false, formValues, errors };
  }
  const { delaySeconds: _, ...input } = reading.input;
  return { ok: true, formValues, input: { ...input, scheduledAt } };
}

function checkTime(at: number | null, job: Pick<JobDetail, 'createdAt'>): FieldErrors {
  if (at === null) {
    return {
      scheduled_at: ['The time must be a date and a time in UTC, such as 2026-11-21 22:00.'],
    };
  }
  return at > latestStart(job) ? { scheduled_at: [tooLate(job)] } : {};
}

export function tooLate(job: Pick<JobDetail, 'createdAt'>): string {
  const latest = describeLatest(job);
  return `A job waits for 24 hours at most. The latest time for this one is ${latest}.`;
}

export function describeLatest(job: Pick<JobDetail, 'createdAt'>): string {
  return formatUtc(latestStart(job));
}
