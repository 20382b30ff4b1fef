import { session } from '../context.ts';
import type { Route } from './+types/connection.ts';

export function loader({ context }: Route.LoaderArgs) {
  return Response.json(
    { isSignedIn: context.get(session) !== null },
    { headers: { 'Cache-Control': 'no-store' } },
  );
}
