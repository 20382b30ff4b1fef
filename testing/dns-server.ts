import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { decode, encode, type Answer, type Packet } from 'dns-packet';

/** One record of an answer. `name` is the name asked for unless given (as behind a CNAME). */
interface DnsRecord {
  type: 'A' | 'AAAA' | 'CNAME';
  /** An address, or for a CNAME the name it stands for. */
  data: string;
  name?: string;
  /** In seconds. Default: 0, so that nothing is kept. */
  ttl?: number;
}

/** What to answer a query for a name. Records of other types than the one asked for are left out. */
export type DnsAnswer =
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'REFUSED'
  /** No answer at all. */
  | 'silence'
  /** Over UDP only the truncation flag; over TCP the records. */
  | { truncated: readonly (DnsRecord | string)[] }
  /** These bytes after the id of the query, whatever they are. */
  | { bytes: Uint8Array }
  /** Records; a string is short for an A or AAAA record with that address. */
  | readonly (DnsRecord | string)[];

interface DnsQuery {
  /** In lower case. */
  name: string;
  type: string;
  over: 'udp' | 'tcp';
}

/** @param count  how many queries for this name and type came before */
type DnsAnswerFunction = (query: DnsQuery, count: number) => DnsAnswer;

export interface DnsServer extends AsyncDisposable {
  port: number;
  /** As `dns.setServers` and DNS_SERVERS take it: `127.0.0.1:41234`. */
  address: string;
  /** Every query that could be read, in order. */
  queries: readonly DnsQuery[];
  /** Sets what a name answers from now on. Names never set answer NXDOMAIN. */
  answer(name: string, answer: DnsAnswer | DnsAnswerFunction): void;
  close(): Promise<void>;
}

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;
const IS_RESPONSE = 0x8000;
const IS_TRUNCATED = 0x0200;
const RECURSION = 0x0180;

export async function startDnsServer(): Promise<DnsServer> {
  const { udp, tcp, port } = await listenOnBoth();
  const answers = new Map<string, DnsAnswerFunction>();
  const counts = new Map<string, number>();
  const queries: DnsQuery[] = [];

  const respond = (message: Buffer, over: 'udp' | 'tcp'): Buffer | null => {
    const packet = readQuery(message);
    const question = packet?.questions?.[0];
    if (packet === null || question === undefined) return null;
    const query = { name: question.name.toLowerCase(), type: question.type, over };
    const key = `${query.name} ${query.type}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    queries.push(query);
    return encodeAnswer(packet, query, answers.get(query.name)?.(query, count) ?? 'NXDOMAIN');
  };

  udp.on('message', (message, from) => {
    const reply = respond(message, 'udp');
    if (reply !== null) udp.send(reply, from.port, from.address);
  });
  const openSockets = new Set<net.Socket>();
  tcp.on('connection', (socket) => {
    openSockets.add(socket);
    socket.on('close', () => openSockets.delete(socket));
    serveTcp(socket, (message) => respond(message, 'tcp'));
  });

  const close = async () => {
    if (!tcp.listening) return;
    udp.close();
    tcp.close();
    for (const socket of openSockets) socket.destroy();
    await once(tcp, 'close');
  };
  return {
    port,
    address: `127.0.0.1:${port}`,
    queries,
    answer: (name, answer) => {
      answers.set(name.toLowerCase(), typeof answer === 'function' ? answer : () => answer);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Both sockets need the same port, and a port free for one may be taken for the other. */
async function listenOnBoth(): Promise<{ udp: dgram.Socket; tcp: net.Server; port: number }> {
  for (let tries = 0; ; tries++) {
    const tcp = net.createServer().listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as net.AddressInfo;
    const udp = dgram.createSocket('udp4');
    try {
      udp.bind(port, '127.0.0.1');
      await once(udp, 'listening');
      return { udp, tcp, port };
    } catch (error) {
      tcp.close();
      if (tries === 10) throw error;
    }
  }
}

function readQuery(message: Buffer): Packet | null {
  try {
    return decode(message);
  } catch {
    return null;
  }
}

/** Over TCP each message is preceded by its length in two bytes (RFC 1035 §4.2.2). */
function serveTcp(socket: net.Socket, respond: (message: Buffer) => Buffer | null): void {
  let waiting = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
      const end = 2 + waiting.readUInt16BE(0);
      const reply = respond(waiting.subarray(2, end));
      waiting = waiting.subarray(end);
      if (reply === null) continue;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    }
  });
}

function encodeAnswer(query: Packet, asked: DnsQuery, answer: DnsAnswer): Buffer | null {
  if (answer === 'silence') return null;
  if (typeof answer === 'object' && 'bytes' in answer) {
    const id = Buffer.alloc(2);
    id.writeUInt16BE(query.id ?? 0);
    return Buffer.concat([id, answer.bytes]);
  }
  const isTruncated = typeof answer === 'object' && 'truncated' in answer && asked.over === 'udp';
  const rcode = typeof answer === 'string' ? RCODES[answer] : 0;
  return encode({
    type: 'response',
    id: query.id ?? 0,
    flags: IS_RESPONSE | RECURSION | (isTruncated ? IS_TRUNCATED : 0) | rcode,
    // The name exactly as asked: resolvers vary the case and compare it.
    questions: query.questions ?? [],
    answers: isTruncated ? [] : recordsFor(query, asked, answer),
  });
}

function recordsFor(query: Packet, asked: DnsQuery, answer: DnsAnswer): Answer[] {
  if (typeof answer === 'string' || 'bytes' in answer) return [];
  const records = 'truncated' in answer ? answer.truncated : answer;
  const askedName = query.questions?.[0]?.name ?? asked.name;
  return records
    .map((record): DnsRecord => (typeof record === 'string' ? addressRecord(record) : record))
    .filter(({ type }) => type === 'CNAME' || type === asked.type || asked.type === 'ANY')
    .map(({ name = askedName, type, data, ttl = 0 }) => ({ name, type, data, ttl }));
}

function addressRecord(address: string): DnsRecord {
  return { type: net.isIPv6(address) ? 'AAAA' : 'A', data: address };
}
