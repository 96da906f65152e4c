import { expect, test } from 'vitest';
import { classifyAddress } from './address-class.ts';
import { checkCallbackUrl } from './check-url.ts';

const open = [
  'https://example.com/hook',
  'http://example.com:8080/hook?token=1#part',
  'https://EXAMPLE.com./hook',
  'https://93.184.216.34/hook',
  'http://8.8.8.8.:8080/',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/hook',
  'https://[::ffff:8.8.8.8]/',
  'https://[64:ff9b::808:808]/',
  'https://[2002:808:808::1]/',
  'https://localhost.example.com/',
  'https://ip6-office.example.com/',
  'https://metadata.example.com/',
  'https://172.15.255.255/',
  'https://172.32.0.1/',
  'https://100.63.255.255/',
  'https://100.128.0.1/',
  'https://169.253.0.1/',
  'https://xn--bcher-kva.example/',
];

const notPublic = [
  // This machine, in all its spellings.
  'http://127.0.0.1/',
  'http://127.0.0.1./',
  'http://127.1/',
  'http://127.0.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0X7F.1/',
  'http://017700000001/',
  'http://0177.0.0.1/',
  'http://0177.0x0.0.01/',
  'http://127.0.0.1:80/',
  'http://127。0。0。1/',
  'http://①②⑦.0.0.1/',
  'http://%31%32%37.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'http:127.0.0.1',
  'http://127.0.0.1\\@example.com/',
  'http://127.0.0.1#@example.com/',
  'HTTP://127.0.0.1',
  'http://12\t7.0.0.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000::0001]:8080/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://localhost/',
  'http://LOCALHOST:3000/',
  'http://localhost./',
  'http://localhost../',
  'http://api.localhost/',
  'http://localhost.localdomain/',
  'http://ip6-localhost/',
  'http://ｌｏｃａｌｈｏｓｔ/',
  // Networks behind it.
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://0xa.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://3232235777/',
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://198.18.0.1/',
  'http://[fc00::1]/',
  'http://[fd12:3456:789a::1]/',
  'http://[fec0::1]/',
  'http://[2002:c0a8:101::1]/',
  'http://[::ffff:10.1.2.3]/',
];

const never = [
  // The whole of this machine, or of this link.
  'http://0.0.0.0/',
  'http://0/',
  'http://0x0/',
  'http://0.1.2.3/',
  'http://[::]/',
  'http://[::127.0.0.1]/',
  'http://[fe80::1]/',
  'http://[fe80::1%25eth0]/',
  'http://[fe80::1%eth0]/',
  'http://169.254.0.1/',
  // Clouds' metadata.
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::]/',
  'http://169.254.170.2/v2/credentials',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  'http://metadata.google.internal/',
  'http://metadata.google.internal./',
  'http://metadata/',
  // Multicast, broadcast, documentation, reserved.
  'http://224.0.0.1/',
  'http://239.255.255.250:1900/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://192.0.2.1/',
  'http://198.51.100.7/',
  'http://203.0.113.9/',
  'http://192.88.99.1/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://[2001::1]/',
  'http://[3fff::1]/',
  'http://[100::1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[5f00::1]/',
  'http://[4000::1]/',
  // Not for HTTP, or not a URL.
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'javascript:alert(1)',
  'data:text/plain,x',
  'ws://example.com/',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  '//example.com/',
  'example.com',
  '',
  'http://',
  'http://./',
  'http://127.0.0.1.256/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://exa mple.com/',
  'http://example.com:99999/',
  // Whose part before the @ is meant to be taken for the host, or is a secret.
  'http://example.com@127.0.0.1/',
  'http://user:secret@example.com/',
  'http://user@example.com/',
];

test.each(open)('%j may be called', (url) => {
  expect(checkCallbackUrl(url, false)).toBeNull();
  expect(checkCallbackUrl(url, true)).toBeNull();
});

test.each(notPublic)('%j may be called in a closed network alone', (url) => {
  expect(checkCallbackUrl(url, false)).toMatch(/^must not point to/);
  expect(checkCallbackUrl(url, true)).toBeNull();
});

test.each(never)('%j is never called', (url) => {
  expect(checkCallbackUrl(url, false)).toMatch(/^must /);
  expect(checkCallbackUrl(url, true)).toMatch(/^must /);
});

test('a refusal does not repeat the secrets of a URL', () => {
  const refusal = checkCallbackUrl('http://user:secret@10.0.0.1/hook?token=hidden', false);
  expect(refusal).not.toMatch(/secret|hidden/);
});

// What a resolver may answer, beyond what a URL can spell.
test.each([
  ['fe80::1%eth0', 'forbidden'],
  ['::ffff:10.0.0.1%1', 'forbidden'],
  ['not an address', 'forbidden'],
  ['', 'forbidden'],
  ['::FFFF:7F00:0001', 'private'],
  ['1:2:3:4:5:6:7:8', 'forbidden'],
  ['2606:4700::', 'public'],
  ['2606:4700:0:0:0:0:127.0.0.1', 'public'],
  ['1.1.1.1', 'public'],
])('the address %j is %s', (address, found) => {
  expect(classifyAddress(address)).toBe(found);
});
