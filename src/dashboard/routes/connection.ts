import { session } from '../context.ts';
import type { Route } from './+types/connection.ts';

/** For pages that lost the service: that it is back, and whether they are still signed in. */
export function loader({ context }: Route.LoaderArgs) {
  return Response.json(
    { isSignedIn: context.get(session) !== null },
    { headers: { 'Cache-Control': 'no-store' } },
  );
}
