import type { Finding } from '#cli/services';

/** Null: nothing to report. */
export type Findings = readonly (Finding | null)[];

const finding =
  (status: Finding['status']) =>
  (check: string, message: string): Finding => ({ check, status, message });
export const ok = finding('ok');
export const warn = finding('warn');
export const fail = finding('fail');
