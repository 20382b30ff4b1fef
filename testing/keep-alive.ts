/**
 * Servers inside a test close idle connections after five seconds. `fetch` gives them up earlier, because a form that
 * meets the end of its connection is not sent again.
 */
import { Agent, setGlobalDispatcher } from 'undici';

setGlobalDispatcher(new Agent({ keepAliveMaxTimeout: 1_000 }));
