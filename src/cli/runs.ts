import { type Command, Option } from 'commander';
import { readRunSearch, RUN_OUTCOMES, type RunSearch } from '#domain/runs/run-search';
import { writeRun } from '#work/record';
import type { Work } from '#work/work';
import { CommandFault } from './fault.ts';
import { addTeamList } from './lists.ts';
import { type Session, show } from './session.ts';

/** By the names of the filters. */
interface Narrowing {
  kind?: string;
  queue?: string;
  cron?: string;
  tag?: string;
  status?: string;
  reason?: string;
  code?: string;
  host?: string;
  text?: string;
  from?: string;
  to?: string;
}

const PLAIN = ['tag', 'status', 'reason', 'code', 'host', 'text', 'from', 'to'] as const;
const COLUMNS = [
  'id',
  'completed_at',
  'source',
  'method',
  'url',
  'status',
  'response_status',
  'error_message',
  'duration_ms',
] as const;

export function addRunCommands(program: Command, session: Session): void {
  const list = program
    .command('runs')
    .description('what was sent and has ended, of jobs and of crons')
    .command('list')
    .description('attempts of jobs and runs of crons, latest end first');
  list
    .addOption(new Option('--kind <KIND>', 'only of these').choices(['jobs', 'crons']))
    .addOption(new Option('--queue <Q>', 'of the queue of this name').conflicts(['kind', 'cron']))
    .addOption(new Option('--cron <ID>', 'of the cron of this id').conflicts(['kind']))
    .option('--tag <TAG>', 'of queues and crons that have it')
    .addOption(new Option('--status <S>', 'how they ended').choices(RUN_OUTCOMES))
    .option('--reason <R>', 'a reason, or how a connection failed')
    .option('--code <CODE>', 'status codes: 503, 5xx, "500,502" or none')
    .option('--host <HOST>', 'the host of the URL, with its port or without')
    .option('--text <TEXT>', "within a job's payload, or within the response")
    .option('--from <TIME>', 'ended then or later, UTC')
    .option('--to <TIME>', 'ended before then, UTC');
  addTeamList(session, list, COLUMNS, async ({ work, teamId }, page, narrowing: Narrowing) => {
    const search = readNarrowing(await writeNarrowing(work, teamId, narrowing));
    const runs = await work.listRunsBefore(teamId, search, page);
    if (runs === null)
      throw new CommandFault(`there is no run ${show(page.before ?? '')} any more.`);
    return runs.map(writeRun);
  });
}

/** As an address of the page of runs would have it. */
async function writeNarrowing(
  work: Work,
  teamId: string,
  given: Narrowing,
): Promise<URLSearchParams> {
  const params = new URLSearchParams();
  for (const name of PLAIN) if (given[name] !== undefined) params.set(name, given[name]);
  if (given.kind !== undefined) params.set('of', given.kind);
  if (given.cron !== undefined) params.set('of', `cron:${given.cron}`);
  if (given.queue !== undefined) {
    const queue = await work.findQueueByName(teamId, given.queue);
    if (!queue) throw new CommandFault(`the team has no queue ${show(given.queue)}.`);
    params.set('of', `queue:${queue.id}`);
  }
  return params;
}

function readNarrowing(params: URLSearchParams): RunSearch {
  const { search, faults } = readRunSearch(params);
  if (search !== null) return search;
  const [fault] = Object.entries(faults);
  const [name, sentence] = fault ?? ['', ''];
  const option = name === 'of' ? 'cron' : name;
  throw new CommandFault(`--${option}: ${sentence}`);
}
