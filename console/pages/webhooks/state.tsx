import type { Webhook } from '../../../client/index.ts';
import { State } from '../../parts/data/state.tsx';

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.isActive)
    return <State tone="idle">{webhook.disabledReason ? 'Switched off by failures' : 'Off'}</State>;
  return webhook.failingSince ? <State tone="bad">Failing</State> : <State tone="good">On</State>;
}
