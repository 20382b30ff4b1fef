import fs from 'node:fs';

/** Ticks in which the kernel counts processor time, in microseconds. */
const TICK_MICROS = 10_000;

/**
 * The processor time that a process and everything it has started have used so far, in microseconds; NaN
 * where the system does not tell (it does on Linux).
 */
export function readTreeMicros(pid: number): number {
  const own = readStat(pid);
  if (own === null) return Number.NaN;
  const children = fs
    .readdirSync('/proc')
    .map(readPid)
    .filter((stat) => stat?.parent === pid);
  // Of children that have ended the parent keeps the account.
  const ticks = children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), own.ticks + own.ended);
  return ticks * TICK_MICROS;
}

function readPid(name: string) {
  return /^\d+$/.test(name) ? readStat(Number(name)) : null;
}

export function readStat(pid: number): { parent: number; ticks: number; ended: number } | null {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command stands in brackets and may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}
