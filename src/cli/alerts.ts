import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { addTeamList } from './lists.ts';
import { repeatedOption } from './options.ts';
import { writeAlert } from './records.ts';
import { type Session, teamVerbs } from './session.ts';

const COLUMNS = [
  'id',
  'raised_at',
  'level',
  'source',
  'source_name',
  'response_status',
  'error_message',
  'delivery',
] as const;

export function addAlertCommands(program: Command, session: Session): void {
  const alert = program.command('alert').description('alerts');
  const list = alert.command('list').description("a team's alerts, newest first");
  addTeamList(session, list, COLUMNS, async ({ work, teamId }, page) =>
    (await work.listAlerts(teamId, page)).map(writeAlert),
  );
  const read = teamVerbs(session, alert)<{ id?: string[]; upTo?: string }>(
    'read',
    'mark alerts as read',
    async ({ work, teamId }, { id: ids, upTo }) => {
      if (!ids && upTo === undefined) throw new CommandFault('give --id or --up-to.');
      const marked = await (upTo === undefined
        ? work.markAlerts(teamId, ids ?? [], true)
        : work.markAlertsReadUpTo(teamId, upTo));
      return { marked };
    },
  );
  read
    .addOption(repeatedOption('--id <ID>', 'an alert; may be repeated'))
    .addOption(new Option('--up-to <ID>', 'an alert and all older ones').conflicts('id'));
}
