import type { Operator } from '#people/operator';
import type { Work } from '#work/work';

/**
 * What commands work with. Nothing is opened before a command turns out to be well formed, and
 * `migrate`, `backup` and `doctor` are functions of their own: a backup is taken before a migration, and
 * a doctor is needed when nothing opens.
 */
export interface CommandServices {
  /**
   * Opens the database, migrating it where that is due. Rejects with a CommandFault where an operator has
   * to do something about it.
   */
  open(): Promise<OpenRooms>;
  /** Copies the SQLite database to a new file while it is in use. */
  backup(file: string): Promise<BackupOutcome>;
  /** Asks the service on this machine whether it lives; why not, in words. */
  askHealth(): Promise<{ kind: 'lives' } | { kind: 'silent'; why: string }>;
  /** Looks and changes nothing. Never rejects. */
  doctor(): Promise<readonly Finding[]>;
  /** A variable of the environment, for what a file refers to. */
  readVariable(name: string): string | undefined;
  /** The text of a file, or of standard input (`-`); or why there is none, in words that follow its name. */
  readFile(path: string): Promise<{ text: string } | { fault: string }>;
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
  /** Not every command needs it. */
  work: () => Promise<Work>;
  people: Operator;
  /** The migrations that opening applied. */
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

/** Where output goes: JSON to standard output, words for people to standard error. */
export interface Terminal {
  print(text: string): void;
  say(text: string): void;
  /** Resolves when what was printed has been taken, at once where nothing waits: who prints much asks now and then. */
  drained(): Promise<void>;
  /** Whether a person reads standard output, so that JSON is set out for reading. */
  isInteractive: boolean;
}
