/** How many jobs per second the service answers with 201. Each is on disk before the answer. */
import { openApi } from './api.ts';
import { type DatabaseName, type Places, type Service, startService } from './place.ts';
import { at, format, ms, section } from './table.ts';

const CONNECTIONS = 64;
const JOB = { queue: 'emails', url: 'https://example.com/hook', delay: 86_400, payload: { n: 1 } };

export async function measureAccepting(
  places: Places,
  databases: readonly DatabaseName[],
  jobs: number,
): Promise<string> {
  const rows: string[][] = [];
  for (const database of databases) {
    await using service = await startService(places, database);
    await postJobs(service, Math.min(jobs, 10_000));
    const from = performance.now();
    const took = await postJobs(service, jobs);
    const perSecond = (jobs / (performance.now() - from)) * 1000;
    rows.push([database, format(perSecond), ms(at(took, 0.5)), ms(at(took, 0.99))]);
  }
  const intro = `Jobs answered with 201 over ${CONNECTIONS} connections. Each is on disk before the answer.`;
  return section('Accepting', [intro], ['', 'a second', 'median', '99 %'], rows);
}

/** Each connection posts the next job as soon as it has an answer. Gives the times that calls took, shortest first. */
async function postJobs(service: Service, jobs: number): Promise<number[]> {
  await using api = openApi(service, CONNECTIONS);
  const took: number[] = [];
  let left = jobs;
  const loop = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const { status } = await api.post(JOB);
      if (status !== 201) throw new Error(`a job was answered ${status}`);
      took.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  return took.toSorted((a, b) => a - b);
}
