import type { Sender } from '../../core/domains/model.ts';

export function presentSender({ _id, email, name, replyTo, createdAt, updatedAt }: Sender) {
  return { id: _id, email, name, replyTo, createdAt, updatedAt };
}
