import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Resolve } from './guarded-lookup.ts';
import { doors } from './test-support/doors.ts';
import { serve } from './test-support/serve.ts';

let canary: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  // On every address of this machine; whoever connects is counted, whatever it would have said.
  canary = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhit');
  });
  await new Promise<void>((resolve) => canary.listen(0, resolve));
  port = (canary.address() as AddressInfo).port;
});
beforeEach(() => {
  connections = 0;
});
afterAll(() => void canary.close());

const addresses: Record<string, string> = {
  'loopback.example': '127.0.0.1',
  'loopback2.example': '127.8.8.8',
  'any.example': '0.0.0.0',
  'six.example': '::1',
  'six-any.example': '::',
  'mapped.example': '::ffff:127.0.0.1',
  'mapped-hex.example': '::ffff:7f00:1',
  'nat64.example': '64:ff9b::7f00:1',
  'six-to-four.example': '2002:7f00:1::',
  'link.example': 'fe80::1',
  'zone.example': 'fe80::1%lo',
  'private.example': '192.168.0.1',
  'metadata.example': '169.254.169.254',
};
const resolve: Resolve = async (hostname) => {
  const address = addresses[hostname.replace(/\.$/, '')];
  if (address === undefined) throw new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  return [{ address, family: address.includes(':') ? 6 : 4 }];
};

// Spellings of this machine on which the canary listens, and of others that nobody may call.
const hosts = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001'],
  ...[
    '0x7f.0.0.1',
    '0X7F.1',
    '017700000001',
    '0177.0.0.1',
    '0177.0x0.0.01',
    '127。0。0。1',
    '①②⑦.0.0.1',
  ],
  ...[
    '%31%32%37.0.0.1',
    '12\t7.0.0.1',
    '127.0.0.1%2e',
    '０x7f.1',
    '0',
    '0.0.0.0',
    '0x0',
    '00',
    '0.1.2.3',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'a.localhost',
    'localhost.localdomain',
  ],
  ...['ip6-localhost', 'ip6-loopback', 'ｌｏｃａｌｈｏｓｔ', 'loc%61lhost'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]', '[::127.0.0.1]', '[::ffff:127.0.0.1]'],
  ...[
    '[::ffff:7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...[
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[::1%25lo]',
    '[fc00::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
  ],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '[::ffff:169.254.169.254]',
  ],
  ...[
    '[fd00:ec2::254]',
    '100.100.100.200',
    '168.63.129.16',
    'metadata.google.internal',
    'metadata',
  ],
  ...Object.keys(addresses),
  ...Object.keys(addresses).map((name) => `${name}.`),
];
const urlsOf = (target: number): string[] => [
  ...hosts.map((host) => `http://${host}:${target}/`),
  `https://127.0.0.1:${target}/`,
  `HTTP:\\\\127.0.0.1:${target}\\`,
  `http:127.0.0.1:${target}`,
  `http://127.0.0.1:${target}\\@example.com/`,
  `http://127.0.0.1:${target}#@example.com/`,
  `http://example.com@127.0.0.1:${target}/`,
  `http://user:secret@loopback.example:${target}/`,
  `http://127.0.0.1:${target}@example.com/`,
  `ftp://127.0.0.1:${target}/`,
  `gopher://127.0.0.1:${target}/_x`,
  `ws://127.0.0.1:${target}/`,
  `dict://127.0.0.1:${target}/x`,
  'file:///etc/passwd',
  'data:text/html,x',
  'javascript:alert(1)',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
];

const refusal = /must |not on the public internet|credentials|Invalid URL|fetch.*scheme/;

describe.each(doors)('%s', (_name, door) => {
  test('no spelling of a place that may not be called is connected to', async () => {
    const urls = urlsOf(port);
    expect(urls.length).toBeGreaterThan(100);
    for (const url of urls) {
      expect(await door(url, { allow_private: false, resolve }), url).toMatch(refusal);
    }
    expect(connections).toBe(0);
  });

  test('the canary hears those that are let through', async () => {
    const outcome = await door(`http://loopback.example:${port}/`, {
      allow_private: true,
      resolve,
    });
    expect(outcome).not.toMatch(refusal);
    expect(connections).toBeGreaterThan(0);
  });

  test('no redirect leads where a first request may not go', async () => {
    let asked = 0;
    const origin = await serve((request, response) => {
      asked += 1;
      const { searchParams, pathname } = new URL(request.url ?? '', 'http://x');
      const location = searchParams.get('to') ?? '';
      const next = pathname === '/twice' ? `/once?to=${encodeURIComponent(location)}` : location;
      response.writeHead(307, { location: next }).end();
    });
    const targets = [
      ...['0.0.0.0', '0', '0x0', '[::]', '[::127.0.0.1]', 'any.example', 'six-any.example'].map(
        (host) => `http://${host}:${port}/`,
      ),
      ...['http://169.254.169.254/', 'http://metadata.example/', 'file:///etc/passwd'],
      ...[`http://user:secret@127.0.0.1:${port}/`, `gopher://127.0.0.1:${port}/`],
    ];
    for (const hops of ['once', 'twice']) {
      for (const target of targets) {
        const outcome = await door(`${origin}/${hops}?to=${encodeURIComponent(target)}`, {
          allow_private: true,
          resolve,
        });
        expect(outcome, target).not.toMatch(/hit/);
      }
    }
    expect(asked).toBeGreaterThanOrEqual(2 * targets.length);
    expect(connections).toBe(0);
  });

  test('a name that changes its address is asked anew, and refused, for each request', async () => {
    let calls = 0;
    const origin = await serve((request, response) => {
      calls += 1;
      response.writeHead(307, { location: `http://${request.headers.host}/again` }).end();
    });
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '0.0.0.0', family: 4 }];
    };
    const url = `http://rebinding.example:${new URL(origin).port}/`;
    await door(url, { allow_private: true, resolve: rebinding });
    expect(calls).toBe(1);
    await door(url, { allow_private: true, resolve: rebinding });
    expect(calls).toBe(1);
  });
});
