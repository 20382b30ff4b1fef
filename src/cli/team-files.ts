import { countOf } from '#domain/base/amounts';
import type { Command } from 'commander';
import { carryOut } from './steps.ts';
import { CommandFault, toOneLine } from './fault.ts';
import { addTeamOption } from './options.ts';
import { show, type Session } from './session.ts';
import type { TeamDocument } from './team-file/document.ts';

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
  const { text, secrets, repeated } = writeTeamFile(name, state, work.isSecretHeader);
  session.services.terminal.print(text);
  for (const { name: cron, unreadable } of await work.listCrons(teamId)) {
    if (unreadable !== null) session.say(`The cron ${show(cron)} is not whole: ${unreadable}`);
  }
  if (repeated.length > 0) {
    const names = repeated
      .map(({ key, name: each }) => `${key} ${show(toOneLine(each))}`)
      .join(', ');
    session.say(`Apply refuses this file, because several items have the same name: ${names}.`);
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
  const { items, problems } = readTeam(document);
  const { teamId, work } = await session.findTeam(team);
  const state = await loadTeam(work, teamId);
  const { isSecretHeader } = work;
  const plan = planTeam(items, state, document, { isSecretHeader, now: work.now() });
  const lines = [...problems, ...plan.problems].map(({ path, message }) =>
    path.length > 0 ? `${document.locate(path)}: ${message}` : message,
  );
  if (lines.length > 0) refuse(session, file, lines);
  const unchanged = items.length - plan.steps.length;
  const again = 'Apply the file again to go on.';
  const outcome = { dryRun, unchanged, items: "the file's items", again };
  await carryOut(session, { work, teamId }, plan.steps, outcome);
}

async function readFile(session: Session, file: string): Promise<TeamDocument> {
  const { readDocument } = await import('./team-file/document.ts');
  const text = await session.services.readFile(file);
  if ('fault' in text) throw new CommandFault(`${show(file)} ${text.fault}.`);
  const read = readDocument(text.text, (name) => session.services.readVariable(name));
  if ('fault' in read) return refuse(session, file, [read.fault]);
  return read;
}

const MOST_SHOWN = 20;

function refuse(session: Session, file: string, lines: readonly string[]): never {
  for (const line of lines.slice(0, MOST_SHOWN)) session.say(toOneLine(line));
  throw new CommandFault(
    `${show(file)} has ${countOf(lines.length, 'problem')}; nothing was changed.`,
  );
}
