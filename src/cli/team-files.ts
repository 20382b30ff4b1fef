import { countOf } from '#domain/amounts';
import type { Command } from 'commander';
import type { Work } from '#work/work';
import { CommandFault, explainFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { show, type Session } from './session.ts';
import type { Problem, TeamDocument } from './team-file/document.ts';
import type { Step } from './team-file/team-file.ts';

/** Adds `team export` and `team apply`. The code that reads and writes the file is loaded only for them. */
export function addTeamFileCommands(team: Command, session: Session): void {
  const write = team.command('export');
  addTeamOption(
    write.description("write a team's crons, queues, channels and windows as a file"),
  ).action(({ team: name }: { team: string }) => exportTeam(session, name));
  const read = team.command('apply');
  addTeamOption(read.description('make a team equal to a file'))
    .argument('<FILE>', 'a file as export writes it; - for standard input')
    .option('--dry-run', 'only print the changes')
    .action((file: string, options: { team: string; dryRun?: boolean }) =>
      applyFile(session, file, options),
    );
}

async function exportTeam(session: Session, nameOrId: string): Promise<void> {
  const { teamId, name, work } = await session.findTeam(nameOrId);
  const { loadTeam, writeTeamFile } = await import('./team-file/team-file.ts');
  const state = await loadTeam(work, teamId);
  const { text, secrets } = writeTeamFile(name, state, work.isSecretHeader);
  session.services.terminal.print(text);
  for (const { name: cron, unreadable } of await work.listCrons(teamId)) {
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
  const { loadTeam, planTeam, readTeam } = await import('./team-file/team-file.ts');
  const document = await readFile(session, file);
  const { items, problems: wrong } = readTeam(document);
  refuseProblems(session, file, wrong, document);
  const { teamId, work } = await session.findTeam(team);
  const state = await loadTeam(work, teamId);
  const { steps, problems } = planTeam(items, state, document, work.isSecretHeader);
  refuseProblems(session, file, problems, document);
  if (!dryRun) await carryOut(session, work, teamId, steps);
  report(session, steps, items.length - steps.length, dryRun);
}

/** Reads the file and reports its problems before a database is opened. */
async function readFile(session: Session, file: string): Promise<TeamDocument> {
  const { readDocument } = await import('./team-file/document.ts');
  const text = await session.services.readFile(file);
  if ('fault' in text) throw new CommandFault(`${show(file)} ${text.fault}.`);
  const read = readDocument(text.text, (name) => session.services.readVariable(name));
  const document = 'document' in read ? read.document : null;
  refuseProblems(session, file, read.problems, document);
  if (document === null) throw new Error('a file without problems has a document');
  return document;
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

/**
 * Carries out the steps, each in a transaction of its own as in the dashboard. If one fails, the command ends with a
 * message that says what was done; applying the same file again continues there.
 */
async function carryOut(
  session: Session,
  work: Work,
  teamId: string,
  steps: readonly Step[],
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    try {
      await step.apply(work, teamId);
    } catch (fault) {
      for (const each of steps.slice(0, at)) session.say(`done: ${describe(each)}`);
      throw new CommandFault(
        `${at} of ${steps.length} changes were made; the next failed: ${describe(step)}: ${explainFault(fault)} Apply the file again to go on.`,
      );
    }
  }
}

const describe = ({ action, kind, name }: Step) => `${action} the ${kind} ${show(name)}`;

function report(session: Session, done: readonly Step[], unchanged: number, dryRun: boolean): void {
  const steps = done.map(({ action, kind, name, changes }) => ({ action, kind, name, changes }));
  if (session.output === 'table') {
    const lines = steps.flatMap(({ changes, ...step }) =>
      changes.map((change) => ({ ...step, ...change })),
    );
    session.printList(lines, ['action', 'kind', 'name', 'field', 'from', 'to']);
  } else {
    session.print({ dry_run: dryRun, steps, unchanged });
  }
  const is = `${unchanged} of the file's items are unchanged.`;
  const would = `${steps.length} would be made or changed; nothing was.`;
  session.say(dryRun ? `${would} ${is}` : `${steps.length} were made or changed. ${is}`);
}
