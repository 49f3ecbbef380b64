/** One classic BPF instruction, as in `struct sock_filter`. */
export interface Instruction {
  code: number;
  jumpTrue: number;
  jumpFalse: number;
  k: number;
}

/** Encodes a BPF program in the form that the kernel reads. */
export function encode(filter: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(filter.length * 8);
  for (const [index, instruction] of filter.entries()) {
    bytes.writeUInt16LE(instruction.code, index * 8);
    bytes.writeUInt8(instruction.jumpTrue, index * 8 + 2);
    bytes.writeUInt8(instruction.jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(instruction.k, index * 8 + 4);
  }
  return bytes;
}
