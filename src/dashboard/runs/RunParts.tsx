import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { countOf } from '#domain/base/amounts';
import { formatMilliseconds } from '#domain/base/duration-words';
import type { HeaderList } from '#domain/http/exchange';
import { hasPath, labelOfKind, textsOfAssertion } from '#domain/judging/assertion';
import { MASK } from '#domain/runs/masking';
import { changeSearch } from '../lists/List.tsx';
import { useMayOpen, useMayWork } from '../page/may-change.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { JsonView } from '../parts/JsonView.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Panel } from '../parts/Panel.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Status } from '../parts/Status.tsx';
import classes from './Run.module.css';
import { type PageRun, type RunTextPart, startOfAnswer } from './run-text.ts';
import type { Explanation, ShownAssertion } from '../services.ts';

export function FailureNotice({
  explanation,
  response,
  editTo,
  children,
}: {
  explanation: Explanation;
  response: PageRun['response'];
  /** With `url` in its address. */
  editTo?: string;
  /** Facts about its cron or queue. */
  children?: ReactNode;
}) {
  const { title, text, nextStep, useUrl } = explanation;
  const mayEdit = useMayOpen(editTo ?? '');
  return (
    <Notice kind="failed" title={title}>
      <p>{text}</p>
      <AnswerStart response={response} />
      <p>{nextStep}</p>
      {useUrl && editTo && mayEdit ? (
        <p>
          <Link
            to={`${editTo}${editTo.includes('?') ? '&' : '?'}url=${encodeURIComponent(useUrl)}`}
          >
            Use this URL
          </Link>{' '}
          <code style={{ overflowWrap: 'anywhere' }}>{useUrl}</code>
        </p>
      ) : null}
      {children}
    </Notice>
  );
}

/** It often names the cause. */
export function AnswerStart({ response }: { response: PageRun['response'] }) {
  const start = startOfAnswer(response?.bodyStart ?? '');
  if (start === '') return null;
  return (
    <p>
      Its response: <code className={classes.answer}>{start}</code>
    </p>
  );
}

const none = <p className="muted">None</p>;

function HeaderTable({ headers, label }: { headers: HeaderList; label: string }) {
  if (headers.length === 0) return none;
  return (
    <table className={classes.headers}>
      <caption className="sr-only">{label}</caption>
      <tbody>
        {headers.map(([name, value], at) => (
          <tr key={at}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type RunPanelsProps = {
  run: PageRun;
  durationMs: number | null;
  isSent: boolean;
  /** Undefined, like the others, for a test run, of which nothing is stored. */
  secretsShown?: boolean;
  wholeBody?: string | null;
  textsAt?: string;
};

/** Secrets are masked unless requested. */
function RequestPanel({ run, isSent, secretsShown, textsAt }: RunPanelsProps) {
  const { search } = useLocation();
  const { request } = run;
  const { bodyText, bodyBytes, isBodyCut, signedText, signedWith } = request;
  const at = (part: RunTextPart) =>
    textsAt && `${textsAt}?part=${part}${secretsShown ? '&secrets=shown' : ''}`;
  const hasSecrets =
    secretsShown === true || run.isMasked || request.headers.some(({ isSecret }) => isSecret);
  const mayAsk = useMayWork();
  const wholeAt = at('body');
  return (
    <Panel
      title={isSent ? 'Request as sent' : 'Request'}
      beside={
        <span className="row">
          <CopyButton text={run.curl} from={at('curl')} label="Copy as curl">
            Copy as curl
          </CopyButton>
          <CopyButton text={run.apiCall} from={at('call')} label="Copy as API call">
            Copy as API call
          </CopyButton>
        </span>
      }
    >
      <RequestLine method={request.method} url={request.url} copy="Copy method and URL" />
      <div>
        <h3>Headers</h3>
        <HeaderTable
          headers={request.headers.map(({ name, value }) => [name, value ?? MASK])}
          label="Request headers"
        />
        {hasSecrets && mayAsk && secretsShown !== undefined ? (
          <Link
            to={changeSearch(search, { secrets: secretsShown ? null : 'shown' })}
            preventScrollReset
          >
            {secretsShown ? 'Hide secrets' : 'Show secrets'}
          </Link>
        ) : null}
      </div>
      {request.isPayloadKnown ? null : (
        <Notice kind="note">
          The cron’s payload was edited after this run. The old payload is not stored, so the
          request is shown with the current one.
        </Notice>
      )}
      <div>
        <h3>
          {bodyText === null
            ? 'Body'
            : `Body, ${countOf(bodyBytes, 'byte')}${isBodyCut ? ', only the beginning' : ''}`}
        </h3>
        {bodyText === null ? none : <JsonView text={bodyText} label="request body" />}
        {isBodyCut && wholeAt ? (
          <Link to={wholeAt} reloadDocument target="_blank" rel="noopener">
            {`Show all ${countOf(bodyBytes, 'byte')}`}
          </Link>
        ) : null}
        {signedWith === null ? null : (
          <p>
            Signed with the secret that ends in <code>{signedWith}</code>.
          </p>
        )}
        {signedText === null ? null : (
          <details className={classes.signed}>
            <summary>{`Signed bytes${isBodyCut ? ', only the beginning' : ''}`}</summary>
            <JsonView text={signedText} label="signed bytes" />
          </details>
        )}
      </div>
    </Panel>
  );
}

function ResponsePanel({ run: { response, address }, isSent, wholeBody = null }: RunPanelsProps) {
  const { search } = useLocation();
  if (!isSent)
    return (
      <Panel title="Response">
        <p className="muted">
          None. Tried <code>{address}</code>
        </p>
      </Panel>
    );
  if (response === null) return <Panel title="Response">{none}</Panel>;
  const { status, headers, bodyStart, hasMore, totalBytes, keptBytes } = response;
  const kept = keptBytes === 0 ? ', not stored' : `, the first ${countOf(keptBytes, 'byte')} kept`;
  return (
    <Panel
      title="Response"
      beside={<span className="num">{status === null ? 'No status' : `HTTP ${status}`}</span>}
    >
      {address ? (
        <p className="muted">
          From <code>{address}</code>
        </p>
      ) : null}
      <details>
        <summary>{`Headers (${headers.length})`}</summary>
        <HeaderTable headers={headers} label="Response headers" />
      </details>
      <div>
        <h3>{`Body, ${countOf(totalBytes, 'byte')}${keptBytes < totalBytes ? kept : ''}`}</h3>
        <JsonView
          text={wholeBody ?? bodyStart}
          label="response body"
          shownAtFirst={wholeBody === null ? 2000 : wholeBody.length}
        />
        {hasMore && wholeBody === null ? (
          <Link to={changeSearch(search, { body: 'whole' })} preventScrollReset>
            Show the rest
          </Link>
        ) : null}
      </div>
    </Panel>
  );
}

function nameAssertion({ assertion }: ShownAssertion): string {
  const { kind } = assertion;
  const { path } = textsOfAssertion(assertion);
  return hasPath(kind) ? `${labelOfKind(kind)}: ${path}` : labelOfKind(kind);
}

const timingParts = [
  { key: 'dnsMs', word: 'DNS', tone: 'slate' },
  { key: 'connectMs', word: 'Connect', tone: 'orange' },
  { key: 'tlsMs', word: 'TLS', tone: 'violet' },
  { key: 'waitingMs', word: 'Waiting', tone: 'blue' },
  { key: 'receivingMs', word: 'Receiving', tone: 'teal' },
] as const;

/** For attempts, executions and test runs. */
export function RunPanels(props: RunPanelsProps) {
  const { run, durationMs, isSent } = props;
  const { timing } = run;
  return (
    <>
      {run.assertions.length > 0 ? (
        <Panel title="Success assertions">
          <ul className={classes.verdicts}>
            {run.assertions.map((shown, at) => (
              <li key={at}>
                {shown.ok === null ? (
                  <Status name="pending" word="Not evaluated" />
                ) : (
                  <Status
                    name={shown.ok ? 'success' : 'failed'}
                    word={shown.ok ? 'Holds' : 'Fails'}
                  />
                )}
                <div>
                  <p>{nameAssertion(shown)}</p>
                  <p className={classes.found}>
                    Expected <code>{shown.expected}</code>
                    {shown.ok === null ? null : (
                      <>
                        , found <code>{shown.got}</code>
                      </>
                    )}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
      <div className={classes.columns}>
        {isSent || run.address !== null ? <ResponsePanel {...props} /> : null}
        <RequestPanel {...props} />
      </div>
      {timing ? (
        <Panel title="Timing">
          <div className={classes.timing}>
            <div aria-hidden="true">
              {timingParts.map(({ key, tone }) =>
                timing[key] === null ? null : (
                  <i key={key} data-tone={tone} style={{ flexGrow: timing[key] }} />
                ),
              )}
            </div>
            <dl>
              {timingParts.map(({ key, word, tone }) => (
                <div key={key} data-tone={tone}>
                  <dt className="swatch">{word}</dt>
                  <dd className="num">
                    {timing[key] === null ? (
                      <span className="muted">none</span>
                    ) : (
                      formatMilliseconds(timing[key])
                    )}
                  </dd>
                </div>
              ))}
              {durationMs === null ? null : (
                <div>
                  <dt>Total</dt>
                  <dd className="num">{formatMilliseconds(durationMs)}</dd>
                </div>
              )}
            </dl>
          </div>
        </Panel>
      ) : null}
    </>
  );
}
