import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Media } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Button } from '../../parts/forms/button.tsx';
import { toast, toastError } from '../../parts/over/toast.tsx';

/** Uploads a picture of the machine that the console is open on. */
export function UploadButton({ onUploaded }: { onUploaded: (media: Media) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isBusy = useSignal(false);
  async function upload(file: File | undefined): Promise<void> {
    if (!file) return;
    isBusy.value = true;
    try {
      onUploaded(await api.media.upload(file));
      toast(`Uploaded ${file.name}; describe it in alt`, { kind: 'good' });
    } catch (error) {
      toastError(error);
    } finally {
      isBusy.value = false;
      if (input.current) input.current.value = '';
    }
  }
  return (
    <>
      <input
        ref={input}
        class="sr"
        type="file"
        tabIndex={-1}
        accept="image/png,image/jpeg,image/gif,image/webp"
        aria-label="Picture to insert"
        onChange={(event) => void upload(event.currentTarget.files?.[0])}
      />
      <Button
        isSmall
        icon="import"
        operation="media.upload"
        isBusy={isBusy.value}
        onClick={() => input.current?.click()}
      >
        Insert a picture
      </Button>
    </>
  );
}
