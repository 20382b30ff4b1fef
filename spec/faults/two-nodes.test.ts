import { tellCells } from './tell.ts';

tellCells('Postgres, two nodes');
