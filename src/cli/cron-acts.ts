import type { Command } from 'commander';
import type { CronAct } from '#work/cron-actions';
import { MUTE_HOURS } from '#work/mutes';
import { readOneTag } from '#work/tag-input';
import type { Work } from '#work/work';
import { rangeOf } from '#domain/limits';
import { CommandFault } from './fault.ts';
import { writeCron, writeInstant } from './records.ts';
import { noCron, type Session } from './session.ts';

/** Adds mute, unmute and tag: actions that the dashboard applies to many crons, here for one. */
export function addCronActs(cron: Command, session: Session): void {
  const withId = (name: string, description: string) =>
    cron.command(name).description(description).requiredOption('--id <ID>', "the cron's id");
  withId('mute', 'tell nobody of a cron for a while; it runs, and its alerts are kept')
    .option('--hours <N>', `for how long, ${rangeOf(MUTE_HOURS)}`, '1')
    .action(async ({ id, hours }: { id: string; hours: string }) => {
      const act = { kind: 'mute', hours: readHours(hours) } as const;
      const { teamId, work } = await session.findTeamOfCron(id);
      await carryOut(work, teamId, id, act);
      session.print(await describeMute(work, teamId, id));
    });
  withId('unmute', 'tell of a cron again').action(async ({ id }: { id: string }) => {
    const { teamId, work } = await session.findTeamOfCron(id);
    await carryOut(work, teamId, id, { kind: 'unmute' });
    session.print(await describeMute(work, teamId, id));
  });
  withId('tag', 'add a tag to a cron, or remove one; the others stay')
    .option('--add <TAG>', 'the tag that it gets')
    .option('--remove <TAG>', 'the tag that it loses')
    .action(async ({ id, add, remove }: { id: string; add?: string; remove?: string }) => {
      const acts = [
        ...(remove === undefined ? [] : [readTagAct('remove-tag', '--remove', remove)]),
        ...(add === undefined ? [] : [readTagAct('add-tag', '--add', add)]),
      ];
      if (acts.length === 0) throw new CommandFault('give --add or --remove, or both.');
      const { teamId, work } = await session.findTeamOfCron(id);
      for (const act of acts) await carryOut(work, teamId, id, act);
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

function readTagAct(kind: 'add-tag' | 'remove-tag', option: string, text: string): CronAct {
  const read = readOneTag(text);
  if ('error' in read) throw new CommandFault(`${option}: ${read.error}`);
  return { kind, tag: read.tag };
}

async function carryOut(work: Work, teamId: string, id: string, act: CronAct): Promise<void> {
  const { done, unchanged } = await work.actOnCrons(teamId, act, { ids: [id] });
  const [left] = unchanged;
  if (left) throw new CommandFault(`nothing was changed: ${left.why}.`);
  if (done.length === 0) throw noCron(id);
}

/** The end of a cron's mute, by any maintenance window. */
async function describeMute(work: Work, teamId: string, id: string) {
  const windows = await work.listActiveWindows(teamId, { kind: 'cron', id });
  const ends = windows.map(({ activeUntil }) => activeUntil ?? 0);
  return { id, muted_until: ends.length === 0 ? null : writeInstant(Math.max(...ends)) };
}
