/** The search of the list of crons: over names, addresses and states, of which a team has few enough to read. */
import type { CronRow, Work } from '../services.ts';

export type CronFilter = { text: string; status: 'active' | 'paused' | 'failed' | '' };

const statuses = ['active', 'paused', 'failed'] as const;

/** What the address asks for; null where it asks for nothing. */
export function readCronFilter(params: URLSearchParams): CronFilter | null {
  const text = (params.get('q') ?? '').trim().slice(0, 2048);
  const status = statuses.find((known) => known === params.get('status')) ?? '';
  return text === '' && status === '' ? null : { text, status };
}

const mostShown = 100;
const mostPages = 10;

type Found = { crons: CronRow[]; next: null; previous: null; isCut: boolean };

export async function findCronRows(work: Work, teamId: string, filter: CronFilter): Promise<Found> {
  const rows: CronRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const read = await work.listCronRows(teamId, { limit: 200, ...(cursor ? { cursor } : {}) });
    rows.push(...read.crons.filter((row) => matches(row, filter)));
    if (rows.length > mostShown || read.next === null)
      return {
        crons: rows.slice(0, mostShown),
        next: null,
        previous: null,
        isCut: rows.length > mostShown,
      };
    cursor = read.next;
  }
  return { crons: rows, next: null, previous: null, isCut: true };
}

export function matches({ cron, lastRun }: CronRow, { text, status }: CronFilter): boolean {
  const wanted = text.toLowerCase();
  const isNamed = [cron.name, cron.url, cron.id].some((each) =>
    each.toLowerCase().includes(wanted),
  );
  if (!isNamed) return false;
  if (status === 'failed') return cron.isActive && lastRun?.status === 'failed';
  return status === '' || (status === 'active') === cron.isActive;
}
