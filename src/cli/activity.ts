import { type Command, Option } from 'commander';
import { ACTIVITY_AREAS, type ActivityArea } from '#domain/team/activity';
import { addTeamList } from './lists.ts';
import { writeActivity } from './records.ts';
import type { Session } from './session.ts';

const COLUMNS = ['id', 'at', 'actor', 'action', 'subject', 'detail'] as const;

export function addActivityCommands(program: Command, session: Session): void {
  const activity = program.command('activity').description('who did what in a team');
  const list = activity
    .command('list')
    .description('what people did, newest first')
    .addOption(new Option('--area <AREA>', 'only this').choices(Object.keys(ACTIVITY_AREAS)));
  addTeamList(session, list, COLUMNS, async (place, page, { area }: { area?: ActivityArea }) => {
    const asked = { ...page, ...(area && { area }), withAccess: true };
    return (await place.work.listActivity(place.teamId, asked)).map(writeActivity);
  });
}
