import { open } from '../serving/open.ts';
import { LIMITS } from '#domain/limits';
import { Submit } from '../parts/Button.tsx';
import { slashKey } from '../serving/cookies.ts';
import { CheckField, TextField } from '../forms/Field.tsx';
import { CurrentPasswordField, NewPasswordField } from '../forms/PasswordField.tsx';
import { EmailField, RevokeTokenField } from '../account/SignedOutForm.tsx';
import { Form } from '../forms/Form.tsx';
import { Passkeys } from '../account/Passkeys.tsx';
import { SecondFactor } from '../account/SecondFactor.tsx';
import { Section } from '../parts/Section.tsx';
import { actOnProfile } from '../account/profile-actions.ts';
import type { Route } from './+types/settings.profile.ts';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { user, session, accounts, requestContext } = open(context);
  const mustConfirm = accounts.sendsMail() && !user.isEmailVerified;
  // They need a session, and behind the proxy there is none.
  const isOffered = accounts.offersPasskeys() && !session.isByProxy;
  const passkeys = isOffered ? await accounts.listPasskeys(requestContext) : null;
  const confirmation = await accounts.describeConfirmation(session, request.headers);
  const joined = await accounts.joinedProvider(user.id);
  return {
    user,
    mustConfirm,
    passkeys,
    provider: confirmation?.provider ?? null,
    isByProxy: session.isByProxy,
    joined,
    hasSlashKey: slashKey.read(request) === 'on',
  };
}

export function action({ context }: Route.ActionArgs) {
  return actOnProfile(context);
}

export default function Profile({ loaderData }: Route.ComponentProps) {
  const { user, passkeys, provider, joined, isByProxy } = loaderData;
  return (
    <>
      {loaderData.mustConfirm ? (
        <Section
          title="Confirm your email"
          note={`Open the link in the mail to ${user.email}. Until then you get no alerts by email, and you can’t email invitations.`}
        >
          <Form>
            <Submit intent="confirm-email">Send the link again</Submit>
          </Form>
        </Section>
      ) : null}
      <WhoYouAre user={user} />
      {provider !== null ? (
        <NoPassword provider={provider} />
      ) : isByProxy ? (
        <SignInWithoutProxy />
      ) : (
        <>
          <Section title="Password" note="A change ends all your other sessions.">
            <Form intent="password">
              <CurrentPasswordField name="current_password" label="Current password" />
              <NewPasswordField label="New password" />
              <Submit intent="password">Change password</Submit>
            </Form>
          </Section>
          <Section
            title="Second factor"
            note="You then also need a code from your authenticator app to sign in."
          >
            <SecondFactor isOn={user.hasSecondFactor} />
          </Section>
        </>
      )}
      {passkeys ? (
        <Section
          title="Passkeys"
          note="A device signs you in by PIN, finger or face, without password and code."
        >
          <Passkeys passkeys={passkeys} />
        </Section>
      ) : null}
      {joined !== null && provider === null ? <LeaveProvider name={joined} /> : null}
      <Keyboard hasSlashKey={loaderData.hasSlashKey} />
      <Section
        title="Sessions"
        note="Signs you out in every browser. Links in emails that you have not opened yet stop working, too."
      >
        <Form>
          <RevokeTokenField />
          <Submit intent="sign-out-everywhere">Sign out everywhere</Submit>
        </Form>
      </Section>
      <Section
        title="Delete account"
        note="Your API token stops working. Teams without other members are deleted too, with their crons and jobs."
        isDanger
      >
        <Form intent="delete">
          <CurrentPasswordField label="Password, to confirm" />
          <Submit intent="delete" variant="danger">
            Delete account
          </Submit>
        </Form>
      </Section>
    </>
  );
}

function WhoYouAre({ user }: { user: Route.ComponentProps['loaderData']['user'] }) {
  return (
    <>
      <Section title="Name" note="Shown to the members of your teams.">
        <Form intent="name" values={{ name: user.name }}>
          <TextField
            name="name"
            required
            maxLength={LIMITS.personNameCharacters}
            autoComplete="name"
          />
          <Submit intent="name">Save name</Submit>
        </Form>
      </Section>
      <Section title="Email" note="You sign in with it, and alerts go to it.">
        <Form intent="email" values={{ email: user.email }}>
          <EmailField />
          <CurrentPasswordField />
          <Submit intent="email">Change email</Submit>
        </Form>
      </Section>
    </>
  );
}

/** They need a session, which only a sign-in without the proxy opens. */
function SignInWithoutProxy() {
  return (
    <Section
      title="Password, second factor and passkeys"
      note="The proxy in front of Belfry signs you in with each request."
    >
      <p>
        To change how you sign in without the proxy, open Belfry without it and sign in with your
        password.
      </p>
    </Section>
  );
}

function NoPassword({ provider }: { provider: string }) {
  return (
    <Section title="Password and second factor" note={`You sign in with ${provider}.`}>
      <p>
        You have no password here. If an action needs one, you confirm it by signing in with{' '}
        {provider} again. Set up second factors there, too.
      </p>
    </Section>
  );
}

function LeaveProvider({ name }: { name: string }) {
  return (
    <Section
      title={`Sign-in with ${name}`}
      note={`You can also sign in with ${name}. If you unlink it, your next sign-in there with this email links it again.`}
    >
      <Form intent="leave-provider">
        <CurrentPasswordField />
        <Submit intent="leave-provider">{`Unlink ${name}`}</Submit>
      </Form>
    </Section>
  );
}

function Keyboard({ hasSlashKey }: { hasSlashKey: boolean }) {
  return (
    <Section
      title="Keyboard"
      note="Ctrl K finds pages, crons, queues and ids. Switch the / key off if you use speech input."
    >
      <Form>
        <CheckField
          name="slash_key"
          label="Press / to go to the search field, in this browser"
          defaultChecked={hasSlashKey}
        />
        <Submit intent="keys">Save keys</Submit>
      </Form>
    </Section>
  );
}
