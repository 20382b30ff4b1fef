import type { RequestFacts } from '../context.ts';
import type { Services } from '../services.ts';

/** Some providers send more fields. */
const MOST_BYTES = 4_096;
/** As a form of either type. */
const ONE_CLICK = /List-Unsubscribe(?:=|"\r?\n\r?\n)One-Click/;

/**
 * A mail provider's POST for a recipient who pressed “Unsubscribe” (RFC 8058). It has no session and no origin; the
 * link alone decides.
 */
export async function answerOneClick(
  path: string,
  { readBody }: Pick<RequestFacts, 'readBody'>,
  { people }: Pick<Services, 'people'>,
): Promise<Response | null> {
  const [, token] = /^\/stop-alerts\/([^/]+)$/.exec(path) ?? [];
  if (token === undefined) return null;
  const body = await readBody(MOST_BYTES);
  if (body.kind !== 'read' || !ONE_CLICK.test(new TextDecoder().decode(body.bytes))) return null;
  const { kind } = await people.channelAddresses.stopAddress(token);
  return kind === 'done'
    ? new Response('The mails are stopped.\n')
    : new Response('This link no longer works.\n', { status: 404 });
}
