import type { Command } from 'commander';
import { formatMillis } from '#domain/base/instant';
import { readChange, writeRecord } from '#work/resources/resource';
import { TEAM } from '#work/resources/team';
import { CommandFault } from './fault.ts';
import { accept, addFieldOptions, readOptions } from './fields.ts';
import { addUntil, readUntil } from './pauses.ts';
import { writeTeam } from './records.ts';
import { plainVerbs, type Session, type TeamPlace, teamVerbs } from './session.ts';
import { addTeamFileCommands } from './team-files.ts';
import { listErrors } from './users.ts';

const COLUMNS = ['id', 'name', 'plan', 'monthly_limit', 'used', 'created_at'] as const;

export function addTeamCommands(program: Command, session: Session): void {
  const team = program.command('team').description('teams');
  addTeamFileCommands(team, session);
  plainVerbs(session, team)(
    'list',
    'the teams with plan and usage',
    async ({ people }) => (await people.listTeams()).map(writeTeam),
    COLUMNS,
  );
  const verb = teamVerbs(session, team);
  verb<{ plan: string }>(
    'plan',
    'put a team on a plan of the setting PLANS',
    async ({ teamId, people }, { plan }) => {
      const outcome = await people.setPlan(teamId, plan);
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      if (outcome.kind === 'not-found') throw new CommandFault('the team was just deleted.');
      return writeTeam(outcome.team);
    },
  ).requiredOption('--plan <NAME>', "the plan's name");
  verb(
    'signing-secret',
    "make a team's signing secret, replacing the one it has",
    async ({ teamId, people }) => ({ signingSecret: await people.generateSigningSecret(teamId) }),
  );
  const edit = verb('edit', "change a team's settings", async (place, options) => {
    const { work, teamId } = place;
    const change = accept(TEAM, readChange(TEAM, await readOptions(session, TEAM, options)));
    await work.editTeamSettings(teamId, change);
    return writeRecord(TEAM, await work.readTeamSettings(teamId));
  });
  addFieldOptions(edit, TEAM);
  for (const name of ['pause', 'resume'] as const) {
    const { description, warning, already } = PAUSES[name];
    const command = verb<{ yes?: true; until?: string }>(
      name,
      description,
      async (place, given) => {
        if (given.yes !== true) throw new CommandFault(warning);
        const { work, teamId } = place;
        const isChanged = await (name === 'pause'
          ? work.pauseTeam(teamId, 'the command line', readUntil(given.until, work.now()))
          : work.resumeTeam(teamId));
        if (!isChanged) session.say(already);
        return describePause(place);
      },
    );
    if (name === 'pause') addUntil(command);
    command.option('--yes', 'confirm');
  }
}

/** The effect is printed before the confirmation. */
const PAUSES = {
  pause: {
    description: 'run no cron and send no job of a team until it is resumed',
    warning: 'this stops all crons and jobs of the team; add --yes to confirm.',
    already: 'It was paused already.',
  },
  resume: {
    description: 'continue everything of a team that is not paused separately',
    warning: 'this starts everything that is due in the team; add --yes to confirm.',
    already: 'It was not paused.',
  },
} as const;

async function describePause({ teamId: id, name, work }: TeamPlace): Promise<object> {
  const pause = await work.readTeamPause(id);
  return {
    id,
    name,
    paused_at: pause && formatMillis(pause.at),
    paused_by: pause?.by ?? null,
    paused_until: formatMillis(pause?.until ?? null),
  };
}
