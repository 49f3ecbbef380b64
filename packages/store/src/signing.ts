export {
  addSigningKey,
  deleteSigningKey,
  readSessionSigningKey,
} from "./signing/signing-key-store.ts";
export { gitSignature } from "./signing/ssh-signature.ts";
