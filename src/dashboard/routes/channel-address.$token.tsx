import { GoneLink, SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/channel-address.$token.ts';

const isStop = (pattern: string) => pattern.includes('stop-alerts');

/** `/confirm-address/:token`, `/stop-alerts/:token` */
export async function loader({ params: { token }, pattern, context }: Route.LoaderArgs) {
  const { channelAddresses } = openPublic(context).people;
  return isStop(pattern)
    ? { stops: true, place: await channelAddresses.readStop(token) }
    : { stops: false, place: await channelAddresses.readConfirmation(token) };
}

/** Needs a button: programs that scan mails open every link. */
export async function action({ params: { token }, pattern, context }: Route.ActionArgs) {
  const { people, showDone } = openPublic(context);
  const { kind } = await (isStop(pattern)
    ? people.channelAddresses.stopAddress(token)
    : people.channelAddresses.confirmAddress(token));
  return showDone(kind === 'done');
}

export default function ChannelAddress({ loaderData, actionData }: Route.ComponentProps) {
  const { stops, place } = loaderData;
  if (actionData?.isDone) {
    return stops ? (
      <SignedOutNote
        title="The mails are stopped"
        note="This channel of the team mails no more alerts to your address. The team sees that you stopped them."
      />
    ) : (
      <SignedOutNote
        title="The address is confirmed"
        note="Alerts of the team are mailed to it from now on. Each has a link that stops them."
      />
    );
  }
  if (actionData || place === null) {
    const why = stops
      ? 'It is incomplete, or the team removed your address: then no alerts are mailed to it.'
      : 'It was used, replaced by a newer one, is more than a week old, or the team removed the address. Ask the team for a new link.';
    return <GoneLink note={why} />;
  }
  const { teamName, email } = place;
  return stops ? (
    <SignedOutForm
      title="Stop these mails"
      note={`The team “${teamName}” mails alerts to ${email} by one of its channels. You can stop them without an account.`}
      word="Stop the mails"
    />
  ) : (
    <SignedOutForm
      title="Confirm your address"
      note={`The team “${teamName}” wants to mail alerts about its scheduled requests to ${email}. You need no account, and each alert has a link that stops them.`}
      word="Confirm address"
    />
  );
}
