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
const RUN = `((isOfColours) => axe.run({
  resultTypes: ['violations'],
  selectors: false,
  runOnly: isOfColours ? ['color-contrast', 'link-in-text-block'] : axe._audit.rules
    .filter(({ enabled, impact }) => enabled && !['minor', 'moderate'].includes(impact))
    .map(({ id }) => id),
}).then(({ violations }) => violations))`;

/** Another theme shows the same elements in other colours. */
export type Rules = 'all' | 'of colours';

/** The accessibility violations that axe-core finds on the page as it is now, one line each. */
export async function findBarriers(page: Page, rules: Rules = 'all'): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  const violations = await page.evaluate<Violation[]>(`${RUN}(${rules === 'of colours'})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
