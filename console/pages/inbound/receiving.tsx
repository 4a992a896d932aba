import type { Domain } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { counted } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { type Query, useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';

const DOMAINS_MAX = 100;

/** The domains whose mail comes here, those that wait for their MX record too. */
export function useReceiving(): Query<Domain[]> {
  return useQuery((signal) =>
    api.domains
      .list({ limit: DOMAINS_MAX }, { signal })
      .then(({ domains }) => domains.filter(({ inboundEnabledAt }) => inboundEnabledAt !== null)),
  );
}

/** Every address of a domain that receives is one of the project. */
export function ReceivingNote({ query }: { query: Query<Domain[]> }) {
  const live = query.data.value?.filter(isLive) ?? [];
  const [first] = live;
  if (!first) return null;
  const where = live.length === 1 ? first.domainName : counted(live.length, 'domain');
  return (
    <a class="link" href={to('/domains', live.length === 1 ? { domain: first.id } : {})}>
      Receives at every address of {where}
    </a>
  );
}

/** The step that is missing before mail can come. */
export function NothingYet({ query }: { query: Query<Domain[]> }) {
  const domains = query.data.value;
  if (domains === null)
    return <Empty title="No mail yet">Mail to the domains that receive comes here, by conversation.</Empty>;
  const [waiting] = domains.filter((domain) => !isLive(domain));
  const [live] = domains.filter(isLive);
  if (live)
    return (
      <Empty title="No mail yet">
        Every address at {live.domainName} receives, for example support@{live.domainName}. Mail appears here as it
        comes, by conversation.
      </Empty>
    );
  if (waiting)
    return (
      <Empty
        title={`${waiting.domainName} waits for its MX record`}
        action={
          <Button kind="first" href={to('/domains', { domain: waiting.id })}>
            Show the record
          </Button>
        }
      >
        Publish the record where the DNS of the domain is managed. Mail comes here from the moment at which it is found.
      </Empty>
    );
  return (
    <Empty
      title="No domain receives mail"
      action={
        <Button kind="first" href={to('/domains')}>
          Choose a domain
        </Button>
      }
    >
      Open a verified domain, press Receive mail, and publish the MX record that it shows. Answers to your mails and
      letters to any address of the domain then come here, by conversation.
    </Empty>
  );
}

function isLive({ inboundDomainVerifiedAt }: Domain): boolean {
  return inboundDomainVerifiedAt !== null;
}
