import type { AlertSource } from '#domain/maintenance';
import type { Work } from '#work/work';
import { CommandFault } from '../fault.ts';
import type { Step } from './plan.ts';
import type { WantedCover } from './read.ts';

/** Carries one step out, by the same verbs as the dashboard. Throws a CommandFault, or what the store throws. */
export async function carryOutStep(work: Work, teamId: string, step: Step): Promise<void> {
  switch (step.kind) {
    case 'channel':
      return work.setChannel(teamId, step.wanted);
    case 'queue': {
      const { name, isPaused, ...settings } = step.wanted;
      await work.setQueue(teamId, name, { ...settings, ...(isPaused !== null && { isPaused }) });
      return;
    }
    case 'cron':
      return saveCron(work, teamId, step);
    case 'window':
      return saveWindow(work, teamId, step);
  }
}

async function saveCron(
  work: Work,
  teamId: string,
  { id, wanted }: Extract<Step, { kind: 'cron' }>,
): Promise<void> {
  const { input, isActive, assertions } = wanted;
  if (id === null) {
    await work.createCron(teamId, { ...input, isActive: isActive ?? true }, assertions);
    return;
  }
  const edit = { ...input, ...(isActive !== null && { isActive }) };
  const cron = await work.editCron(teamId, id, edit, assertions);
  if (!cron) throw new CommandFault('it was deleted meanwhile.');
}

async function saveWindow(
  work: Work,
  teamId: string,
  { id, wanted }: Extract<Step, { kind: 'window' }>,
): Promise<void> {
  const covers = await findCovered(work, teamId, wanted.covers);
  const input = { ...wanted, covers };
  const { kind } = await (id === null
    ? work.createWindow(teamId, input)
    : work.editWindow(teamId, id, input));
  if (kind === 'too-many') throw new CommandFault('the team has as many windows as it may have.');
  if (kind === 'not-found') throw new CommandFault('it was deleted meanwhile.');
}

/** Looked up only now: some of it may have been made just before. */
async function findCovered(
  work: Work,
  teamId: string,
  covers: WantedCover,
): Promise<'team' | AlertSource[]> {
  if (covers === 'team') return covers;
  const wanted = { cron: new Set(covers.crons), queue: new Set(covers.queues) };
  const sources = await work.listAlertSources(teamId);
  return sources
    .filter(({ kind, name }) => wanted[kind].has(name))
    .map(({ kind, id }) => ({ kind, id }));
}
