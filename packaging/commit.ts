import { execFileSync } from 'node:child_process';
import { ROOT } from './places.ts';

/** Empty if unknown, as in a build context without `.git`. */
export function findCommit(): string {
  const given = process.env['BELFRY_COMMIT'];
  if (given !== undefined) return given;
  try {
    const command = ['rev-parse', 'HEAD'];
    return execFileSync('git', command, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}
