import { quoteForShell } from '#domain/http/as-command';
import { CRON_REQUEST, type CronInput } from './cron.ts';
import { JOB, type JobInput } from './job.ts';
import { initialOf, isWritten, partsOf, type Resource, toJson, write } from './resource.ts';

export function writeJobCall(job: Omit<JobInput, 'delaySeconds'>): string {
  return writeCall('/api/jobs', JOB, job);
}

export function writeCronCall(cron: Partial<CronInput>): string {
  return writeCall('/api/crons', CRON_REQUEST, cron);
}

/** Token and address are placeholders. */
function writeCall<Thing extends object>(
  path: string,
  resource: Resource<Thing>,
  thing: Partial<Thing>,
): string {
  const values = write(resource, { ...initialOf(resource), ...thing });
  const given = partsOf(resource).flatMap((part) => {
    const value = values.get(part.name) ?? null;
    return isWritten(part, value) ? [[part.name, value] as const] : [];
  });
  return [
    `curl --request POST "$BASE_URL${path}"`,
    '--header "Authorization: Bearer $API_TOKEN"',
    "--header 'Content-Type: application/json'",
    "--header 'Accept: application/json'",
    `--data-raw ${quoteForShell(toJson(new Map(given)))}`,
  ].join(' \\\n  ');
}
