// Passkeys: what a browser asks an authenticator for, and what it brings back, as text that goes over HTTP.

import { ask } from "./requests.js";
import { foreign } from "./words.js";

/** Whether this browser makes passkeys for this page at all. */
export const canUsePasskeys = () => isSecureContext && "PublicKeyCredential" in window;

/** @param {string} text Base64url. */
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));

/** @param {ArrayBuffer} buffer */
const text = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");

/** Signs in with whichever passkey of this page somebody chooses. */
export async function signInWithPasskey() {
  const asked = await ask("POST", "/session/passkey", "{}");
  const found = /** @type {PublicKeyCredential} */ (await navigator.credentials.get({
    publicKey: {
      challenge: bytes(asked.challenge), rpId: asked.relying_party, timeout: asked.timeout_ms,
      userVerification: "required",
    },
  }));
  const answer = /** @type {AuthenticatorAssertionResponse} */ (found.response);
  const passkey = {
    credential: text(found.rawId), client_data: text(answer.clientDataJSON),
    authenticator_data: text(answer.authenticatorData), signature: text(answer.signature),
    user: text(answer.userHandle ?? new ArrayBuffer(0)),
  };
  await ask("POST", "/session", JSON.stringify({ passkey }));
}

/** Adds one for whoever is signed in. @param {string} name What it is to be called. */
export async function addPasskey(name) {
  const passkey = await make(await ask("POST", "/session/passkeys/challenge", "{}"));
  return await ask("POST", "/session/passkeys", JSON.stringify({ name, passkey }));
}

/** Makes one for whoever is invited, instead of a password. @param {string} invitation @param {string} name */
export async function enrolWithPasskey(invitation, name) {
  const passkey = await make(await ask("POST", "/session/invitation/passkey", JSON.stringify({ invitation })));
  await ask("POST", "/session/enrolment", JSON.stringify({ invitation, name, passkey }));
}

/** Has the authenticator make what was asked for. */
async function make(asked) {
  const made = /** @type {PublicKeyCredential} */ (await navigator.credentials.create({
    publicKey: {
      challenge: bytes(asked.challenge), timeout: asked.timeout_ms, attestation: "none",
      rp: { id: asked.relying_party, name: asked.shop },
      user: { id: bytes(asked.user), name: asked.name, displayName: asked.name },
      pubKeyCredParams: asked.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: asked.known.map((id) => ({ type: "public-key", id: bytes(id) })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    },
  }));
  const answer = /** @type {AuthenticatorAttestationResponse} */ (made.response);
  return { client_data: text(answer.clientDataJSON), attestation: text(answer.attestationObject) };
}

/** Why the browser made or found none. @param {unknown} error */
export function whyNoPasskey(error) {
  if (!(error instanceof DOMException)) return null;
  if (error.name === "InvalidStateError") {
    return foreign("This device has a passkey for you already. Nothing was changed.");
  }
  if (error.name === "NotAllowedError") return foreign("The browser canceled it, or has no passkey for this page.");
  return foreign(`The browser refused: ${error.message}`);
}
