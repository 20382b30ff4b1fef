import type { Command } from 'commander';
import { formatMillis } from '#domain/instant';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import type { Session } from './session.ts';

const WHO = 'the command line';

/** The effect is printed before the confirmation. */
const VERBS = {
  pause: {
    description: 'run no cron and send no job of a team until it is resumed',
    warning: 'this stops all crons and jobs of the team; add --yes to confirm.',
  },
  resume: {
    description: 'continue everything of a team that is not paused separately',
    warning: 'this starts everything that is due in the team; add --yes to confirm.',
  },
} as const;

export function addTeamPauseCommands(team: Command, session: Session): void {
  for (const verb of ['pause', 'resume'] as const) {
    const { description, warning } = VERBS[verb];
    addTeamOption(team.command(verb).description(description))
      .option('--yes', 'confirm')
      .action(async (options: { team: string; yes?: true }) => {
        const { teamId, name, work } = await session.findTeam(options.team);
        if (options.yes !== true) throw new CommandFault(warning);
        const isChanged = await (verb === 'pause'
          ? work.pauseTeam(teamId, WHO)
          : work.resumeTeam(teamId));
        if (!isChanged)
          session.say(verb === 'pause' ? 'It was paused already.' : 'It was not paused.');
        const pause = await work.readTeamPause(teamId);
        const paused_at = pause && formatMillis(pause.at);
        session.print({ id: teamId, name, paused_at, paused_by: pause?.by ?? null });
      });
  }
}
