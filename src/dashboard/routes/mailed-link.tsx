import { data, Link } from 'react-router';
import { GoneLink, SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/mailed-link.ts';

type Name = 'confirm-email' | 'stop-email-change' | 'confirm-address' | 'stop-alerts';
type Public = ReturnType<typeof openPublic>;
type Place = { teamName: string; email: string };

/** The first step of the path. */
const nameOf = (pattern: string) => pattern.split('/').find((step) => step !== '') as Name;

/** Null if the link is used or too old. */
const readPlaces: Partial<Record<Name, (at: Public, token: string) => Promise<Place | null>>> = {
  'confirm-address': ({ channelAddresses }, token) => channelAddresses.readConfirmation(token),
  'stop-alerts': ({ channelAddresses }, token) => channelAddresses.readStop(token),
};

const acts: Record<Name, (at: Public, token: string) => Promise<{ kind: string }>> = {
  'confirm-email': ({ accounts }, token) => accounts.confirmEmail(token),
  'stop-email-change': ({ accounts }, token) => accounts.stopEmailChange(token),
  'confirm-address': ({ channelAddresses }, token) => channelAddresses.confirmAddress(token),
  'stop-alerts': ({ channelAddresses }, token) => channelAddresses.stopAddress(token),
};

export async function loader({ params: { token }, pattern, context }: Route.LoaderArgs) {
  const name = nameOf(pattern);
  return { name, place: await readPlaces[name]?.(openPublic(context), token) };
}

/** Needs a button: programs that scan mails open every link. */
export async function action({ params: { token }, pattern, context }: Route.ActionArgs) {
  const name = nameOf(pattern);
  const opened = openPublic(context);
  const isDone = (await acts[name](opened, token)).kind === 'done';
  if (name !== 'confirm-email' || !isDone) return data({ isDone }, { status: isDone ? 200 : 422 });
  const text = 'The new email is in force. You sign in with it from now on.';
  return opened.say('/settings/profile', text);
}

type Words = {
  title: string;
  note: (place: Place) => string;
  word: string;
  gone: string;
  done?: { title: string; note: string };
  /** After it is done, or if it can't be. */
  next?: { to: string; word: string };
};

const words: Record<Name, Words> = {
  'confirm-email': {
    title: 'Confirm your new email',
    note: () => 'It replaces the current email of your account.',
    word: 'Confirm email',
    gone: 'It was used, is more than an hour old, or the address has an account by now. Start the change again in your profile.',
    next: { to: '/settings/profile', word: 'Go to your profile' },
  },
  'stop-email-change': {
    title: 'Stop the change of your email',
    note: () =>
      'The email of your account stays unchanged, and the link that was sent to the new address stops working.',
    word: 'Stop the change',
    gone: 'It was used, is more than an hour old, or the change is in force already. If your account has another email now, contact the operator of this Belfry.',
    done: {
      title: 'The change is stopped',
      note: 'Your email is unchanged. The person who requested the change is signed in as you and has your password: set a new one now, which ends all sessions.',
    },
    next: { to: '/forgot-password', word: 'Set a new password' },
  },
  'confirm-address': {
    title: 'Confirm your address',
    note: ({ teamName, email }) =>
      `The team “${teamName}” wants to mail alerts about its scheduled requests to ${email}. You need no account, and each alert has a link that stops them.`,
    word: 'Confirm address',
    gone: 'It was used, replaced by a newer one, is more than a week old, or the team removed the address. Ask the team for a new link.',
    done: {
      title: 'The address is confirmed',
      note: 'Alerts of the team are mailed to it from now on. Each has a link that stops them.',
    },
  },
  'stop-alerts': {
    title: 'Stop these mails',
    note: ({ teamName, email }) =>
      `The team “${teamName}” mails alerts to ${email} by one of its channels. You can stop them without an account.`,
    word: 'Stop the mails',
    gone: 'It is incomplete, or the team removed your address: then no alerts are mailed to it.',
    done: {
      title: 'The mails are stopped',
      note: 'This channel of the team mails no more alerts to your address. The team sees that you stopped them.',
    },
  },
};

export default function MailedLink({ loaderData, actionData }: Route.ComponentProps) {
  const { name, place = { teamName: '', email: '' } } = loaderData;
  const { title, note, word, gone, done, next } = words[name];
  if (actionData?.isDone && done) {
    const below = next ? <Link to={next.to}>{next.word}</Link> : null;
    return <SignedOutNote {...done} below={below} />;
  }
  if (actionData || place === null) return <GoneLink note={gone} {...next} />;
  return <SignedOutForm title={title} note={note(place)} word={word} />;
}
