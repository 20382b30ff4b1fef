import { notFound, notHere, open } from '../serving/open.ts';
import { data } from 'react-router';
import type { Context } from '../context.ts';
import type {
  ExecutionRunDetail,
  JobRunDetail,
  RunDetail,
  ShowOptions,
  Work,
} from '../services.ts';
import { leaveOutLongTexts, textParts, type RunTextPart } from './run-text.ts';

type Asked = { params: { id: string }; context: Context; url: URL };
type ReadRun<Run> = (
  work: Work,
  ...asked: [teamId: string, id: string, options?: ShowOptions]
) => Promise<Run | null>;

const areSecretsShown = ({ searchParams }: URL) => searchParams.get('secrets') === 'shown';

/** Or the 404 page. */
export async function readRunPage<Run extends JobRunDetail | ExecutionRunDetail>(
  { params, context, url }: Asked,
  read: ReadRun<Run>,
) {
  const { team, work } = open(context);
  const secretsShown = areSecretsShown(url);
  const run =
    (await read(work, team.id, params.id, { showSecrets: secretsShown })) ??
    (await notHere(context, (teamId) => read(work, teamId, params.id)));
  const isWhole = url.searchParams.get('body') === 'whole';
  const wholeBody = isWhole
    ? await work.readResponseText(team.id, run.record.id, { showSecrets: secretsShown })
    : null;
  const source = await readFailedSource(work, team.id, run);
  return { run: leaveOutLongTexts(run), secretsShown, wholeBody, source };
}

export type FailedSource = NonNullable<Awaited<ReturnType<typeof readFailedSource>>>;

/** Null for runs that did not fail. */
async function readFailedSource(
  work: Work,
  teamId: string,
  run: JobRunDetail | ExecutionRunDetail,
) {
  if (run.explanation === null) return null;
  const row =
    run.kind === 'job'
      ? await work.readQueueRow(teamId, run.record.queueId)
      : await work.readCronRow(teamId, run.cron.id);
  if (row === null) return null;
  const kind = 'queue' in row ? 'queue' : 'cron';
  const { id, name, alertSettings } = 'queue' in row ? row.queue : row.cron;
  return { kind, id, name, alertSettings, streak: row.streak } as const;
}

/** A payload of the maximum size fits, even escaped twice. */
const mostSent = 8 * 1024 * 1024;

/** `?part=body`, `curl` or `call`. */
export function textLoader(read: ReadRun<RunDetail>) {
  return async ({ params, context, url }: Asked): Promise<Response> => {
    const { team, work } = open(context);
    const options = { showSecrets: areSecretsShown(url), isWhole: true };
    const run = (await read(work, team.id, params.id, options)) ?? notFound();
    const part = url.searchParams.get('part') ?? '';
    if (!Object.hasOwn(textParts, part)) throw data(null, { status: 404 });
    return new Response(textParts[part as RunTextPart](run).slice(0, mostSent), {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  };
}
