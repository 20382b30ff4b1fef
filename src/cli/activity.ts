import { type Command, Option } from 'commander';
import { ACTIVITY_AREAS, type ActivityArea } from '#domain/activity';
import { addListOptions, type ListOptions, printList } from './lists.ts';
import { addTeamOption } from './options.ts';
import { writeActivity } from './records.ts';
import type { Session } from './session.ts';

interface Options extends ListOptions {
  team: string;
  area?: ActivityArea;
}

const COLUMNS = ['id', 'at', 'actor', 'action', 'subject', 'detail'] as const;

export function addActivityCommands(program: Command, session: Session): void {
  const list = program
    .command('activity')
    .description('who did what in a team')
    .command('list')
    .description('what people did, newest first');
  addListOptions(addTeamOption(list))
    .addOption(new Option('--area <AREA>', 'only this').choices(Object.keys(ACTIVITY_AREAS)))
    .action(async ({ team, area, ...options }: Options) => {
      const { teamId, work } = await session.findTeam(team);
      const readPage = async (page: { limit: number; before?: string }) => {
        const asked = { ...page, ...(area && { area }), withAccess: true };
        return (await work.listActivity(teamId, asked)).map(writeActivity);
      };
      await printList(session, options, readPage, COLUMNS);
    });
}
