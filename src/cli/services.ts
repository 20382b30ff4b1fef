import type { ChannelConfig } from '#domain/notification-channel';
import type { People } from '#people/people';
import type { Work } from '#work/work';

/** A command's use of the database: it only reads, may set up an empty one, or migrates it. */
export type Purpose = 'read' | 'write' | 'migrate';

/**
 * The services of commands. A malformed command opens nothing. `backup` and `doctor` do not use `open`: a backup is
 * taken before a migration, and a doctor is needed when the database does not open.
 */
export interface CommandServices {
  /** Opens the database. Rejects with a CommandFault if the operator has to act, such as for pending migrations. */
  open(purpose: Purpose): Promise<OpenRooms>;
  /** Copies the SQLite database to a new file while it is in use. */
  backup(file: string): Promise<BackupOutcome>;
  /** Checks whether the service on this machine is alive; `why` has the reason if it is not. */
  askHealth(): Promise<{ kind: 'lives' } | { kind: 'silent'; why: string }>;
  /** Checks the installation without changing anything. Never rejects. */
  doctor(): Promise<readonly Finding[]>;
  /** Reads an environment variable that a team's file refers to. */
  readVariable(name: string): string | undefined;
  /**
   * Reads a file, or standard input for `-`. `fault` has the reason if it can't be read, in words that follow the
   * file's name.
   */
  readFile(path: string): Promise<{ text: string } | { fault: string }>;
  /** With the commit. */
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

export interface OpenRooms {
  /** A function, because not every command needs this room. */
  work: () => Promise<Work>;
  people: People['operator'];
  /** Sends a test by a channel; by email to every member. `logged`: mails go to the log, for want of a server. */
  sendTest(
    teamId: string,
    config: ChannelConfig,
  ): Promise<{ kind: 'sent' | 'logged' } | { kind: 'failed'; error: string }>;
  /** The names of the migrations that opening the database applied. */
  migrated: readonly string[];
  close(): Promise<void>;
}

export type BackupOutcome =
  | { kind: 'done'; path: string; bytes: number }
  | { kind: 'exists'; path: string }
  | { kind: 'no-database'; path: string }
  | { kind: 'cannot-write'; path: string; reason: string }
  | { kind: 'not-sqlite' };

/** One thing that was checked; the message is one line for people, without secrets. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
}

/** The output: JSON to standard output, words for users to standard error. */
export interface Terminal {
  print(text: string): void;
  say(text: string): void;
  /**
   * Resolves when all output so far has been taken, at once where none is pending. Commands with much output await it
   * from time to time.
   */
  drained(): Promise<void>;
  /** Whether standard output is a terminal, so that JSON is indented. */
  isInteractive: boolean;
}
