import { openPublic } from '../serving/open.ts';
import { redirect } from 'react-router';
import { goOn } from '../account/provider-sign-in.ts';
import { ProviderProblem } from '../account/ProviderLink.tsx';
import { readNext, signInPath } from '../serving/own-path.ts';
import { isLedByOthers } from '../serving/form-guards.ts';
import type { Route } from './+types/login.provider.ts';

/**
 * Redirects to the provider, or shows a page if that can't be. The provider may recognize the browser without a prompt.
 * So a link from another site shows the sign-in page first, or it could open a session without the user's action.
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
