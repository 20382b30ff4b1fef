import type { Command } from 'commander';
import { formatMillis } from '#domain/instant';
import { rangeOf } from '#domain/limits';
import type { CronChange } from '#work/cron-actions';
import type { Cron, SameCron } from '#work/crons';
import type { Fields } from '#work/fields';
import { MUTE_HOURS } from '#work/mutes';
import { CRON } from '#work/resources/cron';
import { readWhole } from '#work/resources/resource';
import { readOneTag } from '#work/resources/tag-words';
import type { Work } from '#work/work';
import { CommandFault, toOneLine } from './fault.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { addPagedList, addTagFilter, withTag } from './lists.ts';
import { addTeamOption, eitherOption } from './options.ts';
import { writeCron, writeExecution } from './records.ts';
import { channelContext, missing, onId, type Place, type Session, show } from './session.ts';

const CRON_COLUMNS = ['id', 'name', 'cron_expression', 'url', 'is_active', 'next_run_at'] as const;
const EXECUTION_COLUMNS = [
  'id',
  'status',
  'scheduled_for',
  'completed_at',
  'duration_ms',
  'response_status',
  'error_message',
] as const;

export function addCronCommands(program: Command, session: Session): void {
  const cron = program.command('cron').description('crons');
  addTagFilter(addTeamOption(cron.command('list').description("a team's crons"))).action(
    async ({ team, tag }: { team: string; tag?: string }) => {
      const { teamId, work } = await session.findTeam(team);
      session.printList(withTag(await work.listCrons(teamId), tag).map(writeCron), CRON_COLUMNS);
    },
  );
  const create = addTeamOption(cron.command('create').description('create a cron'));
  addFieldOptions(create, CRON, { isNew: true })
    .option('--paused', 'create it paused')
    .action(async ({ team, ...options }: Options & { team: string }) => {
      const active = { is_active: String(!options['paused']) };
      const fields = await readOptions(session, CRON, options, active);
      accept(CRON, readWhole(CRON, fields));
      const { teamId, work } = await session.findTeam(team);
      const context = await channelContext(work, teamId);
      const input = accept(CRON, readWhole(CRON, fields, context));
      const same = await work.findSameCron(teamId, input);
      session.print(writeCron(await work.createCron(teamId, input)));
      warnOfSame(session, same);
    });
  const verb = onId(session, cron, 'cron');
  addFieldOptions(verb('edit', 'change the given fields of a cron', editCron), CRON);
  verb('pause', 'pause a cron', async ({ work, teamId, id }) =>
    writeCron(found(id, await work.pauseCron(teamId, id))),
  );
  verb('resume', 'run a cron on its schedule again', async ({ work, teamId, id }) =>
    writeCron(found(id, await work.startCron(teamId, id))),
  );
  verb('delete', 'delete a cron with its executions', async ({ work, teamId, id }) => {
    const gone = found(id, await work.findCron(teamId, id));
    if (!(await work.deleteCron(teamId, id))) throw missing('cron', id);
    return writeCron(gone);
  });
  verb('run', 'run a cron now, in addition to its schedule', async ({ work, teamId, id }) =>
    writeExecution(found(id, await work.runCronNow(teamId, id))),
  );
  verb(
    'mute',
    'send no notifications of a cron for a while; it runs, and its alerts are kept',
    muteCron,
  ).option('--hours <N>', `for how long, ${rangeOf(MUTE_HOURS)}`, '1');
  verb('unmute', 'send notifications of a cron again', async ({ work, teamId, id }) => {
    requireDone(id, await work.unmuteCron(teamId, id));
    return describeMute(work, teamId, id);
  });
  verb('tag', 'add a tag to a cron, or remove one; the others stay', tagCron)
    .option('--add <TAG>', 'the tag to add')
    .option('--remove <TAG>', 'the tag to remove');
  addTeamOption(cron.command('set').description('start or pause a cron, or set its assertions'))
    .requiredOption('--cron <ID>', "the cron's id")
    .addOption(eitherOption('pause', 'start', 'pause it'))
    .addOption(eitherOption('start', 'pause', 'run it on its schedule again'))
    .option('--assert <JSON>', 'success assertions')
    .action((options: SetOptions) => setCron(session, options));
}

export function addExecutionCommands(program: Command, session: Session): void {
  const list = program
    .command('execution')
    .description("crons' runs")
    .command('list')
    .description("a cron's executions, newest first")
    .requiredOption('--cron <ID>', "the cron's id");
  addPagedList(session, list, EXECUTION_COLUMNS, async ({ cron }: { cron: string }) => {
    const { teamId, work } = await session.find('cron', cron);
    return async ({ limit, before }) =>
      (await work.listExecutions(teamId, cron, limit, before)).map(writeExecution);
  });
}

async function editCron({ session, work, teamId, id }: Place, options: Options): Promise<object> {
  const before = found(id, await work.findCron(teamId, id));
  const fields = await readOptions(session, CRON, options);
  refuseLosing(before, fields);
  const context = await channelContext(work, teamId);
  const { isActive: _, ...input } = accept(
    CRON,
    readWhole(CRON, fields, { ...context, stored: before }),
  );
  const same = await work.findSameCron(teamId, input, id);
  const after = found(id, await work.editCron(teamId, id, input));
  warnOfSame(session, same);
  return writeCron(after);
}

/** Warns of another cron with the same URL and schedule (§3.1), in one line. */
function warnOfSame(session: Session, same: SameCron | null): void {
  if (same === null) return;
  const name = show(toOneLine(same.name));
  session.say(`belfry: warning: the cron ${name} (${same.id}) has the same URL and schedule.`);
}

/** Refuses an edit that would save an unreadable part of the cron as empty. */
function refuseLosing({ id, unreadable }: Cron, fields: Fields): void {
  const isReplaced = ['headers', 'payload', 'assertions'].every((name) => fields.has(name));
  if (unreadable === null || isReplaced) return;
  throw new CommandFault(
    `the cron ${show(id)} cannot be edited as it is: ${unreadable} Give its headers, payload and assertions anew.`,
  );
}

function found<Thing>(id: string, thing: Thing | null): Thing {
  if (thing === null) throw missing('cron', id);
  return thing;
}

async function muteCron({ work, teamId, id }: Place, { hours }: Options): Promise<object> {
  const wanted = Number(hours);
  const { least, most } = MUTE_HOURS;
  if (!/^\d{1,6}$/.test(String(hours)) || wanted < least || wanted > most)
    throw new CommandFault(`--hours: It must be a whole number from ${rangeOf(MUTE_HOURS)}.`);
  requireDone(id, await work.muteCron(teamId, id, wanted));
  return describeMute(work, teamId, id);
}

/** The end of a cron's mute, by any maintenance window. */
async function describeMute(work: Work, teamId: string, id: string) {
  const windows = await work.listActiveWindows(teamId, { kind: 'cron', id });
  const ends = windows.map(({ activeUntil }) => activeUntil ?? 0);
  return { id, muted_until: ends.length === 0 ? null : formatMillis(Math.max(...ends)) };
}

async function tagCron({ work, teamId, id }: Place, options: Options): Promise<object> {
  const [removed, added] = [readTag('remove', options), readTag('add', options)];
  if (removed === null && added === null)
    throw new CommandFault('give --add or --remove, or both.');
  if (removed !== null) requireDone(id, await work.removeCronTag(teamId, id, removed));
  if (added !== null) requireDone(id, await work.addCronTag(teamId, id, added));
  return writeCron(found(id, await work.findCron(teamId, id)));
}

function readTag(option: string, options: Options): string | null {
  const text = options[option];
  if (typeof text !== 'string') return null;
  const read = readOneTag(text);
  if ('error' in read) throw new CommandFault(`--${option}: ${read.error}`);
  return read.tag;
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
  assert?: string;
}

async function setCron(session: Session, { team, cron: id, assert, ...options }: SetOptions) {
  const assertions = assert === undefined ? null : parseJson(assert);
  const { teamId, work } = await session.findTeam(team);
  const notOfTeam = () => new CommandFault(`the team ${show(team)} has no cron ${show(id)}.`);
  if (assertions !== null) {
    const outcome = await work.setCronAssertions(teamId, id, assertions);
    if (outcome.kind === 'refused') throw new CommandFault(`--assert: ${outcome.error}`);
    if (outcome.kind === 'not-found') throw notOfTeam();
  }
  const cron = await (options.pause
    ? work.pauseCron(teamId, id)
    : options.start
      ? work.startCron(teamId, id)
      : work.findCron(teamId, id));
  if (!cron) throw notOfTeam();
  session.print(writeCron(cron));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandFault('--assert: Assertions must be a list written as JSON.');
  }
}
