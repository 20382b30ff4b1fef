import { faultMessage } from '#domain/http/connection-faults';
import { type Sql, sql } from '../database/sql.ts';
import type { Database } from '../database/database.ts';
import type { Span } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { readJobs } from '../runs/every-run.ts';
import { findRetries, jobRecord } from '../jobs/job-records.ts';
import { matcherOf } from './ranges.ts';
import { type FoundJob, foundJob, type Search } from './search.ts';
import { allOf } from './sources.ts';

export interface JobChoice {
  ids: readonly string[];
  /** Null: none has ended. Undefined: not known. */
  endedWithin?: Span | null;
}

export async function pickJobs(
  db: Database,
  teamId: string,
  { ids, endedWithin }: JobChoice,
  search: Search,
): Promise<FoundJob[]> {
  if (ids.length === 0) return [];
  const { tab, statusCode, responseText, words } = search;
  const isOfEnded = tab === undefined || statusCode !== undefined || responseText !== undefined;
  const outcome = outcomeConditions('jobs', search);
  const where = allOf(
    sql`jobs.team_id = ${teamId}`,
    db.dialect.isAmong('jobs.id', ids),
    ...outcome,
    ...furtherConditions(db, search),
  );
  const whereEnded = [
    ...(endedWithin === undefined ? [] : [whenEnded(db, endedWithin)]),
    ...(words ? [hasWords(db, 'ended_jobs', words)] : []),
  ];
  const rows = await readJobs(db, {
    where,
    isOfEnded,
    ...(whereEnded.length > 0 && { whereEnded: sql.join(whereEnded, ' and ') }),
    ...(words && { whereLive: hasWords(db, 'jobs', words) }),
    keepsPlan: outcome.length === 0,
  });
  return rows.map((row) => foundJob(jobRecord(row))).filter(matcherOf(search));
}

function whenEnded({ dialect }: Database, span: Span | null): Sql {
  return span === null ? sql`false` : dialect.endedWithin('jobs', span);
}

function furtherConditions(
  { dialect: { contains, containsBytes } }: Database,
  { payloadText, responseText, urlPrefix, host, text }: Search,
) {
  const inPayload = (words: string) => contains(sql`jobs.payload`, sql`${words}`);
  const inBody = (words: string) => containsBytes(sql`jobs.body`, words);
  return [
    urlPrefix && beginsWith('jobs.url', urlPrefix),
    host && contains(sql`lower(jobs.url)`, sql`${`://${host}`}`),
    payloadText && inPayload(payloadText),
    responseText && inBody(responseText),
    text && sql`(${inPayload(text)} or ${inBody(text)})`,
  ];
}

export function outcomeConditions(
  table: 'jobs' | 'executions',
  { statusCode, fault }: Search,
): Sql[] {
  const message = sql.raw(`${table}.error_message`);
  return [
    ...(statusCode === undefined ? [] : [hasCode(table, String(statusCode))]),
    ...(fault === undefined ? [] : [sql`${message} = ${faultMessage(fault)}`]),
  ];
}

export function hasWords(
  { dialect: { contains, containsBytes } }: Database,
  table: 'jobs' | 'ended_jobs' | 'ended_executions',
  words: string,
): Sql {
  const inLower = (column: string) =>
    contains(sql`lower(cast(${sql.raw(column)} as text))`, sql`lower(${words})`);
  const [run, source] =
    table === 'ended_executions' ? (['executions', 'cron'] as const) : (['jobs', 'queue'] as const);
  const inSource = [inLower('source.name'), ...(source === 'cron' ? [inLower('source.url')] : [])];
  const parts = [
    inLower(`${run}.id`),
    ...(run === 'jobs' ? [inLower('jobs.url'), contains(sql`jobs.payload`, sql`${words}`)] : []),
    ...(table === 'jobs'
      ? []
      : [inLower(`${run}.error_message`), containsBytes(sql.raw(`${run}.body`), words)]),
    sql`exists (select 1 from ${sql.raw(`${source}s`)} source
      where source.team_id = ${sql.raw(`${run}.team_id`)} and source.id = ${sql.raw(`${run}.${source}_id`)}
      and (${sql.join(inSource, ' or ')}))`,
  ];
  return sql`(${sql.join(parts, ' or ')})`;
}

export function beginsWith(column: string, prefix: string): Sql {
  return sql`substr(${sql.raw(column)}, 1, length(${prefix})) = ${prefix}`;
}

/** SQL checks a part of the condition, `matcherOf` the whole. */
function hasCode(table: string, codes: string): Sql {
  const status = sql.raw(`${table}.response_status`);
  const parts = codes.split(',').map((part) => {
    if (part === 'none') return sql`${status} is null`;
    const from = Number(part.replace('xx', '00'));
    return sql`${status} between ${from} and ${part.endsWith('xx') ? from + 99 : from}`;
  });
  return sql`(${sql.join(parts, ' or ')})`;
}

/** Longer texts don't fit into an index entry of Postgres. */
const INDEXED_URL_CHARACTERS = 100;

/** No text with a prefix sorts after the prefix plus this character. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Running jobs among them may have other URLs. Null: more than `most`. */
export async function findIdsByUrl(
  db: Database,
  teamId: string,
  prefix: string,
  most: number,
): Promise<string[] | null> {
  const from = Array.from(prefix).slice(0, INDEXED_URL_CHARACTERS).join('');
  const parameters = [teamId, from, `${from}${LAST_CHARACTER}`, most + 1];
  const rows = await db.read(findByUrl, parameters);
  return rows.length > most ? null : rows.map(({ id }) => id);
}

const findByUrl = preparedStatement<{ id: string }>(
  'find-jobs-by-url',
  (dialect) => dialect.findByUrl,
);

const findOriginal = preparedStatement<{ original_id: string }>('find-original', ({ $ }) => {
  const original = (table: string) =>
    `select original_id from ${table} where team_id = ${$(1)} and id = ${$(2)}`;
  return `${original('ended_jobs')} union all ${original('jobs')}`;
});

export async function findIdsOfJob(db: Database, teamId: string, jobId: string): Promise<string[]> {
  const [row] = await db.read(findOriginal, [teamId, jobId]);
  const originalId = row?.original_id ?? jobId;
  return [...new Set([originalId, jobId, ...(await findRetries(db, [originalId]))])];
}
