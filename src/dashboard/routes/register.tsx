import { Link, redirect } from 'react-router';
import {
  AccountFields,
  EmailField,
  SignedOutForm,
  SignedOutNote,
  TeamField,
} from '../account/SignedOutForm.tsx';
import { useFormAnswer } from '../forms/Form.tsx';
import { textIn } from '../forms/values.ts';
import { notFound, openPublic } from '../serving/open.ts';
import type { Route } from './+types/register.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts } = openPublic(context);
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  if (!accounts.mayRegister()) notFound();
  return { confirmsFirst: accounts.confirmsFirst() };
}

export async function action({ context }: Route.ActionArgs) {
  const { accounts, fields, requestContext, show, enter } = openPublic(context);
  const input = fields('name', 'email', 'team', 'password');
  if (!accounts.confirmsFirst()) {
    const outcome = await accounts.register(input, requestContext);
    return outcome.kind === 'closed' ? notFound() : enter(outcome);
  }
  const outcome = await accounts.requestSignUp({ email: input.email }, requestContext);
  if (outcome.kind === 'closed') return notFound();
  return outcome.kind === 'done' ? show({ isSent: true }) : enter(outcome);
}

export default function Register({ loaderData }: Route.ComponentProps) {
  const { isSent, values = {} } = useFormAnswer<{ isSent: boolean }>();
  if (isSent) {
    return (
      <SignedOutNote
        title="Look for the link"
        note={`A link to create the account is on its way to ${textIn(values, 'email')}. It works once, for an hour.`}
        below={<Link to="/login">Back to sign in</Link>}
      />
    );
  }
  const { confirmsFirst } = loaderData;
  return (
    <SignedOutForm
      title="Create an account"
      note={`${confirmsFirst ? 'We send a link to your address first.' : 'With a team of your own.'} To join an existing team, ask for an invitation.`}
      word={confirmsFirst ? 'Send link' : 'Create account'}
      below={<Link to="/login">Sign in instead</Link>}
    >
      {confirmsFirst ? (
        <EmailField autoFocus />
      ) : (
        <>
          <AccountFields />
          <TeamField />
        </>
      )}
    </SignedOutForm>
  );
}
