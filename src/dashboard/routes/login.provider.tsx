import { openPublic } from '../serving/open.ts';
import { redirect } from 'react-router';
import { goOn } from '../account/provider-sign-in.ts';
import { ProviderProblem } from '../account/ProviderLink.tsx';
import { readNext, signInPath } from '../serving/own-path.ts';
import { isLedByOthers } from '../serving/form-guards.ts';
import type { Route } from './+types/login.provider.ts';

/**
 * Goes to the provider; a page is shown only where that can't be. The provider may know the browser and ask nothing. So
 * where another site leads here there is the page to sign in first, or it could open a session by itself, in place of
 * the one that the browser has.
 */
export async function loader({ request, url, context }: Route.LoaderArgs) {
  const asked = {
    next: readNext(url.searchParams.get('next')),
    isAgain: url.searchParams.has('again'),
  };
  if (isLedByOthers(request.headers)) {
    throw redirect(signInPath(asked.next));
  }
  const { accounts, requestContext } = openPublic(context);
  return goOn(await accounts.beginProviderSignIn(asked, requestContext), context);
}

export default function LoginByProvider({ loaderData }: Route.ComponentProps) {
  return <ProviderProblem {...loaderData} />;
}
