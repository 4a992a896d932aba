import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Media } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { toast, toastError } from '../over/toast.tsx';
import { Button, type ButtonProps } from './button.tsx';

interface UploadProps {
  label: string;
  /** The next step, after the name of the file. */
  next: string;
  onUploaded: (media: Media) => void;
}

/** Uploads a picture. */
export function UploadButton({ label, next, onUploaded }: UploadProps) {
  return (
    <FileButton
      {...{ label, name: 'Picture to upload', isSmall: true, icon: 'import', operation: 'media.upload' }}
      accept="image/png,image/jpeg,image/gif,image/webp"
      onFile={async (file) => {
        onUploaded(await api.media.upload(file));
        toast(`Uploaded ${file.name}; ${next}`, { kind: 'good' });
      }}
    />
  );
}

interface FileProps extends Pick<ButtonProps, 'icon' | 'isSmall' | 'operation'> {
  label: string;
  /** Of the file, for screen readers. */
  name: string;
  accept: string;
  onFile: (file: File) => PromiseLike<unknown>;
}

/** Asks for a file of the machine that the console is open on; the same one can be chosen again. */
export function FileButton({ label, name, accept, onFile, ...look }: FileProps) {
  const input = useRef<HTMLInputElement>(null);
  const isBusy = useSignal(false);
  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    isBusy.value = true;
    try {
      await onFile(file);
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
        accept={accept}
        aria-label={name}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <Button {...look} isBusy={isBusy.value} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
}
