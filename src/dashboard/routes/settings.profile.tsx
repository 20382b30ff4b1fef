import { open } from '../serving/open.ts';
import { LIMITS } from '#domain/limits';
import { Button } from '../parts/Button.tsx';
import { data } from 'react-router';
import { readSlashKey } from '../serving/cookies.ts';
import { CheckField, TextField } from '../forms/Field.tsx';
import { CurrentPasswordField, PasswordField } from '../forms/PasswordField.tsx';
import { Form } from '../forms/Form.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Passkeys } from '../account/Passkeys.tsx';
import { RevokeTokenField } from '../account/RevokeTokenField.tsx';
import { SecondFactor } from '../account/SecondFactor.tsx';
import { useKept } from '../parts/shown-once.ts';
import { Section } from '../parts/Section.tsx';
import { profileActions, type ProfileAnswer } from '../account/profile-actions.ts';
import type { Passkey } from '../services.ts';
import type { Route } from './+types/settings.profile.ts';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { user, session, accounts, requestContext } = open(context);
  const mustConfirm = accounts.sendsMail() && !user.isEmailVerified;
  // These are of a session, and behind the proxy there is none.
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
    hasSlashKey: readSlashKey(request),
  };
}

export async function action({ context }: Route.ActionArgs) {
  const { form, accounts, intent, user, say, requestContext } = open(context);
  const act = Object.hasOwn(profileActions, intent) ? profileActions[intent] : undefined;
  if (!act) throw data(null, { status: 400 });
  const userId = user.id;
  const outcome = await act({
    form,
    intent,
    userId,
    accounts,
    requestContext,
    context,
  });
  if (!('said' in outcome)) return outcome;
  const { said, setCookies = [], to = '/settings/profile' } = outcome;
  return say(to, said, setCookies);
}

type FormsProps = {
  user: Route.ComponentProps['loaderData']['user'];
  answer: ProfileAnswer | undefined;
};

const factorIntents: readonly string[] = [
  'begin-second-factor',
  'confirm-second-factor',
  'renew-recovery-codes',
  'end-second-factor',
];

export default function Profile({ loaderData, actionData }: Route.ComponentProps) {
  const forms: FormsProps = { user: loaderData.user, answer: actionData };
  const { kept, take } = useKept(actionData, (answer) => answer.begun);
  const renewed = useKept(actionData, (answer) => answer.renewedCodes);
  const isAboutFactor = factorIntents.includes(actionData?.intent ?? '');
  return (
    <>
      {loaderData.mustConfirm ? <ConfirmEmail email={loaderData.user.email} /> : null}
      <WhoYouAre {...forms} />
      <WaysIn {...loaderData} answer={actionData} />
      {loaderData.provider === null && !loaderData.isByProxy ? (
        <Section
          title="Second factor"
          note="Sign-in then asks for a code of an authenticator as well."
        >
          {factorIntents.map((intent) => (
            <Problem key={intent} intent={intent} answer={actionData} />
          ))}
          <SecondFactor
            isOn={loaderData.user.hasSecondFactor}
            begun={kept}
            onTaken={take}
            renewed={renewed.kept}
            onRenewedTaken={renewed.take}
            isConfirming={actionData?.intent === 'confirm-second-factor'}
            errors={isAboutFactor ? actionData?.errors : undefined}
          />
        </Section>
      ) : null}
      {loaderData.passkeys ? (
        <PasskeySection passkeys={loaderData.passkeys} answer={actionData} />
      ) : null}
      {loaderData.joined !== null && loaderData.provider === null ? (
        <LeaveProvider {...forms} name={loaderData.joined} />
      ) : null}
      <Keyboard hasSlashKey={loaderData.hasSlashKey} />
      <Section
        title="Sessions"
        note="Browsers in which you are signed in. Links of mails that you have not opened yet stop working, too."
      >
        <Form>
          <RevokeTokenField />
          <Send intent="sign-out-everywhere">Sign out everywhere</Send>
        </Form>
      </Section>
      <DeleteAccount {...forms} />
    </>
  );
}

const passkeyIntents: readonly string[] = ['begin-passkey', 'add-passkey', 'delete-passkey'];

function PasskeySection({
  passkeys,
  answer,
}: {
  passkeys: readonly Passkey[];
  answer: ProfileAnswer | undefined;
}) {
  const isAbout = passkeyIntents.includes(answer?.intent ?? '');
  return (
    <Section
      title="Passkeys"
      note="A device signs you in by PIN, finger or face, without password and code."
    >
      {passkeyIntents.map((intent) => (
        <Problem key={intent} intent={intent} answer={answer} />
      ))}
      <Passkeys
        passkeys={passkeys}
        asked={answer?.asked ?? null}
        errors={isAbout ? answer?.errors : undefined}
      />
    </Section>
  );
}

/** The form that confirms the mail address. Until it is confirmed, only the link for this is mailed there. */
function ConfirmEmail({ email }: { email: string }) {
  return (
    <Section
      title="Confirm your email"
      note={`Open the link in the mail to ${email}. Until then no alert is mailed to you, and you can mail no invitation.`}
    >
      <Form>
        <Send intent="confirm-email">Send the link again</Send>
      </Form>
    </Section>
  );
}

function WhoYouAre({ user, answer }: FormsProps) {
  const nameErrors = answer?.intent === 'name' ? answer.errors : undefined;
  const emailErrors = answer?.intent === 'email' ? answer.errors : undefined;
  return (
    <>
      <Section title="Name" note="Shown to the members of your teams.">
        <Form>
          <TextField
            name="name"
            label="Name"
            required
            maxLength={LIMITS.personNameCharacters}
            defaultValue={user.name}
            autoComplete="name"
            errors={nameErrors}
          />
          <Send intent="name">Save name</Send>
        </Form>
      </Section>
      <Section title="Email" note="You sign in with it, and alerts go to it.">
        <Form>
          <Problem intent="email" answer={answer} />
          <TextField
            name="email"
            label="Email"
            type="email"
            required
            maxLength={LIMITS.emailCharacters}
            defaultValue={user.email}
            autoComplete="username"
            errors={emailErrors}
          />
          <CurrentPasswordField errors={emailErrors} />
          <Send intent="email">Change email</Send>
        </Form>
      </Section>
    </>
  );
}

function ChangePassword({ answer }: FormsProps) {
  const errors = answer?.intent === 'password' ? answer.errors : undefined;
  return (
    <Section title="Password" note="A change ends all your other sessions.">
      <Form>
        <Problem intent="password" answer={answer} />
        <CurrentPasswordField name="current_password" label="Current password" errors={errors} />
        <PasswordField
          name="password"
          label="New password"
          description="At least 8 characters."
          required
          minLength={8}
          maxLength={LIMITS.passwordCharacters.most}
          autoComplete="new-password"
          errors={errors}
        />
        <Send intent="password">Change password</Send>
      </Form>
    </Section>
  );
}

function WaysIn({
  provider,
  isByProxy,
  ...forms
}: FormsProps & { provider: string | null; isByProxy: boolean }) {
  if (provider !== null) return <NoPassword provider={provider} />;
  return isByProxy ? <BesideProxy /> : <ChangePassword {...forms} />;
}

/** Changes of these need a session, which only a sign-in without the proxy opens. */
function BesideProxy() {
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

/** Nothing of ours is asked for beside the provider, so there is nothing of ours to change. */
function NoPassword({ provider }: { provider: string }) {
  return (
    <Section title="Password and second factor" note={`You sign in with ${provider}.`}>
      <p>
        No password of yours opens anything here. What would ask for one asks {provider} instead who
        you are, and second factors are set up there.
      </p>
    </Section>
  );
}

function LeaveProvider({ name, answer }: FormsProps & { name: string }) {
  const errors = answer?.intent === 'leave-provider' ? answer.errors : undefined;
  return (
    <Section
      title={`Sign-in with ${name}`}
      note="This account opens there, too. Parted, it is joined again by the next sign-in there with its email."
    >
      <Form>
        <Problem intent="leave-provider" answer={answer} />
        <CurrentPasswordField errors={errors} />
        <Send intent="leave-provider">{`Part from ${name}`}</Send>
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
        <Send intent="keys">Save keys</Send>
      </Form>
    </Section>
  );
}

function DeleteAccount({ answer }: FormsProps) {
  const errors = answer?.intent === 'delete' ? answer.errors : undefined;
  return (
    <Section
      title="Delete account"
      note="Your API token stops working. Teams of yours alone go with you, with their crons and jobs."
      isDanger
    >
      <Form>
        <Problem intent="delete" answer={answer} />
        <CurrentPasswordField label="Password, to confirm" errors={errors} />
        <Button type="submit" name="intent" value="delete" variant="danger">
          Delete account
        </Button>
      </Form>
    </Section>
  );
}

function Problem({ intent, answer }: { intent: string; answer: ProfileAnswer | undefined }) {
  return answer?.intent === intent && answer.problem ? (
    <Notice kind="failed">{answer.problem}</Notice>
  ) : null;
}

function Send({ intent, children }: { intent: string; children: string }) {
  return (
    <Button type="submit" name="intent" value={intent} variant="default">
      {children}
    </Button>
  );
}
