import { openPublic } from '../serving/open.ts';
import { goOn } from '../account/provider-sign-in.ts';
import { ProviderProblem } from '../account/ProviderLink.tsx';
import type { Route } from './+types/login.provider.back.ts';

/** The provider sends the browser here; its parameters work once. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const { accounts, requestContext } = openPublic(context);
  return goOn(await accounts.finishProviderSignIn(url.search, requestContext), context);
}

export default function BackFromProvider({ loaderData }: Route.ComponentProps) {
  return <ProviderProblem {...loaderData} />;
}
