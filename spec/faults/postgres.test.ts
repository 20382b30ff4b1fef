import { declareCells } from './declare.ts';

declareCells('Postgres');
declareCells('Postgres on a small disk');
