import { SETTINGS } from './settings.ts';

/** Used by other programs, and close to one of ours. */
const OF_OTHERS = new Set(['API_KEY', 'APP_KEYS', 'EMAIL_FROM', 'LOGLEVEL', 'SFTP_URL']);
/** Kubernetes sets these for a service with the name "belfry". */
const OF_KUBERNETES = new Set(['BELFRY_HOST', 'BELFRY_PORT']);

/** Settings have no common prefix, so a typing error would otherwise go unnoticed. */
export function findMisspelt(env: NodeJS.ProcessEnv): string[] {
  const isSet = (name: string) => (env[name] ?? '') !== '' || (env[`${name}_FILE`] ?? '') !== '';
  const missing = Object.keys(SETTINGS).filter((name) => !isSet(name));
  return Object.keys(env).flatMap((name) => {
    if (env[name]?.trim() === '') return [];
    const base = name.replace(/_FILE$/, '');
    if (base in SETTINGS || OF_OTHERS.has(base) || OF_KUBERNETES.has(name)) return [];
    const meant = missing.find((setting) => isCloseTo(setting, base));
    if (meant === undefined) return [];
    const whole = base === name ? meant : `${meant}_FILE`;
    return [`${name}: there is no such setting; write ${whole}, or unset ${name}.`];
  });
}

function isCloseTo(setting: string, name: string): boolean {
  if (name === `BELFRY_${setting}` || name.replace(/Y$/, 'IES') === setting) return true;
  const most = setting.length < 12 ? 1 : 2;
  if (Math.abs(setting.length - name.length) > most) return false;
  const otherLetters = countOtherLetters(setting, name);
  // Short names are close to many words: only two letters in the wrong order count.
  if (setting.length < 6 && otherLetters > 0) return false;
  return otherLetters <= 2 * most && countEdits(setting, name) <= most;
}

/** Cheaper than counting edits. */
function countOtherLetters(one: string, other: string): number {
  const counts = new Map<string, number>();
  for (const letter of one) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  for (const letter of other) counts.set(letter, (counts.get(letter) ?? 0) - 1);
  let sum = 0;
  for (const count of counts.values()) sum += Math.abs(count);
  return sum;
}

/** Optimal string alignment. */
function countEdits(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  const at = (row: readonly number[], column: number) => row[column] ?? Infinity;
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + cost,
          isSwap ? at(before, j - 2) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return at(last, other.length);
}
