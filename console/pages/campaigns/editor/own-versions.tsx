import type { Template } from '../../../../client/index.ts';
import { ThroughVersions } from '../../../mail-editor/versions/lazy.tsx';
import { toast } from '../../../parts/over/toast.tsx';
import { versionedOf } from '../../templates/calls.ts';
import { callsOfTemplate } from '../../templates/head.tsx';
import { mailIn, type OwnMail } from './own-mail.ts';

/** The mail of a campaign at each version that was saved. To bring one back is a change in the editor, saved as every other. */
export function OwnVersions({
  template,
  onRestore,
}: {
  /** Of the campaign alone, as it was saved. */
  template: Template;
  onRestore: (mail: OwnMail, about: { subject: string; previewText: string }) => void;
}) {
  const calls = callsOfTemplate(template.templateId);
  const restore = async (version: number) => {
    const { subject, previewText, ...saved } = await calls.get({ version: String(version) });
    onRestore(mailIn(saved), { subject, previewText });
    toast(`Version ${version} is in the editor again`, { kind: 'good' });
  };
  return <ThroughVersions of={{ ...versionedOf(calls, template, restore), operation: 'campaigns.update' }} />;
}
