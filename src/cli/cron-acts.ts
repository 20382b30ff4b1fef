import type { Command } from 'commander';
import type { CronChange } from '#work/cron-actions';
import { MUTE_HOURS } from '#work/mutes';
import { readOneTag } from '#work/resources/tag-words';
import type { Work } from '#work/work';
import { rangeOf } from '#domain/limits';
import { CommandFault } from './fault.ts';
import { writeCron, writeInstant } from './records.ts';
import { noCron, type Session } from './session.ts';

/** Adds mute, unmute and tag. */
export function addCronActs(cron: Command, session: Session): void {
  const withId = (name: string, description: string) =>
    cron.command(name).description(description).requiredOption('--id <ID>', "the cron's id");
  withId('mute', 'tell nobody of a cron for a while; it runs, and its alerts are kept')
    .option('--hours <N>', `for how long, ${rangeOf(MUTE_HOURS)}`, '1')
    .action(async ({ id, hours }: { id: string; hours: string }) => {
      const wanted = readHours(hours);
      const { teamId, work } = await session.findTeamOfCron(id);
      requireDone(id, await work.muteCron(teamId, id, wanted));
      session.print(await describeMute(work, teamId, id));
    });
  withId('unmute', 'tell of a cron again').action(async ({ id }: { id: string }) => {
    const { teamId, work } = await session.findTeamOfCron(id);
    requireDone(id, await work.unmuteCron(teamId, id));
    session.print(await describeMute(work, teamId, id));
  });
  withId('tag', 'add a tag to a cron, or remove one; the others stay')
    .option('--add <TAG>', 'the tag that it gets')
    .option('--remove <TAG>', 'the tag that it loses')
    .action(async ({ id, add, remove }: { id: string; add?: string; remove?: string }) => {
      const removed = remove === undefined ? null : readTag('--remove', remove);
      const added = add === undefined ? null : readTag('--add', add);
      if (removed === null && added === null)
        throw new CommandFault('give --add or --remove, or both.');
      const { teamId, work } = await session.findTeamOfCron(id);
      if (removed !== null) requireDone(id, await work.removeCronTag(teamId, id, removed));
      if (added !== null) requireDone(id, await work.addCronTag(teamId, id, added));
      const changed = await work.findCron(teamId, id);
      if (!changed) throw noCron(id);
      session.print(writeCron(changed));
    });
}

function readHours(text: string): number {
  const hours = Number(text);
  const { least, most } = MUTE_HOURS;
  if (/^\d{1,6}$/.test(text) && hours >= least && hours <= most) return hours;
  throw new CommandFault(`--hours: It must be a whole number from ${rangeOf(MUTE_HOURS)}.`);
}

function readTag(option: string, text: string): string {
  const read = readOneTag(text);
  if ('error' in read) throw new CommandFault(`${option}: ${read.error}`);
  return read.tag;
}

function requireDone(id: string, change: CronChange): void {
  if (change.kind === 'not-found') throw noCron(id);
  if (change.kind === 'unchanged') throw new CommandFault(`nothing was changed: ${change.why}.`);
}

/** The end of a cron's mute, by any maintenance window. */
async function describeMute(work: Work, teamId: string, id: string) {
  const windows = await work.listActiveWindows(teamId, { kind: 'cron', id });
  const ends = windows.map(({ activeUntil }) => activeUntil ?? 0);
  return { id, muted_until: ends.length === 0 ? null : writeInstant(Math.max(...ends)) };
}
