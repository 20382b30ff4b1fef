import { countOf } from '#domain/amounts';
import type { Command } from 'commander';
import type { Work } from '#work/work';
import { CommandFault, explainFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { show, type Session } from './session.ts';
import type { Problem, TeamDocument } from './team-file/document.ts';
import type { Plan, Step, TeamState } from './team-file/plan.ts';
import type { WantedTeam } from './team-file/read.ts';

/** Adds `team export` and `team apply`. The code that reads and writes the file is loaded only for them. */
export function addTeamFileCommands(team: Command, session: Session): void {
  const write = team.command('export');
  addTeamOption(
    write.description("write a team's crons, queues, channels and windows as a file"),
  ).action(({ team: name }: { team: string }) => exportTeam(session, name));
  const read = team.command('apply');
  addTeamOption(read.description('make a team what a file says'))
    .argument('<FILE>', 'a file as export writes it; - for standard input')
    .option('--dry-run', 'only tell what would change')
    .action((file: string, options: { team: string; dryRun?: boolean }) =>
      applyFile(session, file, options),
    );
}

async function exportTeam(session: Session, nameOrId: string): Promise<void> {
  const { teamId, name, work } = await session.findTeam(nameOrId);
  const { writeTeamFile } = await import('./team-file/write.ts');
  const state = await readState(work, teamId);
  const { text, secrets } = writeTeamFile(name, state, work.isSecretHeader);
  session.services.terminal.print(text);
  for (const { name: cron, unreadable } of state.crons) {
    if (unreadable !== null) session.say(`The cron ${show(cron)} is not whole: ${unreadable}`);
  }
  if (secrets.length === 0) return;
  session.say(`Secrets are left out; set ${secrets.join(', ')} where the file is applied.`);
}

async function applyFile(
  session: Session,
  file: string,
  { team, dryRun = false }: { team: string; dryRun?: boolean },
): Promise<void> {
  const { document, wanted } = await readFile(session, file);
  const { planTeam } = await import('./team-file/plan.ts');
  const { teamId, work } = await session.findTeam(team);
  const state = await readState(work, teamId);
  const { plan, problems } = planTeam(wanted, state, work.isSecretHeader);
  refuseProblems(session, file, problems, document);
  const done = dryRun ? null : await carryOut(session, work, teamId, plan);
  report(session, plan, dryRun, done);
}

/** Reads the file and reports its problems before a database is opened. */
async function readFile(
  session: Session,
  file: string,
): Promise<{ document: TeamDocument; wanted: WantedTeam }> {
  const { readDocument } = await import('./team-file/document.ts');
  const { readTeam } = await import('./team-file/read.ts');
  const text = await session.services.readFile(file);
  if ('fault' in text) throw new CommandFault(`${show(file)} ${text.fault}.`);
  const read = readDocument(text.text, (name) => session.services.readVariable(name));
  const document = 'document' in read ? read.document : null;
  refuseProblems(session, file, read.problems, document);
  if (document === null) throw new Error('a file without problems has a document');
  const { team: wanted, problems } = readTeam(document);
  refuseProblems(session, file, problems, document);
  return { document, wanted };
}

const MOST_SHOWN = 20;

function refuseProblems(
  session: Session,
  file: string,
  problems: readonly Problem[],
  document: TeamDocument | null,
): void {
  if (problems.length === 0) return;
  for (const { path, message } of problems.slice(0, MOST_SHOWN)) {
    const place = path.length > 0 ? (document?.locate(path) ?? '') : '';
    session.say(explainFault(new CommandFault(place === '' ? message : `${place}: ${message}`)));
  }
  const count = countOf(problems.length, 'problem');
  throw new CommandFault(`${show(file)} has ${count}; nothing was changed.`);
}

async function readState(work: Work, teamId: string): Promise<TeamState> {
  const [config, { collectMinutes }, channels, queues, crons, windows] = await Promise.all([
    work.readChannelConfig(teamId),
    work.readChannel(teamId),
    work.listChannelSettings(teamId),
    work.listQueues(teamId),
    work.listCrons(teamId),
    work.listWindows(teamId),
  ]);
  const channel = { config, collectMinutes };
  return { channel, channels, queues, crons, windows };
}

/**
 * Carries out the steps, each in a transaction of its own as in the dashboard. A step that fails ends the command with
 * a message that says what was done; applying the same file again continues there.
 *
 * @returns how many steps were carried out
 */
async function carryOut(
  session: Session,
  work: Work,
  teamId: string,
  { steps }: Plan,
): Promise<number> {
  const { carryOutStep } = await import('./team-file/apply.ts');
  for (const [at, step] of steps.entries()) {
    try {
      await carryOutStep(work, teamId, step);
    } catch (fault) {
      const why = explainFault(fault);
      for (const each of steps.slice(0, at)) session.say(`done: ${describe(each)}`);
      throw new CommandFault(
        `${at} of ${steps.length} changes were made; the next failed: ${describe(step)}: ${why} Apply the file again to go on.`,
      );
    }
  }
  return steps.length;
}

const describe = ({ action, kind, name }: Step) => `${action} the ${kind} ${show(name)}`;

function report(session: Session, plan: Plan, dryRun: boolean, done: number | null): void {
  const steps = plan.steps.map(({ action, kind, name, changes }) => ({
    action,
    kind,
    name,
    changes,
  }));
  if (session.output === 'table') {
    const lines = steps.flatMap(({ changes, ...step }) =>
      changes.map((change) => ({ ...step, ...change })),
    );
    session.printList(lines, ['action', 'kind', 'name', 'field', 'from', 'to']);
  } else {
    session.print({ dry_run: dryRun, steps, unchanged: plan.unchanged });
  }
  const is = `${plan.unchanged} of the file's items are already as it says.`;
  const would = `${steps.length} would be made or changed; nothing was.`;
  session.say(done === null ? `${would} ${is}` : `${done} were made or changed. ${is}`);
}
