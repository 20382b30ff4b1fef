/** Reads and parses every form within the limits of its page, or refuses it with a page. */
import { data } from 'react-router';
import { readPairs } from '#domain/form-pairs';
import { requestFacts, type Context } from '../context.ts';
import { findTooMuch, type FormKind, limitsOf } from './form-limits.ts';

/** Returns the form, or throws a page that says why it was refused: 408, 413 or 415. */
export async function takeForm(
  request: Request,
  context: Context,
  kind: FormKind,
): Promise<FormData> {
  const { bytes: maxBytes, fields, words } = limitsOf(kind);
  const body = await context.get(requestFacts).readBody(maxBytes);
  if (body.kind === 'too-slow') throw data(null, { status: 408 });
  if (body.kind === 'too-large') throw data({ limit: words }, { status: 413 });
  const type = request.headers.get('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase();
  // The form of a button without fields may be sent without a body and without a type.
  if (type !== 'application/x-www-form-urlencoded' && (type || body.bytes.length > 0))
    throw data(null, { status: 415 });
  const pairs = readPairs(Buffer.from(body.bytes), fields);
  if (pairs === null) throw data({ limit: words }, { status: 413 });
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  const tooMuch = findTooMuch(form);
  if (tooMuch !== null) throw data(tooMuch, { status: 413 });
  return form;
}
