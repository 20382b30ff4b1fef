import { useEffect } from 'react';
import { useHref, useLocation, useMatches } from 'react-router';
import { noteUntaken } from './connection.ts';
import { rememberShown } from './keep-page.ts';

/** Remembers the data of the current page, so that the page can stay if a response does not arrive. */
export function KeepShown() {
  const matches = useMatches();
  const { pathname, search } = useLocation();
  const here = useHref({ pathname, search });
  useEffect(() => {
    const loaderData = Object.fromEntries(matches.map((match) => [match.id, match.loaderData]));
    rememberShown({ href: `${window.location.origin}${here}`, loaderData });
  }, [matches, here]);
  // A message about a form of the previous page does not concern this one.
  useEffect(() => noteUntaken(null), [pathname]);
  return null;
}
