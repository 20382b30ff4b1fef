import { declareCells } from './declare.ts';

declareCells('Postgres, two nodes');
