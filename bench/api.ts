import { Pool } from 'undici';
import type { Service } from './place.ts';

/** A client of the API that keeps its connections. */
export function openApi({ url, token }: Service, connections: number) {
  const pool = new Pool(url, { connections });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  return {
    post: async (job: object): Promise<{ status: number; jobId: string }> => {
      const body = JSON.stringify(job);
      const answer = await pool.request({ path: '/api/jobs', method: 'POST', headers, body });
      const { job_id = '' } = (await answer.body.json()) as { job_id?: string };
      return { status: answer.statusCode, jobId: job_id };
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
