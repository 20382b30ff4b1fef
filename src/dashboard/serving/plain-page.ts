import { escapeHtml } from '#domain/base/escape-html';

/** Without scripts and without anything of the request, for when the application can't answer. */
export type PlainPage = {
  status: number;
  title: string;
  text: string;
  requestId: string;
  /** Empty or, for example, `/belfry`. */
  basePath: string;
};

/** Scripts that requested data get only its text. */
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
