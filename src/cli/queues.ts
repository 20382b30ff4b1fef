import type { Command } from 'commander';
import { QUEUE, QUEUE_NAME } from '#work/resources/queue';
import { readChange } from '#work/resources/resource';
import { addBulkEdit } from './bulk-edit.ts';
import { addCollectionCommands } from './collection-commands.ts';
import { QUEUES } from './collections.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { addTeamOption } from './options.ts';
import { refusePast } from './pauses.ts';
import { writeQueue } from './records.ts';
import { channelContext, type Session } from './session.ts';

const NAMED = { ...QUEUE_NAME, ...QUEUE };

export function addQueueCommands(program: Command, session: Session): void {
  const queue = program.command('queue').description('queues');
  addCollectionCommands(session, queue, QUEUES, {
    delete: { name: 'delete', description: 'delete a queue with its jobs' },
  });
  addBulkEdit(session, queue, QUEUES);
  const { flags, help } = QUEUES.nameOption;
  const set = addTeamOption(
    queue.command('set').description('change a queue, creating it if needed'),
  ).requiredOption(flags, help);
  addFieldOptions(set, QUEUE, { isNew: true }).action(
    async ({ team, ...options }: Options & { team: string }) => {
      const fields = await readOptions(session, NAMED, options);
      const { name = '' } = accept(NAMED, readChange(NAMED, fields));
      const { teamId, work } = await session.findTeam(team);
      const stored = (await work.findQueueByName(teamId, name)) ?? {};
      const context = await channelContext(work, teamId);
      const change = accept(QUEUE, readChange(QUEUE, fields, { ...context, stored }));
      refusePast(change.pausedUntil, work.now());
      session.print(writeQueue(await work.setQueue(teamId, name, change)));
    },
  );
}
