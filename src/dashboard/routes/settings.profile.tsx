import { open } from '../serving/open.ts';
import { slashKey } from '../serving/cookies.ts';
import { CheckField, NameField } from '../forms/Field.tsx';
import { CurrentPasswordField, NewPasswordField } from '../forms/PasswordField.tsx';
import { EmailField, RevokeTokenField } from '../account/SignedOutForm.tsx';
import { FormSection } from '../forms/Form.tsx';
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
  const { user, passkeys, provider, joined } = loaderData;
  return (
    <>
      {loaderData.mustConfirm ? (
        <FormSection
          title="Confirm your email"
          note={`Open the link in the mail to ${user.email}. Until then you get no alerts by email, and you can’t email invitations.`}
          intent="confirm-email"
          word="Send the link again"
        />
      ) : null}
      <FormSection
        title="Name"
        note="Shown to the members of your teams."
        intent="name"
        word="Save name"
        values={{ name: user.name }}
      >
        <NameField autoComplete="name" />
      </FormSection>
      <FormSection
        title="Email"
        note="You sign in with it, and alerts go to it."
        intent="email"
        word="Change email"
        values={{ email: user.email }}
      >
        <EmailField />
        <CurrentPasswordField />
      </FormSection>
      <Password {...loaderData} />
      {passkeys ? <Passkeys passkeys={passkeys} /> : null}
      {joined !== null && provider === null ? (
        <FormSection
          title={`Sign-in with ${joined}`}
          note={`You can also sign in with ${joined}. If you unlink it, your next sign-in there with this email links it again.`}
          intent="leave-provider"
          word={`Unlink ${joined}`}
        >
          <CurrentPasswordField />
        </FormSection>
      ) : null}
      <FormSection
        title="Keyboard"
        note="Ctrl K finds pages, crons, queues and ids. Switch the / key off if you use speech input."
        intent="keys"
        word="Save keys"
      >
        <CheckField
          name="slash_key"
          label="Press / to go to the search field, in this browser"
          defaultChecked={loaderData.hasSlashKey}
        />
      </FormSection>
      <FormSection
        title="Sessions"
        note="Signs you out in every browser. Links in emails that you have not opened yet stop working, too."
        intent="sign-out-everywhere"
        word="Sign out everywhere"
      >
        <RevokeTokenField />
      </FormSection>
      <FormSection
        title="Delete account"
        note="Your API token stops working. Teams without other members are deleted too, with their crons and jobs."
        isDanger
        intent="delete"
        word="Delete account"
      >
        <CurrentPasswordField label="Password, to confirm" />
      </FormSection>
    </>
  );
}

type PasswordProps = Pick<Route.ComponentProps['loaderData'], 'user' | 'provider' | 'isByProxy'>;

function Password({ user, provider, isByProxy }: PasswordProps) {
  if (provider !== null) {
    return (
      <Section title="Password and second factor" note={`You sign in with ${provider}.`}>
        <p>
          You have no password here. If an action needs one, you confirm it by signing in with{' '}
          {provider} again. Set up second factors there, too.
        </p>
      </Section>
    );
  }
  // They need a session, which only a sign-in without the proxy opens.
  if (isByProxy) {
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
  return (
    <>
      <FormSection
        title="Password"
        note="A change ends all your other sessions."
        intent="password"
        word="Change password"
      >
        <CurrentPasswordField name="current_password" label="Current password" />
        <NewPasswordField label="New password" />
      </FormSection>
      <Section
        title="Second factor"
        note="You then also need a code from your authenticator app to sign in."
      >
        <SecondFactor isOn={user.hasSecondFactor} />
      </Section>
    </>
  );
}
