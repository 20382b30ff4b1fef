import { needsOf } from '#domain/judging/assertions';
import type { Clock } from '#domain/base/clock';
import {
  type Exchange,
  type ExchangeUser,
  QUERY_TOO_LONG,
  type Sender,
} from '#domain/http/exchange';
import type { Log } from '#domain/base/log';
import { addSignature, makeSignature, type Signature, signatureOf } from '#domain/http/signature';
import type { ItemOwner } from '#store/database/group-commit';
import type { QueuePolicy } from '#store/queues/queues';
import type { ClaimedJob } from '#store/runs/claims';
import type { RunEnd, Settlement } from '#store/runs/settlement';
import type { Store } from '#store/store';
import { type Answer, answerOf, notSent, requestOf, type Run, settlementOf } from './answer.ts';
import type { FairGroup, FairScheduler } from './fair-scheduler.ts';
import type { EngineObserver } from './observer.ts';
import { storeAgain, untilStored, type Ways } from './settling.ts';
import type { SlotHolder, Slots } from './slots.ts';

export interface RunTools {
  store: Store;
  clock: Clock;
  sender: Sender;
  log: Log;
  observer: Partial<EngineObserver>;
  slots: Slots;
  /** The whole body is judged. */
  responseKeepBytes: number;
  schedulerOf: (group: FairGroup) => FairScheduler;
  onEnd: () => void;
}

/** If the queue was deleted. */
const NEVER_RETRIED: QueuePolicy = { retriesEnabled: false, retrySchedule: [], emailAlerts: false };

/** `isOurs` is false if another node had ended it. */
interface Stored extends Pick<Settlement, 'status'> {
  isOurs: boolean;
  end: Pick<RunEnd, 'reason' | 'durationMs'>;
}

/**
 * It frees its slot when the response has arrived, and is settled however long the database is down.
 *
 * Steps are plain calls. Only failed jobs, which need their queue's policy, and ends that can't be stored at once take
 * promises.
 */
export class RunUnderWay implements SlotHolder, ExchangeUser, ItemOwner<boolean> {
  readonly id: string;
  readonly group: FairGroup;
  setIndex = -1;
  readonly #tools: RunTools;
  readonly #run: Run;
  readonly #nodeId: string;
  #signature: Signature | null = null;
  /** Null after a bug of ours: it is unknown whether anything was sent. */
  #answer: Answer | null = null;
  #settlement: Settlement | null = null;
  /** While it isn't stored yet. */
  #bytes = 0;
  #tries = 0;

  constructor(tools: RunTools, run: Run, nodeId: string, group: FairGroup) {
    this.id = run.id;
    this.group = group;
    this.#tools = tools;
    this.#run = run;
    this.#nodeId = nodeId;
  }

  start(): void {
    const { observer, slots } = this.#tools;
    observer.runStarted?.(this.#run.kind, this.#run.startedAt - this.#run.dueAt);
    slots.take(this);
    this.#conclude(() => this.#send());
  }

  #conclude(step: () => Answer | 'sent'): void {
    let answer: Answer | 'sent' | null = null;
    try {
      answer = step();
    } catch (error) {
      this.#tools.log.error('engine.run-failed', { error });
    }
    if (answer !== 'sent') this.#keep(answer);
  }

  #send(): Answer | 'sent' {
    const { clock, sender } = this.#tools;
    const run = this.#run;
    if (run.unreadable !== null) return notSent(run.unreadable, clock.now());
    const request = requestOf(run);
    if (request === 'query-too-long') return answerOf(run, QUERY_TOO_LONG, null, this.#tools);
    this.#signature = makeSignature(run.signingSecret, clock.now(), request.body);
    const options = { timeoutSeconds: run.timeoutSeconds, needs: needsOf(run.assertions) };
    sender.begin(addSignature(request, this.#signature), options, this);
    return 'sent';
  }

  onExchange(exchange: Exchange): void {
    this.#conclude(() => {
      const signature = signatureOf(exchange, this.#signature);
      return answerOf(this.#run, exchange, signature, this.#tools);
    });
  }

  #keep(answer: Answer | null): void {
    const { schedulerOf, slots, store } = this.#tools;
    schedulerOf(this.group).leave(this.group);
    slots.free(this);
    const kept = answer !== null && !slots.mayKeepResponse ? withoutResponse(answer) : answer;
    this.#answer = kept;
    this.#bytes = kept?.response ? kept.response.body.length + kept.response.trace.length : 0;
    slots.waitingBytes += this.#bytes;
    if (kept === null || needsPolicy(this.#run, kept)) {
      void untilStored(this.#tools, this.#ways()).then((end) => this.#end(end));
      return;
    }
    this.#tries++;
    try {
      this.#settlement = settlementOf(this.#run, kept, NEVER_RETRIED);
      store.runs.putEnd(this.#nodeId, this.#settlement, this);
    } catch (defect) {
      this.onNotWritten(defect);
    }
  }

  onWritten(isOurs: boolean): void {
    if (this.#settlement !== null) this.#end({ ...this.#settlement, isOurs });
  }

  onNotWritten(fault: unknown): void {
    void storeAgain(this.#tools, this.#ways(), fault).then((end) => this.#end(end));
  }

  /** Unchanged; if rejected, without the response; if rejected again, as a worker failure (§3.6). */
  #ways(): Ways<Stored> {
    const answer = this.#answer;
    const abandon = () => this.#abandon();
    if (answer === null) return [abandon];
    return [() => this.#write(answer), () => this.#write(withoutResponse(answer)), abandon];
  }

  async #write(answer: Answer): Promise<Stored> {
    const mayBeStored = this.#tries++ > 0;
    const run = this.#run;
    const policy = needsPolicy(run, answer) ? await this.#readPolicy(run) : NEVER_RETRIED;
    const settlement = settlementOf(run, answer, policy);
    const isFirst = await this.#tools.store.runs.settle(this.#nodeId, settlement);
    const isOurs = isFirst || (mayBeStored && (await this.#isStored(answer)));
    return { ...settlement, isOurs };
  }

  async #abandon(): Promise<Stored> {
    const { clock, store } = this.#tools;
    return {
      isOurs: await store.nodes.abandon(this.#nodeId, this.#run, clock.now()),
      status: this.#run.kind === 'job' ? 'dead_lettered' : 'failed',
      end: { reason: 'worker_failed', durationMs: 0 },
    };
  }

  async #readPolicy(run: ClaimedJob): Promise<QueuePolicy> {
    const policy = await this.#tools.store.queues.findPolicy(run.teamId, run.queueId);
    return policy ?? NEVER_RETRIED;
  }

  /** An earlier try may have stored it and only lost the answer. */
  async #isStored({ end }: Answer): Promise<boolean> {
    const { jobs, crons } = this.#tools.store;
    const { kind, teamId, id } = this.#run;
    const kept = await (kind === 'job' ? jobs.find(teamId, id) : crons.findExecution(teamId, id));
    return kept?.completedAt === end.completedAt && kept.reason === end.reason;
  }

  #end({ isOurs, status, end: { reason, durationMs } }: Stored): void {
    const { clock, log, observer, onEnd, schedulerOf, slots } = this.#tools;
    slots.waitingBytes -= this.#bytes;
    schedulerOf(this.group).settle(this.group, clock.now());
    slots.settle(this);
    onEnd();
    const ids = idsOf(this.#run);
    // The outcome stored by the other node counts.
    if (!isOurs) return log.warn('attempt.too-late', { ...ids, durationMs });
    const fields = { ...ids, status, reason, durationMs };
    if (status === 'success') log.debug('attempt.settled', fields);
    else log.info('attempt.settled', fields);
    observer.runEnded?.({ kind: this.#run.kind, outcome: status, reason, durationMs });
  }
}

function needsPolicy(run: Run, { ok }: Answer): run is ClaimedJob {
  return run.kind === 'job' && !ok;
}

function withoutResponse(answer: Answer): Answer {
  return { ...answer, response: null };
}

function idsOf(run: Run) {
  if (run.kind === 'job') return { jobId: run.id, attempt: run.attemptNumber };
  return { executionId: run.id, cronId: run.cronId };
}
