import { notFound, services, signedIn } from '../context.ts';
import { answerRunText, readTextOptions } from '../runs/run-text.ts';
import type { Route } from './+types/jobs.$id.text.ts';

export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const search = url.searchParams;
  const run = await work.readJobDetail(team.id, params.id, readTextOptions(search));
  return answerRunText(run ?? notFound(), search);
}
