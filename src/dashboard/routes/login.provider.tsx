import { goOn } from '../account/provider-sign-in.ts';
import { ProviderProblem } from '../account/ProviderProblem.tsx';
import { requestContextOf, services } from '../context.ts';
import { readNext } from '../serving/cookies.ts';
import type { Route } from './+types/login.provider.ts';

/** Goes to the provider; a page is shown only where that can't be. */
export async function loader({ request, url, context }: Route.LoaderArgs) {
  const asked = {
    next: readNext(url.searchParams.get('next')),
    isAgain: url.searchParams.has('again'),
  };
  const { accounts } = context.get(services).people;
  const requestContext = requestContextOf(request, context);
  return goOn(await accounts.beginProviderSignIn(asked, requestContext), context);
}

export default function LoginByProvider({ loaderData }: Route.ComponentProps) {
  return <ProviderProblem {...loaderData} />;
}
