import { countOf } from '#domain/base/amounts';
import type { Command } from 'commander';
import { carryOut } from './steps.ts';
import { CommandFault, explainFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { show, type Session } from './session.ts';
import type { Problem, TeamDocument } from './team-file/document.ts';

/** Their code is loaded only for them. */
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
  const { isSecretHeader } = work;
  const { steps, problems } = planTeam(items, state, document, {
    isSecretHeader,
    now: work.now(),
  });
  refuseProblems(session, file, problems, document);
  const unchanged = items.length - steps.length;
  const again = 'Apply the file again to go on.';
  const outcome = { dryRun, unchanged, items: "the file's items", again };
  await carryOut(session, { work, teamId }, steps, outcome);
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
