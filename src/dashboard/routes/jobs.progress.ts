import { requestFacts, services, signedIn } from '../context.ts';
import { isRecent } from '../runs/bulkProgress.ts';
import type { Route } from './+types/jobs.progress.ts';

/** The team's bulk actions alone, for the bars that show how far they are. */
export async function loader({ context }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { now } = context.get(requestFacts);
  const tasks = await context.get(services).work.listBulkTasks(team.id);
  return { tasks: tasks.filter((task) => isRecent(task, now)) };
}
