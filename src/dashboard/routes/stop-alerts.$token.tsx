import { data } from 'react-router';
import { SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/stop-alerts.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  return { place: await openPublic(context).people.channelAddresses.readStop(params.token) };
}

/** Needs a button: programs that scan mails open every link. */
export async function action({ params, context }: Route.ActionArgs) {
  const { kind } = await openPublic(context).people.channelAddresses.stopAddress(params.token);
  return data({ isDone: kind === 'done' }, { status: kind === 'done' ? 200 : 422 });
}

export default function StopAlerts({ loaderData, actionData }: Route.ComponentProps) {
  if (actionData?.isDone) {
    return (
      <SignedOutNote
        title="The mails are stopped"
        note="This channel of the team mails no more alerts to your address. The team sees that you stopped them."
      />
    );
  }
  const { place } = loaderData;
  if (actionData || place === null) {
    return (
      <SignedOutNote
        title="This link no longer works"
        note="It is incomplete, or the team removed your address: then no alerts are mailed to it."
      />
    );
  }
  return (
    <SignedOutForm
      title="Stop these mails"
      note={`The team “${place.teamName}” mails alerts to ${place.email} by one of its channels. You can stop them without an account.`}
      word="Stop the mails"
    />
  );
}
