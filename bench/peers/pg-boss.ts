/** pg-boss: jobs fetched and completed in batches by a few loops, sharing as many requests as the round allows. */
import { PgBoss } from 'pg-boss';
import { BODY, type MakeContestant } from '../contestant.ts';
import { makeRequester } from './requests.ts';

const QUEUE = 'deliveries';
const INSERT_AT_ONCE = 2_000;
const LOOPS = 4;

const makePgBoss: MakeContestant = async ({ jobs, targetUrl, concurrency, place }) => {
  const boss = new PgBoss({ connectionString: place, max: 10, supervise: false, schedule: false });
  boss.on('error', (error: Error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE);
  const requester = makeRequester(targetUrl, concurrency);
  const deliverBatches = async () => {
    for (;;) {
      const batch = await boss.fetch(QUEUE, { batchSize: concurrency / 2 });
      if (batch.length === 0) return;
      await Promise.all(batch.map(() => requester.send()));
      await boss.complete(
        QUEUE,
        batch.map(({ id }: { id: string }) => id),
      );
    }
  };
  return {
    fill: async () => {
      for (let left = jobs; left > 0; left -= INSERT_AT_ONCE) {
        const batch = Array.from({ length: Math.min(left, INSERT_AT_ONCE) }, () => ({
          data: JSON.parse(BODY) as object,
        }));
        await boss.insert(QUEUE, batch);
      }
    },
    deliver: async () => void (await Promise.all(Array.from({ length: LOOPS }, deliverBatches))),
    close: async () => {
      await boss.stop({ graceful: false });
      await requester.close();
    },
  };
};

export default makePgBoss;
