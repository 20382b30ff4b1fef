import { useEffect } from 'react';
import { useHref, useLocation, useMatches } from 'react-router';
import { noteUntaken } from './connection.ts';
import { rememberShown } from './keep-page.ts';

/** Tells what stands on the page, so that it can stay when an answer fails to come. */
export function KeepShown() {
  const matches = useMatches();
  const { pathname, search } = useLocation();
  const here = useHref({ pathname, search });
  useEffect(() => {
    const loaderData = Object.fromEntries(matches.map((match) => [match.id, match.loaderData]));
    rememberShown({ href: `${window.location.origin}${here}`, loaderData });
  }, [matches, here]);
  // What was said of a form of the page before is about nothing here.
  useEffect(() => noteUntaken(null), [pathname]);
  return null;
}
