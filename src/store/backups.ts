export { backUpSqliteFile } from './sqlite/backup.ts';
export { findNewestBackup, listBackups } from './sqlite/backup-folder.ts';
export { backUpOnThread, type RunningBackup } from './sqlite/backup-thread.ts';
