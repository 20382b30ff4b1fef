import type { Command } from 'commander';
import { addTeamList } from './lists.ts';
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
  const alert = program.command('alert').description('alerts');
  const list = alert.command('list').description("a team's alerts, newest first");
  addTeamList(session, list, COLUMNS, async ({ work, teamId }, page) =>
    (await work.listAlerts(teamId, page)).map(writeAlert),
  );
}
