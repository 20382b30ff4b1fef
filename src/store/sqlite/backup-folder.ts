import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copySqliteFile, type SqliteBackup } from './backup.ts';
import { makeFolders } from '../database/make-folders.ts';

export interface BackupOrder {
  databasePath: string;
  folder: string;
  /** The new one included. */
  keep: number;
  now: number;
}

/** Other files aren't touched. */
interface KeptBackup {
  name: string;
  at: number;
}

const NAME = /^belfry-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
/** Of an interrupted backup. */
const DRAFT = /^belfry-\d{4}-\d\d-\d\dT\d{6}Z\.db\.\d+\.part(-journal)?$/;

/** Newest first; none without the folder. */
export function listBackups(folder: string): KeptBackup[] {
  return filesOf(folder)
    .flatMap((name) => {
      const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
      const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
      return Number.isNaN(at) ? [] : [{ name, at }];
    })
    .toSorted((a, b) => b.at - a.at);
}

/**
 * Ignores copies from the future, which were made while the clock was ahead.
 * @param backups newest first
 */
export function findNewestBackup(
  backups: readonly KeptBackup[],
  now: number,
): KeptBackup | undefined {
  return backups.find(({ at }) => at <= now);
}

/** Then deletes the oldest ones. If the copy fails, none is deleted. */
export function backUpIntoFolder({ databasePath, folder, keep, now }: BackupOrder): SqliteBackup {
  const file = join(folder, nameOf(now));
  try {
    makeFolders(folder);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const reason = `the folder cannot be made (${code}): make it for this user, and under systemd name it in ReadWritePaths=`;
    return { kind: 'cannot-write', path: file, reason };
  }
  remove(
    folder,
    filesOf(folder).filter((name) => DRAFT.test(name)),
  );
  const made = copySqliteFile(databasePath, file);
  if (made.kind === 'done') {
    const others = listBackups(folder).filter(({ name }) => join(folder, name) !== file);
    const tooMany = others.slice(keep - 1);
    remove(
      folder,
      tooMany.map(({ name }) => name),
    );
  }
  return made;
}

function nameOf(now: number): string {
  const text = new Date(now).toISOString().slice(0, 19).replaceAll(':', '');
  return `belfry-${text}Z.db`;
}

function filesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    return [];
  }
}

function remove(folder: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, name), { force: true });
}
