import { EverpostError } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { type Opened, readText } from './transport.ts';

/** `data` of the envelope. JSON that does not end is an answer that was cut off. */
export async function dataOf(operation: Operation, opened: Opened): Promise<unknown> {
  const { headers, status } = opened.response;
  const text = await readText(opened);
  const fields = { status, requestId: headers.get('x-request-id') };
  if (!headers.get('content-type')?.startsWith('application/json'))
    throw new EverpostError('The answer is not JSON: is baseUrl the address of an Everpost API?', fields);
  const data = parse(text, fields);
  if (operation.secret && headers.get('idempotency-replayed') && !(operation.secret in (data as object)))
    throw new EverpostError(lostSecret, { ...fields, code: 'SECRET_LOST', record: data });
  return data;
}

const lostSecret =
  'It was made, but its secret was in an answer that did not arrive, and is not shown again: delete what `record` names and make another, or rotate its secret.';

function parse(text: string, fields: { requestId: string | null }): unknown {
  try {
    return JSON.parse(text).data;
  } catch (cause) {
    throw new EverpostError('The answer was cut off.', { ...fields, code: 'NETWORK', cause });
  }
}
