import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { searchAttributeNames } from '../workflows/attributes/names.ts';

const retention = msToTs('30 days');
const keyword = 2; // INDEXED_VALUE_TYPE_KEYWORD

/**
 * Resolves when the namespace is there with every search attribute. Our own server keeps closed runs for 30 days instead of
 * one, so that operators can look at last week's failures; another's retention is its owner's business.
 */
export async function prepareNamespace(address: string, namespace: string, { own }: { own: boolean }): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: own ? 1_000 : 10_000 });
  try {
    await connection.withDeadline(Date.now() + 5_000, async () => {
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      const missing = searchAttributeNames.filter((name) => !(name in (customAttributes ?? {})));
      if (missing.length > 0) {
        const wanted = Object.fromEntries(missing.map((name) => [name, keyword]));
        await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: wanted });
      }
      const kept = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
      if (own && kept < Number(retention.seconds)) {
        const update = { workflowExecutionRetentionTtl: retention };
        await connection.workflowService.updateNamespace({ namespace, config: update });
      }
    });
  } finally {
    await connection.close();
  }
}
