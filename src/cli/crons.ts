import type { Command } from 'commander';
import { formatMillis } from '#domain/base/instant';
import { rangeOf } from '#domain/base/limits';
import { type CronChange, MUTE_HOURS } from '#work/cron-actions';
import { CRON } from '#work/resources/cron';
import { readChange } from '#work/resources/resource';
import type { Work } from '#work/work';
import { addBulkEdit } from './bulk-edit.ts';
import { addCollectionCommands, type ItemPlace } from './collection-commands.ts';
import { CRONS } from './collections.ts';
import { CommandFault } from './fault.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { addPagedList, takeTag } from './lists.ts';
import { addUntil, readUntil } from './pauses.ts';
import { addTeamOption, eitherOption } from './options.ts';
import { writeCron, writeExecution } from './records.ts';
import { missing, type Session, show } from './session.ts';

const EXECUTION_COLUMNS = [
  'id',
  'status',
  'scheduled_for',
  'completed_at',
  'duration_ms',
  'response_status',
  'error_message',
] as const;

const ASSERTED = { assertions: CRON.assertions };

type Place = ItemPlace<{ id: string }>;

export function addCronCommands(program: Command, session: Session): void {
  const cron = program.command('cron').description('crons');
  const verb = addCollectionCommands(session, cron, CRONS, {
    create: { name: 'create', description: 'create a cron' },
    edits: true,
    delete: { name: 'delete', description: 'delete a cron with its executions' },
  });
  addBulkEdit(session, cron, CRONS);
  const pause = verb('pause', 'pause a cron', async ({ work, teamId, item: { id } }, { until }) =>
    writeCron(found(id, await work.pauseCron(teamId, id, readUntil(until, work.now())))),
  );
  addUntil(pause);
  verb('resume', 'run a cron on its schedule again', async ({ work, teamId, item: { id } }) =>
    writeCron(found(id, await work.startCron(teamId, id))),
  );
  verb(
    'run',
    'run a cron now, in addition to its schedule',
    async ({ work, teamId, item: { id } }) =>
      writeExecution(found(id, await work.runCronNow(teamId, id))),
  );
  verb(
    'mute',
    'send no notifications of a cron for a while; it runs, and its alerts are kept',
    muteCron,
  ).option('--hours <N>', `for how long, ${rangeOf(MUTE_HOURS)}`, '1');
  verb('unmute', 'send notifications of a cron again', async ({ work, teamId, item: { id } }) => {
    requireDone(id, await work.unmuteCron(teamId, id));
    return describeMute(work, teamId, id);
  });
  verb('tag', 'add a tag to a cron, or remove one; the others stay', tagCron)
    .option('--add <TAG>', 'the tag to add')
    .option('--remove <TAG>', 'the tag to remove');
  const set = addTeamOption(
    cron.command('set').description('start or pause a cron, or set its assertions'),
  )
    .requiredOption('--cron <ID>', "the cron's id")
    .addOption(eitherOption('pause', 'start', 'pause it'))
    .addOption(eitherOption('start', 'pause', 'run it on its schedule again'));
  addFieldOptions(set, ASSERTED).action((options: SetOptions & Options) =>
    setCron(session, options),
  );
}

export function addExecutionCommands(program: Command, session: Session): void {
  const list = program
    .command('execution')
    .description("crons' runs")
    .command('list')
    .description("a cron's executions, newest first")
    .requiredOption('--cron <ID>', "the cron's id");
  addPagedList(
    session,
    list,
    EXECUTION_COLUMNS,
    ({ cron }: { cron: string }) => session.find('cron', cron),
    async ({ teamId, work }, { limit, before }, { cron }) =>
      (await work.listExecutions(teamId, cron, limit, before)).map(writeExecution),
  );
}

function found<Thing>(id: string, thing: Thing | null): Thing {
  if (thing === null) throw missing('cron', id);
  return thing;
}

async function muteCron({ work, teamId, item: { id } }: Place, { hours }: Options) {
  const wanted = Number(hours);
  const { least, most } = MUTE_HOURS;
  if (!/^\d{1,6}$/.test(String(hours)) || wanted < least || wanted > most)
    throw new CommandFault(`--hours: It must be a whole number from ${rangeOf(MUTE_HOURS)}.`);
  requireDone(id, await work.muteCron(teamId, id, wanted));
  return describeMute(work, teamId, id);
}

/** By any maintenance window. */
async function describeMute(work: Work, teamId: string, id: string) {
  const windows = await work.listActiveWindows(teamId, { kind: 'cron', id });
  const ends = windows.map(({ activeUntil }) => activeUntil ?? 0);
  return { id, muted_until: ends.length === 0 ? null : formatMillis(Math.max(...ends)) };
}

async function tagCron({ work, teamId, item: { id } }: Place, options: Options): Promise<object> {
  const [removed, added] = (['remove', 'add'] as const).map((option) => {
    const text = options[option];
    return typeof text === 'string' ? takeTag(option, text) : undefined;
  });
  if (removed === undefined && added === undefined)
    throw new CommandFault('give --add or --remove, or both.');
  if (removed !== undefined) requireDone(id, await work.removeCronTag(teamId, id, removed));
  if (added !== undefined) requireDone(id, await work.addCronTag(teamId, id, added));
  return writeCron(found(id, await work.findCron(teamId, id)));
}

function requireDone(id: string, change: CronChange): void {
  if (change.kind === 'not-found') throw missing('cron', id);
  if (change.kind === 'unchanged') throw new CommandFault(`nothing was changed: ${change.why}.`);
}

interface SetOptions {
  team: string;
  cron: string;
  pause?: true;
  start?: true;
}

async function setCron(session: Session, { team, cron: id, ...options }: SetOptions & Options) {
  const change = accept(
    ASSERTED,
    readChange(ASSERTED, await readOptions(session, ASSERTED, options)),
  );
  const { teamId, work } = await session.findTeam(team);
  const cron = await work.findCron(teamId, id);
  if (!cron) throw new CommandFault(`the team ${show(team)} has no cron ${show(id)}.`);
  if (change.assertions) await CRONS.save(work, teamId, change, cron);
  if (options.pause) await work.pauseCron(teamId, id);
  if (options.start) await work.startCron(teamId, id);
  session.print(writeCron(found(id, await work.findCron(teamId, id))));
}
