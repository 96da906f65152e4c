import { BlockList, isIP } from 'node:net';

/**
 * Where an address leads: to the internet, into a private network, or nowhere that a request of ours
 * has any business (cloud metadata, multicast, reserved ranges).
 */
export type AddressClass = 'public' | 'private' | 'forbidden';

const privateRanges = listOf([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // Meant for benchmarks; some closed networks route it.
  ['198.18.0.0', 15],
  ['::1', 128],
  ['fc00::', 7],
  ['fec0::', 10],
]);

const metadataAddresses = listOf([
  // Inside ranges that may be allowed as private.
  ['100.100.100.200', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  // Looks public, answers from the host it is asked on.
  ['168.63.129.16', 32],
]);

const reservedRanges = listOf([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
]);

// All that is handed out as global unicast; what lies outside is reserved.
const globalIpv6 = listOf([['2000::', 3]]);

/** Says where an address leads; an IPv6 address that stands for an IPv4 one leads where that leads. */
export function classifyAddress(address: string): AddressClass {
  const family = isIP(address);
  // A zone only makes sense on a link of this machine.
  if (family === 0 || address.includes('%')) return 'forbidden';
  const inner = family === 6 ? innerIpv4(toGroups(address)) : null;
  if (inner !== null) return classifyAddress(inner);
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (metadataAddresses.check(address, type)) return 'forbidden';
  if (privateRanges.check(address, type)) return 'private';
  if (reservedRanges.check(address, type)) return 'forbidden';
  return type === 'ipv4' || globalIpv6.check(address, type) ? 'public' : 'forbidden';
}

function listOf(ranges: [address: string, prefix: number][]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) {
    list.addSubnet(address, prefix, address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function toGroups(address: string): number[] {
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return parse(head);
  const left = parse(head);
  const right = parse(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

// Mapped and translated addresses, NAT64 and 6to4 carry the IPv4 address that a packet ends up at.
function innerIpv4(groups: number[]): string | null {
  const starts = (...prefix: number[]) => prefix.every((group, index) => groups[index] === group);
  if (starts(0x2002)) return dotted(groups[1], groups[2]);
  const carries =
    starts(0, 0, 0, 0, 0, 0xffff) ||
    starts(0, 0, 0, 0, 0xffff, 0) ||
    starts(0x64, 0xff9b, 0, 0, 0, 0);
  return carries ? dotted(groups[6], groups[7]) : null;
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
