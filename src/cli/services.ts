import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { People } from '#people/people';
import type { Work } from '#work/work';

export type Purpose = 'read' | 'write' | 'migrate';

/**
 * A malformed command opens nothing. `backup` and `doctor` don't use `open`: they are needed before a migration, or if
 * the database doesn't open.
 */
export interface CommandServices {
  /** Rejects with a CommandFault if the operator has to act, such as for pending migrations. */
  open(purpose: Purpose): Promise<OpenModules>;
  backup(file: string): Promise<BackupOutcome>;
  /** `why`: the reason if it isn't alive. */
  askHealth(): Promise<{ kind: 'lives' } | { kind: 'silent'; why: string }>;
  /** Changes nothing. Never rejects. */
  doctor(): Promise<readonly Finding[]>;
  readVariable(name: string): string | undefined;
  /** `-` is standard input. `fault` follows the file's name. */
  readFile(path: string): Promise<{ text: string } | { fault: string }>;
  version: string;
  terminal: Terminal;
  ownCommands?: readonly OwnCommand[];
}

/** A command that a package has and the sources have not. */
export interface OwnCommand {
  name: string;
  description: string;
  run: () => Promise<void>;
}

export interface OpenModules {
  /** A function, because not every command needs this module. */
  work: () => Promise<Work>;
  people: People['operator'];
  /** Email goes to every member. `logged`: no mail server. */
  sendTest(
    teamId: string,
    config: ChannelConfig,
    channelId: string,
  ): Promise<{ kind: 'sent' | 'logged' } | { kind: 'failed'; error: string }>;
  migrated: readonly string[];
  /** Such as `at /var/lib/belfry/belfry.db`. */
  location: string;
  close(): Promise<void>;
}

export type BackupOutcome =
  | { kind: 'done'; path: string; bytes: number }
  | { kind: 'exists'; path: string }
  | { kind: 'no-database'; path: string }
  | { kind: 'cannot-write'; path: string; reason: string }
  | { kind: 'not-sqlite' };

/** One line without secrets. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
}

/** JSON to standard output, words for users to standard error. */
export interface Terminal {
  print(text: string): void;
  say(text: string): void;
  drained(): Promise<void>;
  /** JSON is indented on a terminal. */
  isInteractive: boolean;
}
