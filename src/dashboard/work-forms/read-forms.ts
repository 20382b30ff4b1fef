/** By the rules of the API (§2.1–2.3). */
import { ALERT_LEVELS, DEFAULT_REF } from '#domain/alerts/alert-settings';
import { ASSERTION_KINDS, assertionOfTexts } from '#domain/judging/assertion';
import type { HeaderList } from '#domain/http/exchange';
import { isId } from '#domain/base/ids';
import { parseUtc } from '#domain/base/instant';
import { type JsonField, readJsonField } from '#domain/json/text';
import { MOST_CHANNELS } from '#domain/alerts/notification-channel';
import type { Reading } from '#work/fields';
import type { JobDetail, JobEdit } from '#work/jobs';
import { channelsField } from '#work/resources/alerts';
import { CRON, type CronExtras, type CronInput } from '#work/resources/cron';
import { JOB, type JobInput, latestStart } from '#work/resources/job';
import { QUEUE, QUEUE_NAME, type QueueChange } from '#work/resources/queue';
import { readChange, readWhole } from '#work/resources/resource';
import { TEAM, type TeamSettings } from '#work/resources/team';
import { listIn, readText, textIn, type Values } from '../forms/values.ts';
import { formatUtc } from '../words/times.ts';
import type { FieldErrors } from '../services.ts';
import { channelsShown } from './form-values.ts';
import { MASK, type Mask, NO_MASK } from '#domain/runs/masking';
import { readHeaders, writeHeaders } from './header-lines.ts';

type FormReading<Input> = { ok: true; input: Input } | { ok: false; errors: FieldErrors };
type FormFields = Map<string, JsonField>;

const textField = (value: string): JsonField => ({
  kind: 'string',
  value,
  raw: JSON.stringify(value),
});
const jsonField = (value: unknown) => readJsonField(JSON.stringify(value)) ?? textField('');

/** Spaces at the ends count. */
const EXACT: ReadonlySet<string> = new Set(['name', 'queue', 'cron_expression', 'payload']);

/** Browsers send CRLF. */
const inLines = (text: string) => text.replaceAll('\r\n', '\n');

/** Unchanged masks become these values again. */
export interface Stored {
  headers: HeaderList;
  texts: Values;
  mask: Mask;
}

const NOTHING_STORED: Stored = { headers: [], texts: {}, mask: NO_MASK };

function readFields(form: FormData, stored: Stored = NOTHING_STORED): FormFields {
  const fields: FormFields = new Map();
  for (const [name, value] of form) {
    if (typeof value !== 'string') continue;
    const text = stored.mask.restore(inLines(value), textIn(stored.texts, name) ?? '');
    fields.set(name, textField(EXACT.has(name) ? text : text.trim()));
  }
  const members = restoreHeaders(readText(form, 'headers'), stored.headers).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  const headers = readJsonField(`{${members.join()}}`);
  if (headers) fields.set('headers', headers);
  fields.set('assertions', jsonField(readAssertionRows(form)));
  for (const level of ALERT_LEVELS) {
    const name = channelsField(level);
    const ids = form.getAll(name).slice(0, MOST_CHANNELS + 1);
    fields.set(name, jsonField(form.has(channelsShown) ? ids : [DEFAULT_REF]));
  }
  return fields;
}

function readAssertionRows(form: FormData): unknown[] {
  const [paths, values] = [form.getAll('assertion_path'), form.getAll('assertion_value')];
  const textAt = (list: FormDataEntryValue[], at: number) =>
    typeof list[at] === 'string' ? inLines(list[at]) : '';
  return form.getAll('assertion_kind').flatMap((given, at) => {
    const kind = ASSERTION_KINDS.find((known) => known === given);
    const texts = { path: textAt(paths, at), value: textAt(values, at) };
    return kind ? [assertionOfTexts(kind, texts)] : [];
  });
}

/** A masked value means the stored one. */
function restoreHeaders(lines: string, stored: HeaderList): HeaderList {
  const exact = new Map(stored);
  // Of several spellings the first counts.
  const inAnyCase = new Map(
    stored.toReversed().map(([name, value]) => [name.toLowerCase(), value]),
  );
  return readHeaders(lines).map(([name, value]) => {
    const kept = value === MASK ? (exact.get(name) ?? inAnyCase.get(name.toLowerCase())) : null;
    return [name, kept ?? value];
  });
}

/** What was typed, with the stored values in place of masks. */
export function revealMasked(values: Values, { headers, texts, mask }: Stored): Values {
  const restored = Object.keys(values).map((name) => {
    const stored = textIn(texts, name) ?? '';
    return [name, listIn(values, name).map((text) => mask.restore(inLines(text), stored))];
  });
  const lines = writeHeaders(restoreHeaders(textIn(values, 'headers') ?? '', headers));
  return { ...Object.fromEntries(restored), headers: lines };
}

export function findMasked(form: FormData): string[] {
  const masked = readHeaders(readText(form, 'headers')).filter(([, value]) => value === MASK);
  return masked.map(([name]) => name);
}

/** An object can have only one, so the first would be lost silently. */
function findRepeatedHeader(form: FormData): FieldErrors {
  const names = readHeaders(readText(form, 'headers')).map(([name]) => name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated === undefined) return {};
  return { headers: [`The header ${repeated} is there twice. Keep one of them.`] };
}

const MASK_LEFT = `${MASK} stands for a hidden value that isn't stored here, or for one of several. Write the value itself.`;

/** Headers have a message of their own, and assertions are not masked. */
const LISTS: ReadonlySet<string> = new Set(['headers', 'assertions']);

function findLeftMasks(fields: FormFields): FieldErrors {
  const left = [...fields].filter(([name, { raw }]) => !LISTS.has(name) && raw.includes(MASK));
  return Object.fromEntries(left.map(([name]) => [name, [MASK_LEFT]]));
}

const refOf = (text: string) => (isId(text) || text === DEFAULT_REF ? text : null);

/** @param isTest needs neither name nor schedule */
export function readCronForm(
  form: FormData,
  stored: Stored = NOTHING_STORED,
  isTest = false,
): FormReading<CronInput & CronExtras> {
  const fields = readFields(form, stored);
  if (isTest) {
    fields.set('name', textField('Test run'));
    fields.set('cron_expression', textField('@daily'));
  }
  return settle(readWhole(CRON, fields, { refOf }), {
    ...findRepeatedHeader(form),
    ...findLeftMasks(fields),
  });
}

/** @param name if it can't change */
export function readQueueForm(
  form: FormData,
  name?: string,
): FormReading<{ name: string; change: QueueChange }> {
  const fields = readFields(form);
  if (name !== undefined) fields.set('queue', textField(name));
  const [named, change] = [readWhole(QUEUE_NAME, fields), readChange(QUEUE, fields, { refOf })];
  if (named.ok && change.ok) return { ok: true, input: { ...named.input, change: change.input } };
  const errors = [named, change].flatMap((reading) => (reading.ok ? [] : reading.errors));
  return { ok: false, errors: Object.fromEntries(errors) };
}

/** A missing field stays. */
export function readTeamForm(form: FormData): FormReading<Partial<TeamSettings>> {
  return settle(readChange(TEAM, readFields(form)), {});
}

function settle<Input>(reading: Reading<Input>, more: FieldErrors): FormReading<Input> {
  const errors = { ...(reading.ok ? {} : Object.fromEntries(reading.errors)), ...more };
  return reading.ok && Object.keys(errors).length === 0 ? reading : { ok: false, errors };
}

const payloadError =
  'The payload is sent as JSON, so it must be a JSON object or list, such as {"order": 42}.';

export function readJobForm(
  form: FormData,
  stored: Stored = NOTHING_STORED,
): FormReading<JobInput> {
  const fields = readFields(form, stored);
  // The form always sends a chosen queue, so a new name comes first.
  const newQueue = readText(form, 'new_queue').trim();
  if (newQueue !== '') fields.set('queue', textField(newQueue));
  const given = fields.get('payload');
  const payload = given?.kind === 'string' ? given.value : '';
  const json = readJsonField(payload);
  const isJson = json?.kind === 'object' || json?.kind === 'array';
  if (isJson) fields.set('payload', json);
  else fields.delete('payload');
  const isWrong = !isJson && payload.trim() !== '';
  return settle(readWhole(JOB, fields), {
    ...findRepeatedHeader(form),
    ...findLeftMasks(fields),
    ...(isWrong && { payload: [payloadError] }),
  });
}

type StoredTimes = Pick<JobDetail, 'scheduledAt' | 'createdAt'>;

/** An unchanged time keeps its milliseconds. */
export function readJobEdit(
  form: FormData,
  job: StoredTimes,
  stored?: Stored,
): FormReading<JobEdit> {
  const reading = readJobForm(form, stored);
  const given = parseUtc(readText(form, 'scheduled_at').trim());
  const isLeft = given === job.scheduledAt - (job.scheduledAt % 1000);
  const scheduledAt = isLeft ? job.scheduledAt : given;
  const errors = { ...(reading.ok ? {} : reading.errors), ...checkTime(scheduledAt, job) };
  if (!reading.ok || scheduledAt === null || Object.keys(errors).length > 0)
    return { ok: false, errors };
  const { delaySeconds: _, ...input } = reading.input;
  return { ok: true, input: { ...input, scheduledAt } };
}

type Created = Pick<JobDetail, 'createdAt'>;

function checkTime(at: number | null, job: Created): FieldErrors {
  if (at === null) {
    const text = 'The time must be a date and a time in UTC, such as 2026-11-21 22:00.';
    return { scheduled_at: [text] };
  }
  return at > latestStart(job) ? { scheduled_at: [tooLate(job)] } : {};
}

export function tooLate(job: Created): string {
  return `A job waits for 24 hours at most. The latest time for this one is ${describeLatest(job)}.`;
}

export const describeLatest = (job: Created) => formatUtc(latestStart(job));
