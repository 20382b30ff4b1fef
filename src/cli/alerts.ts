import type { Command } from 'commander';
import type { AlertFilter } from '#work/alerts';
import { addListOptions, type ListOptions, printList } from './lists.ts';
import { addTeamOption } from './options.ts';
import { writeAlert } from './records.ts';
import type { Session } from './session.ts';

const COLUMNS = [
  'id',
  'raised_at',
  'level',
  'source',
  'source_name',
  'error_message',
  'delivery',
] as const;

export function addAlertCommands(program: Command, session: Session): void {
  const list = program
    .command('alert')
    .description('alerts')
    .command('list')
    .description("a team's alerts, newest first");
  addListOptions(addTeamOption(list)).action(async (options: ListOptions & { team: string }) => {
    const { teamId, work } = await session.findTeam(options.team);
    const readPage = async (page: AlertFilter) =>
      (await work.listAlerts(teamId, page)).map(writeAlert);
    await printList(session, options, readPage, COLUMNS);
  });
}
