export { maskValues } from "./masking/mask-values.ts";
export type { MaskedStream } from "./masking/masked-stream.ts";
export { SecretMask } from "./masking/secret-mask.ts";
