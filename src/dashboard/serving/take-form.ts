/** Reads and parses every form within the limits of its page, or refuses it with a page. */
import { data } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import { parseForm } from './form-body.ts';

const KIB = 1_024;

/** By who may open the page. */
const LIMITS = {
  anybody: { maxBytes: 64 * KIB, maxFields: 100, words: '64 KiB and 100 fields' },
  'signed-in': { maxBytes: 2 * KIB * KIB, maxFields: 10_000, words: '2 MiB and 10,000 fields' },
} as const;

/** Returns the form, or throws a page that says why it was refused: 400, 408, 413 or 415. */
export async function takeForm(
  request: Request,
  context: Context,
  openTo: keyof typeof LIMITS,
): Promise<FormData> {
  const { maxBytes, maxFields, words } = LIMITS[openTo];
  const body = await context.get(requestFacts).readBody(maxBytes);
  if (body.kind === 'too-slow') throw data(null, { status: 408 });
  if (body.kind === 'too-large') throw data({ limit: words }, { status: 413 });
  const parsed = parseForm(body.bytes, request.headers.get('Content-Type'), maxFields);
  switch (parsed.kind) {
    case 'form':
      return parsed.form;
    case 'too-many':
      throw data({ limit: words }, { status: 413 });
    case 'broken':
      throw data(null, { status: 400 });
    case 'not-a-form':
      throw data(null, { status: 415 });
  }
}
