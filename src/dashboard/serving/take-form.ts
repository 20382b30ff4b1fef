/** Reads and parses every form within the limits of its page, or refuses it with a page. */
import { data } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import { parseForm } from './form-body.ts';
import { findTooMuch, type FormKind, limitsOf } from './form-limits.ts';

/** Returns the form, or throws a page that says why it was refused: 400, 408, 413 or 415. */
export async function takeForm(
  request: Request,
  context: Context,
  kind: FormKind,
): Promise<FormData> {
  const { bytes, fields, words } = limitsOf(kind);
  const body = await context.get(requestFacts).readBody(bytes);
  if (body.kind === 'too-slow') throw data(null, { status: 408 });
  if (body.kind === 'too-large') throw data({ limit: words }, { status: 413 });
  const parsed = parseForm(body.bytes, request.headers.get('Content-Type'), fields);
  switch (parsed.kind) {
    case 'form': {
      const tooMuch = findTooMuch(parsed.form);
      if (tooMuch !== null) throw data(tooMuch, { status: 413 });
      return parsed.form;
    }
    case 'too-many':
      throw data({ limit: words }, { status: 413 });
    case 'broken':
      throw data(null, { status: 400 });
    case 'not-a-form':
      throw data(null, { status: 415 });
  }
}
