import { codeOf, messageOf, TwotrackError } from '../errors.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not. Check the permissions',
  EPERM: 'this user may not. Check the permissions',
  EROFS: 'the disk is read-only. Choose another folder',
  ENOSPC: 'the disk is full. Free some space',
  EDQUOT: 'the quota is used up. Free some space',
  EFBIG: 'the file would be larger than the system allows',
  EISDIR: 'a folder is where a file should be. Move it away',
  ENOTDIR: 'a file is where a folder should be. Move it away or choose another folder',
  EEXIST: 'something else is there already. Move it away',
  ENOENT: 'the system does not let it be created there. Choose another folder',
  EMFILE: 'too many files are open',
}

/** A failed system call, said for people. An error that already is ours stays as it is. */
export function diskError(doing: string, path: string, cause: unknown): TwotrackError {
  if (cause instanceof TwotrackError) return cause
  const code = codeOf(cause)
  const reason = (code && reasons[code]) ?? messageOf(cause)
  return new TwotrackError('io', `Can't ${doing} ${path}: ${reason}.`, { cause, details: { path, code } })
}
