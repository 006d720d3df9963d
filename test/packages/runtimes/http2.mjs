// HTTP/2: an order whose request a real peer ends at each moment, in each way.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ca, endingNames, moments, startPeer } from './http2-peer.mjs';

/** Every order has three attempts: all of them end so, or the first alone. */
const timesPlayed = [3, 1];

const ways = [
  ['Node 20', 'undici-7', 'h1'],
  ['Node 24', 'undici-7-h2', 'h2'],
  ['Node 22', 'undici-8', 'h2'],
  ['Node 24', 'undici-8', 'h2'],
  ['Node 26', 'undici-8', 'h2'],
  ['Node 24', 'undici-8-h1', 'h1'],
  ['Node 20', 'fetch', 'h1'],
  ['Node 22', 'fetch', 'h1'],
  ['Node 24', 'fetch', 'h1'],
  ['Node 26', 'fetch', 'h2'],
];

/**
 * Named checks, one for each way to send. `rows` is filled as they run.
 *
 * @param at - the folder of the project that has the package, undici and `undici8` installed
 */
export function http2Checks(runtimes, install, at, rows) {
  return Object.fromEntries(
    ways.map(([runtime, way, protocol]) => [
      `endings of HTTP/2, ${way} on ${runtime}`,
      async () => {
        const row = await playAll(install(runtimes[runtime]), way, at);
        rows.push([`${way}, ${runtime}`, ...Object.values(row)]);
        // An order that is placed twice under one count, or a nonce that the service refuses.
        assert.deepEqual(
          { copies: row.copies, uncounted: row.uncounted },
          { copies: 0, uncounted: 0 },
        );
        assert.equal(row.protocol, protocol);
        return `${row.endings} endings: ${row.placed} placed, ${row.unknown} unknown`;
      },
    ]),
  );
}

export const http2Head = ['way', 'protocol', 'endings', 'copies', 'uncounted', 'placed', 'unknown'];

async function playAll(program, way, at) {
  const peer = await startPeer();
  const cells = timesPlayed.flatMap(cellsOf);
  try {
    const { stdout } = await promisify(execFile)(
      program,
      ['--no-warnings', 'http2-client.mjs', way, JSON.stringify(cells)],
      {
        cwd: at,
        env: { ...process.env, NODE_EXTRA_CA_CERTS: ca, PEER_URL: peer.url },
        timeout: 120_000,
      },
    );
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(said.length, cells.length);
    return judge(said, peer);
  } finally {
    peer.close();
  }
}

function cellsOf(times) {
  return [false, true].flatMap((warm) =>
    moments.flatMap((moment) =>
      endingNames
        // No stream is below the first of a connection.
        .filter((ending) => warm || !ending.endsWith('below'))
        .map((ending) => {
          const name = [warm ? 'kept' : 'new', moment, ending, times].join('_');
          return { name, warm, path: `/${name}/${moment}/${ending}/${times}` };
        }),
    ),
  );
}

/** What the client said of each order, against what the peer saw. */
function judge(said, peer) {
  const protocols = new Set();
  const row = {
    protocol: '',
    endings: said.length,
    copies: 0,
    uncounted: 0,
    placed: 0,
    unknown: 0,
  };
  for (const { name, outcome, attempts, message } of said) {
    const { nonces, protocols: used } = peer.cell(name);
    const distinct = new Set(nonces).size;
    assert.ok(distinct > 0, `${name}: the peer saw no order. ${message}`);
    assert.ok(['placed', 'unknown'].includes(outcome), `${name}: ${outcome} ${message}`);
    used.forEach((protocol) => protocols.add(protocol));
    row.copies += nonces.length - distinct;
    row.uncounted += Math.max(0, distinct - attempts);
    row[outcome] += 1;
  }
  return { ...row, protocol: [...protocols].join(', ') };
}
