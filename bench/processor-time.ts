import fs from 'node:fs';

/** The kernel's unit of processor time, in microseconds. */
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
  // The parent's figures include its ended children.
  const ticks = children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), own.ticks + own.ended);
  return ticks * TICK_MICROS;
}

function readPid(name: string) {
  return /^\d+$/.test(name) ? readStat(Number(name)) : null;
}

export function readStat(pid: number): { parent: number; ticks: number; ended: number } | null {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may contain anything.
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

/** For how many nanoseconds each process of Postgres that serves this database has run so far. */
export function readBackends(database: string): Map<number, number> {
  const ran = new Map<number, number>();
  for (const name of fs.readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const command = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (!command.startsWith('postgres: ') || !command.includes(` ${database} `)) continue;
      const [nanos] = fs.readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ');
      ran.set(Number(name), Number(nanos));
    } catch {
      // The process has ended meanwhile.
    }
  }
  return ran;
}

/** The time for which the processes of the earlier reading have run since, in milliseconds. */
export function backendMsSince(before: ReadonlyMap<number, number>, database: string): number {
  const now = readBackends(database);
  let nanos = 0;
  for (const [pid, ran] of before) nanos += Math.max(0, (now.get(pid) ?? ran) - ran);
  return nanos / 1e6;
}
