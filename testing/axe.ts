import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/**
 * Without rules of minor or moderate impact, which are not reported. Details of elements that pass, and selectors, would
 * take most of the time.
 */
const RUN = `(({ isOfColours, exclude }) => axe.run({ exclude }, {
  resultTypes: ['violations'],
  selectors: false,
  runOnly: isOfColours ? ['color-contrast', 'link-in-text-block'] : axe._audit.rules
    .filter(({ enabled, impact }) => enabled && !['minor', 'moderate'].includes(impact))
    .map(({ id }) => id),
}).then(({ violations }) => violations))`;

/** What is the same around each page. */
const FRAME = ['aside:has(> nav)', 'header:has([data-search])'];

export interface Look {
  /** Another theme shows the same elements in other colours. */
  isOfColours?: boolean;
  /** For another page with the frame of one that was looked at. */
  withoutFrame?: boolean;
}

/** The accessibility violations that axe-core finds on the page as it is now, one line each. */
export async function findBarriers(
  page: Page,
  { isOfColours = false, withoutFrame = false }: Look = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  const choice = JSON.stringify({ isOfColours, exclude: withoutFrame ? FRAME : [] });
  const violations = await page.evaluate<Violation[]>(`${RUN}(${choice})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
