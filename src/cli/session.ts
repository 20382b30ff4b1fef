import type { Command } from 'commander';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { NO_MASK } from '#domain/runs/masking';
import type { Context } from '#work/resources/resource';
import { maskDeep } from '#work/masking';
import type { Work } from '#work/work';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import type { Options } from './fields.ts';
import { type Output, printJson, printJsonLine, printRecord, printTable } from './output.ts';
import type { CommandServices, OpenModules, Purpose } from './services.ts';

export class Session {
  readonly services: CommandServices;
  exitCode: 0 | 1 = 0;
  output: Output = 'json';
  purpose: Purpose = 'read';
  #modules: Promise<OpenModules> | null = null;
  /** Of the team that the command is about. */
  #mask = NO_MASK;

  constructor(services: CommandServices) {
    this.services = services;
  }

  open(): Promise<OpenModules> {
    this.#modules ??= this.#openFirst();
    return this.#modules;
  }

  /** Names a database that it makes: the command may lack the settings of the service. */
  async #openFirst(): Promise<OpenModules> {
    const modules = await this.services.open(this.purpose);
    if (this.purpose === 'write' && modules.migrated.length > 0)
      this.say(`belfry: there was no database ${modules.location}, so it was made now.`);
    return modules;
  }

  /** As JSON, or as a table of its fields. */
  print(record: object): void {
    const { terminal } = this.services;
    const shown = maskDeep(record, this.#mask);
    if (this.output === 'table') printRecord(terminal, shown);
    else printJson(terminal, shown);
  }

  /** @param columns of a table */
  printList<Written extends object>(
    records: readonly Written[],
    columns: readonly (keyof Written & string)[],
  ): void {
    const { terminal } = this.services;
    const shown = maskDeep(records, this.#mask);
    if (this.output === 'json') printJson(terminal, shown);
    else if (records.length > 0) printTable(terminal, shown, columns);
    else this.say('There is none.');
  }

  printLine(record: object): void {
    printJsonLine(this.services.terminal, maskDeep(record, this.#mask));
  }

  say(line: string): void {
    this.services.terminal.say(`${line}\n`);
  }

  async findTeam(nameOrId: string): Promise<TeamPlace> {
    const { people, work } = await this.open();
    const found = await people.findTeam(nameOrId);
    if (found.kind === 'not-found') {
      throw new CommandFault(`there is no team ${show(nameOrId)}.`);
    }
    if (found.kind === 'ambiguous') {
      const ids = found.teamIds.join(', ');
      throw new CommandFault(`several teams are named ${show(nameOrId)}; give an id: ${ids}.`);
    }
    const { id: teamId, name } = found.team;
    return { teamId, name, people, work: await this.#workFor(teamId, await work()) };
  }

  async find(kind: string, id: string): Promise<{ teamId: string; work: Work }> {
    const work = await (await this.open()).work();
    const teamId = await (kind === 'job' ? work.findTeamOfJob(id) : work.findTeamOfCron(id));
    if (teamId === null) throw missing(kind, id);
    return { teamId, work: await this.#workFor(teamId, work) };
  }

  async #workFor(teamId: string, work: Work): Promise<Work> {
    this.#mask = await work.readMask(teamId);
    return work;
  }

  /** Faults are ignored, because the command is done. */
  async close(): Promise<void> {
    const modules = await this.#modules?.catch(() => null);
    await modules?.close().catch(() => {});
  }
}

export interface TeamPlace {
  teamId: string;
  name: string;
  people: OpenModules['people'];
  work: Work;
}

/**
 * A function that adds commands to the group. A command prints the record or list that its action returns.
 * @param addOptions that `find` reads
 */
export function verbsOf<Place>(
  session: Session,
  group: Command,
  addOptions: (command: Command) => Command,
  find: (options: Options) => Promise<Place>,
) {
  return <Given extends object = Options>(
    name: string,
    description: string,
    act: (place: Place, options: Given) => Promise<object>,
    columns: readonly string[] = [],
  ): Command =>
    addOptions(group.command(name).description(description)).action(
      async (given: Given & Options) => {
        const made = await act(await find(given), given);
        if (Array.isArray(made)) session.printList(made as Record<string, unknown>[], columns);
        else session.print(made);
      },
    );
}

export const teamVerbs = (session: Session, group: Command) =>
  verbsOf(session, group, addTeamOption, ({ team }) => session.findTeam(String(team)));

export const plainVerbs = (session: Session, group: Command) =>
  verbsOf(
    session,
    group,
    (command) => command,
    () => session.open(),
  );

export const missing = (kind: string, id: string) =>
  new CommandFault(`there is no ${kind} ${show(id)}.`);

export async function channelContext(work: Work, teamId: string): Promise<Context> {
  const channels = await work.listChannelChoices(teamId);
  const named = channels.map(({ id, name }) => ({ id, name: name ?? DEFAULT_REF }));
  return {
    refOf: (text) => named.find(({ name }) => name === text)?.id ?? null,
    textOf: (ref) => named.find(({ id }) => id === ref)?.name ?? DEFAULT_REF,
  };
}

/** In quotes, cut to 100 characters. */
export function show(text: string): string {
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}
