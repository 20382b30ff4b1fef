import { ActionButton } from '../forms/Form.tsx';
import { Link, redirect } from 'react-router';
import { proxyRefusals } from '../account/provider-refusals.ts';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { AccountFields, SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/invitations.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { teams, accounts, session, proxyClaim } = openPublic(context);
  return {
    invitation: await teams.readInvitation(params.token),
    signedInAs: session?.user.email ?? null,
    provider: accounts.providerName(),
    takesPasswords: accounts.takesPasswords(),
    proxyEmail: proxyClaim?.kind === 'person' ? proxyClaim.email : null,
  };
}

const gone = 'This invitation was used, withdrawn or is too old. You need a new one.';

export async function action({ params: { token }, url, context }: Route.ActionArgs) {
  const { accounts, teams, session, proxyClaim, fields, requestContext, ...answer } =
    openPublic(context);
  if (session) {
    const outcome = await teams.acceptInvitation(token, session.user.id);
    if (outcome.kind === 'not-found') return answer.fail(gone, 404);
    if (outcome.kind === 'other-email')
      return answer.fail(`The invitation is for ${outcome.email}. Sign in with that account.`);
    const text =
      outcome.kind === 'already-member'
        ? 'You are a member of this team already.'
        : 'You have joined the team. It is your current one now.';
    return answer.say('/', text);
  }
  if (proxyClaim !== null) {
    const outcome = await accounts.registerByProxy(token, requestContext);
    if (outcome.kind === 'done') return redirect('/');
    if (outcome.kind === 'too-many') return answer.reject(outcome);
    return answer.fail(proxyRefusals[outcome.why], 403);
  }
  const mailed = url.searchParams.get('mailed') ?? '';
  const input = { ...fields('name', 'email', 'password'), mailed };
  const outcome = await teams.registerByInvitation(token, input, requestContext);
  return outcome.kind === 'not-found' ? answer.fail(gone, 404) : answer.enter(outcome);
}

export default function Invitation({ loaderData, params: { token } }: Route.ComponentProps) {
  const { invitation, signedInAs, provider, proxyEmail, takesPasswords } = loaderData;
  if (!invitation) {
    const below = <Link to="/">Go to the overview</Link>;
    return <SignedOutNote title="This invitation no longer works" note={gone} below={below} />;
  }
  const { teamName, invitedByName, role, email } = invitation;
  const title = `Join ${teamName}`;
  const note = `${invitedByName} invites you as ${role === 'admin' ? 'an admin' : `a ${role}`}.`;
  const here = `/invitations/${token}`;
  if (signedInAs) {
    const who = `${note} You are signed in as ${signedInAs}.`;
    return (
      <>
        <SignedOutForm title={title} note={who} word="Join team" />
        {proxyEmail === null ? (
          <ActionButton action={`/logout?next=${encodeURIComponent(here)}`}>
            Use another account
          </ActionButton>
        ) : null}
      </>
    );
  }
  if (proxyEmail !== null) {
    const as = `You are ${proxyEmail} to the proxy in front of Belfry.`;
    if (email !== null && email !== proxyEmail)
      return <SignedOutNote title={title} note={`The invitation is for ${email}. ${as}`} />;
    return <SignedOutForm title={title} note={`${note} ${as}`} word="Create account and join" />;
  }
  const toSignIn = <Link to={`/login?next=${encodeURIComponent(here)}`}>I have an account</Link>;
  return (
    <>
      <SignedOutForm
        title={title}
        note={note}
        word={takesPasswords ? 'Create account and join' : null}
        below={takesPasswords ? toSignIn : null}
      >
        <AccountFields email={email} />
      </SignedOutForm>
      {provider === null ? null : <ProviderLink name={provider} next={here} />}
    </>
  );
}
