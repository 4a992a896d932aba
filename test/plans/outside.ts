import { anyFreePort } from '../../stack/ports.ts';
import { startImageHost } from '../providers/images.ts';
import { type ProviderA, startProviderA } from '../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../providers/provider-b.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';

/** Stand-ins for the servers that lanes call: both providers, a host of pictures, DNS, a receiver of webhooks. */
export interface Outside {
  a: ProviderA;
  b: ProviderB;
  imagesUrl: string;
  dns: DnsStandIn;
  hooks: Receiver;
  /** Settings that name them. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

export async function openOutside(): Promise<Outside> {
  const [a, b, images] = await Promise.all([startProviderA([]), startProviderB([]), startImageHost()]);
  const [dns, hooks] = await Promise.all([startDnsStandIn(), startReceiver(await anyFreePort())]);
  const hosts = [images.url, a.files.url, hooks.url].map((url) => new URL(url).host);
  return {
    ...{ a, b, imagesUrl: images.url, dns, hooks },
    env: {
      ...{ PROVIDER_A_URL: a.url, PROVIDER_B_URL: b.url, PROVIDER_B_RATE: '500', MIGRATION_PATIENCE_SECONDS: '0' },
      ...{ PROVIDER_A_IMAGE_HOSTS: hosts[0] ?? '', ALLOW_PRIVATE_URLS: hosts.join(',') },
      ...{ DNS_SERVERS: dns.address, MAIL_HOST: 'mail.everpost.test' },
    },
    async stop() {
      await Promise.all([a, b, images, dns, hooks].map((server) => server.stop()));
    },
  };
}
