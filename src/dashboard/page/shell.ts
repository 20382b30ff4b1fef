import { useRouteLoaderData } from 'react-router';
import type { loader } from '../routes/signed-in.tsx';

/** What the shell around the page has loaded; undefined on pages before the sign-in. */
export function useShell() {
  return useRouteLoaderData<typeof loader>('routes/signed-in');
}
