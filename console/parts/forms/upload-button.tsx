import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Media } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { toast, toastError } from '../over/toast.tsx';
import { Button } from './button.tsx';

interface Props {
  label: string;
  /** The next step, after the name of the file. */
  next: string;
  onUploaded: (media: Media) => void;
}

/** Uploads a picture of the machine that the console is open on. */
export function UploadButton({ label, next, onUploaded }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const isBusy = useSignal(false);
  async function upload(file: File | undefined): Promise<void> {
    if (!file) return;
    isBusy.value = true;
    try {
      onUploaded(await api.media.upload(file));
      toast(`Uploaded ${file.name}; ${next}`, { kind: 'good' });
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
        aria-label="Picture to upload"
        onChange={(event) => void upload(event.currentTarget.files?.[0])}
      />
      <Button
        isSmall
        icon="import"
        operation="media.upload"
        isBusy={isBusy.value}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
    </>
  );
}
