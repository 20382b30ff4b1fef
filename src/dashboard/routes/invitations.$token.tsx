import { openPublic } from '../serving/open.ts';
import { Button } from '../parts/Button.tsx';
import { data, Link, redirect } from 'react-router';
import { redirectWithCookies, type Context } from '../context.ts';
import { explainProxyRefusal } from '../account/provider-refusals.ts';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { AccountFields, SignedOutForm } from '../account/SignedOutForm.tsx';
import { Form } from '../forms/Form.tsx';
import { readText } from '../forms/read-form.ts';
import type { FieldErrors, Teams } from '../services.ts';
import type { Route } from './+types/invitations.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { teams, accounts, session: current, proxyClaim } = openPublic(context);
  const invitation = await teams.readInvitation(params.token);
  const signedInAs = current ? current.user.email : null;
  const [provider, takesPasswords] = [accounts.providerName(), accounts.takesPasswords()];
  const proxyEmail = proxyClaim?.kind === 'person' ? proxyClaim.email : null;
  return { invitation, signedInAs, provider, takesPasswords, proxyEmail };
}

type Answer = { problem?: string | undefined; errors: FieldErrors; values: Record<string, string> };
const gone = 'This invitation was used, withdrawn or is too old. Ask for a new one.';

function answer(
  status: number,
  problem: string | undefined,
  errors: FieldErrors = {},
  values: Record<string, string> = {},
) {
  return data<Answer>({ problem, errors, values }, { status });
}

export async function action({ params, url, context }: Route.ActionArgs) {
  const {
    teams,
    session: current,
    proxyClaim,
    form,
    requestContext,
    tooMany,
  } = openPublic(context);
  if (current) return join(await teams.acceptInvitation(params.token, current.user.id), context);
  if (proxyClaim !== null) return joinByProxy(params.token, context);
  const values = { name: readText(form, 'name'), email: readText(form, 'email') };
  const outcome = await teams.registerByInvitation(
    params.token,
    {
      ...values,
      password: readText(form, 'password'),
      mailed: url.searchParams.get('mailed') ?? '',
    },
    requestContext,
  );
  if (outcome.kind === 'signed-in') return redirectWithCookies('/', outcome.setCookies);
  if (outcome.kind === 'not-found') return answer(404, gone);
  if (outcome.kind === 'too-many') return tooMany<Answer>(outcome, { errors: {}, values });
  return answer(422, undefined, outcome.errors, values);
}

async function joinByProxy(token: string, context: Context) {
  const { accounts, requestContext, tooMany } = openPublic(context);
  const outcome = await accounts.registerByProxy(token, requestContext);
  if (outcome.kind === 'done') return redirect('/');
  if (outcome.kind === 'refused-by-proxy') return answer(403, explainProxyRefusal(outcome.why));
  return tooMany<Answer>(outcome, { errors: {}, values: {} });
}

type Accepted = Awaited<ReturnType<Teams['acceptInvitation']>>;

function join(outcome: Accepted, context: Context) {
  const { say } = openPublic(context);
  if (outcome.kind === 'not-found') return answer(404, gone);
  if (outcome.kind === 'other-email')
    return answer(422, `The invitation is for ${outcome.email}. Sign in with that account.`);
  const text =
    outcome.kind === 'already-member'
      ? 'You are a member of this team already.'
      : 'You have joined the team. It is your current one now.';
  return say('/', text);
}

export default function Invitation({ loaderData, actionData, params }: Route.ComponentProps) {
  const { invitation, signedInAs, provider, proxyEmail } = loaderData;
  if (!invitation) {
    return (
      <SignedOutForm
        title="This invitation no longer works"
        note={gone}
        word={null}
        below={<Link to="/">Go to the overview</Link>}
      />
    );
  }
  const title = `Join ${invitation.teamName}`;
  const note = `${invitation.invitedByName} invites you as ${invitation.role === 'admin' ? 'an admin' : `a ${invitation.role}`}.`;
  if (signedInAs) {
    return (
      <>
        <SignedOutForm
          title={title}
          note={`${note} You are signed in as ${signedInAs}.`}
          word="Join team"
          problem={actionData?.problem}
        />
        {proxyEmail === null ? <UseAnother token={params.token} /> : null}
      </>
    );
  }
  const here = `/invitations/${params.token}`;
  if (proxyEmail !== null) {
    const { email } = invitation;
    return <JoinByProxy {...{ title, note, proxyEmail, email }} {...actionData} />;
  }
  if (!loaderData.takesPasswords && provider !== null) {
    return (
      <>
        <SignedOutForm title={title} note={note} word={null} />
        <ProviderLink name={provider} next={here} />
      </>
    );
  }
  return (
    <>
      <SignedOutForm
        title={title}
        note={note}
        word="Create account and join"
        problem={actionData?.problem}
        below={<Link to={`/login?next=${encodeURIComponent(here)}`}>I have an account</Link>}
      >
        <AccountFields
          errors={actionData?.errors}
          values={actionData?.values}
          email={invitation.email}
        />
      </SignedOutForm>
      {provider === null ? null : <ProviderLink name={provider} next={here} />}
    </>
  );
}

function UseAnother({ token }: { token: string }) {
  return (
    <Form action={`/logout?next=${encodeURIComponent(`/invitations/${token}`)}`}>
      <Button type="submit" variant="default">
        Use another account
      </Button>
    </Form>
  );
}

function JoinByProxy(offer: {
  title: string;
  note: string;
  /** Who they are to the proxy in front. */
  proxyEmail: string;
  /** For whom the invitation is; null: for anybody. */
  email: string | null;
  problem?: string | undefined;
}) {
  const { title, note, proxyEmail, email, problem } = offer;
  const as = `You are ${proxyEmail} to the proxy in front of Belfry.`;
  if (email !== null && email !== proxyEmail) {
    const other = `The invitation is for ${email}. ${as}`;
    return <SignedOutForm title={title} note={other} word={null} />;
  }
  const word = 'Create account and join';
  return <SignedOutForm title={title} note={`${note} ${as}`} word={word} problem={problem} />;
}
