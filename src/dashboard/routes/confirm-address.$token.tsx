import { data } from 'react-router';
import { SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/confirm-address.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  return {
    place: await openPublic(context).people.channelAddresses.readConfirmation(params.token),
  };
}

/** Needs a button: programs that scan mails open every link. */
export async function action({ params, context }: Route.ActionArgs) {
  const { channelAddresses } = openPublic(context).people;
  const { kind } = await channelAddresses.confirmAddress(params.token);
  return data({ isDone: kind === 'done' }, { status: kind === 'done' ? 200 : 422 });
}

export default function ConfirmAddress({ loaderData, actionData }: Route.ComponentProps) {
  if (actionData?.isDone) {
    return (
      <SignedOutNote
        title="The address is confirmed"
        note="Alerts of the team are mailed to it from now on. Each has a link that stops them."
      />
    );
  }
  const { place } = loaderData;
  if (actionData || place === null) {
    return (
      <SignedOutNote
        title="This link no longer works"
        note="It was used, replaced by a newer one, is more than a week old, or the team removed the address. Ask the team for a new link."
      />
    );
  }
  return (
    <SignedOutForm
      title="Confirm your address"
      note={`The team “${place.teamName}” wants to mail alerts about its scheduled requests to ${place.email}. You need no account, and each alert has a link that stops them.`}
      word="Confirm address"
    />
  );
}
