/**
 * The service closes idle connections after five seconds. `fetch` of this process gives them up earlier, also where the
 * machine is so busy that its timers are seconds late: a form that meets the end of its connection is not sent again.
 */
import { Agent, setGlobalDispatcher } from 'undici';

setGlobalDispatcher(new Agent({ keepAliveMaxTimeout: 1_000 }));
