import type { AlertSettings } from '#domain/alert-settings';
import type { AlertSource } from '#domain/maintenance';
import type { ChannelOutcome } from '#work/channels';
import type { Work } from '#work/work';
import { CommandFault } from '../fault.ts';
import { withIds } from './alert-fields.ts';
import type { Step } from './plan.ts';
import type { WantedCover } from './read.ts';

/** Carries out one step by the same methods as the dashboard. Throws a CommandFault, or what the store throws. */
export async function carryOutStep(work: Work, teamId: string, step: Step): Promise<void> {
  switch (step.kind) {
    case 'channel':
      return acceptChannel(
        await work.setChannel(teamId, step.wanted.config, step.wanted.collectMinutes),
      );
    case 'named-channel':
      return acceptChannel(
        await (step.id === null
          ? work.addChannel(teamId, step.wanted)
          : work.editChannel(teamId, step.id, step.wanted)),
      );
    case 'queue': {
      const { name, isPaused, ...settings } = step.wanted;
      const alertSettings = await findChannels(work, teamId, settings.alertSettings);
      const change = { ...settings, alertSettings, ...(isPaused !== null && { isPaused }) };
      await work.setQueue(teamId, name, change);
      return;
    }
    case 'cron':
      return saveCron(work, teamId, step);
    case 'window':
      return saveWindow(work, teamId, step);
  }
}

function acceptChannel(outcome: ChannelOutcome): void {
  switch (outcome.kind) {
    case 'saved':
      return;
    case 'same':
      throw new CommandFault(`it leads to the same place as ${outcome.as}.`);
    case 'too-many':
      throw new CommandFault('the team has as many channels as it may have.');
    case 'name-taken':
      throw new CommandFault('a channel of that name was made meanwhile.');
    case 'not-found':
      throw new CommandFault('it was deleted meanwhile.');
  }
}

/** Looks channels up only when a step needs them: an earlier step may have made them. */
async function findChannels(
  work: Work,
  teamId: string,
  settings: AlertSettings,
): Promise<AlertSettings> {
  if (Object.keys(settings.channels).length === 0) return settings;
  return withIds(settings, await work.listChannelSettings(teamId));
}

async function saveCron(
  work: Work,
  teamId: string,
  { id, wanted }: Extract<Step, { kind: 'cron' }>,
): Promise<void> {
  const { input, isActive, assertions, tags, end } = wanted;
  const alertSettings = await findChannels(work, teamId, wanted.alertSettings);
  if (id === null) {
    const active = { ...input, isActive: isActive ?? true };
    await work.createCron(teamId, { ...active, assertions, alertSettings, tags, end });
    return;
  }
  const extras = { assertions, alertSettings, tags, end };
  const edit = { ...input, ...extras, ...(isActive !== null && { isActive }) };
  const cron = await work.editCron(teamId, id, edit);
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

/** Looks crons and queues up only when a step needs them: an earlier step may have made them. */
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
