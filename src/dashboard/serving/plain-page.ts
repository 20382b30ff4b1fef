import { escapeHtml } from '#domain/escape-html';

/**
 * A page for when the application cannot or should not answer: it has no scripts and contains nothing of the request.
 */
export type PlainPage = {
  status: number;
  title: string;
  text: string;
  requestId: string;
  /** The path that our addresses begin with: empty, or for example `/belfry`. */
  basePath: string;
};

/** The page as HTML. Scripts that requested data get only its text, which they show in their own page. */
export function buildPlainPage(
  { status, title, text, requestId, basePath }: PlainPage,
  wantsData: boolean,
): Response {
  const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8' });
  if (wantsData) return new Response(`${title}\n${text}`, { status, headers });
  headers.set('Content-Type', 'text/html; charset=utf-8');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Belfry</title><link rel="stylesheet" href="${basePath}/plain.css"></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>
<p><a href="${basePath}/">Go to the overview</a></p><p class="id">Request ${escapeHtml(requestId)}</p></main></body></html>`;
  return new Response(html, { status, headers });
}
