// Signing in to the back office as oneself: with a name, a password and the code of an app; and choosing them, by
// the link that whoever manages the staff has made.

import { $ } from "./dom.js";
import { inviteGate, openGate, shutGate } from "./gate.js";
import { canUsePasskeys, enrolWithPasskey, signInWithPasskey, whyNoPasskey } from "./passkeys.js";
import { admit, ask } from "./requests.js";
import { admitted, reason } from "./sign-in.js";
import { parts, say } from "./words.js";

const INVITE = "invite=";
const SVG = "http://www.w3.org/2000/svg";
/** Light modules around a QR code. */
const EDGE = 4;
let invitation = "";

const explain = (id, why) => {
  $(id).replaceChildren(...parts(why));
  $(id).hidden = !why;
};
const digits = (id) => $(id).value.replace(/\s/g, "");

$("office-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = $("office-name").value.trim();
  const password = $("office-password").value;
  const code = digits("office-code");
  $("office-code").value = "";
  if (!name || !password || !code) return explain("office-why", say("session.missing"));
  explain("office-why", "");
  try {
    await ask("POST", "/session", JSON.stringify({ name, password, code }));
    $("office-password").value = "";
    openGate();
  } catch (error) {
    explain("office-why", reason(error));
    $("office-code").focus();
  }
});

$("office-passkey").hidden = !canUsePasskeys();
$("office-passkey").addEventListener("click", async () => {
  explain("office-why", "");
  try {
    await signInWithPasskey();
    openGate();
  } catch (error) {
    const why = whyNoPasskey(error);
    explain("office-why", why ?? reason(error));
  }
});

/** A QR code of rows of 0 and 1. @param {string[]} rows */
function picture(rows) {
  const svg = document.createElementNS(SVG, "svg");
  const size = rows.length + 2 * EDGE;
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", say("invited.picture"));
  svg.setAttribute("shape-rendering", "crispEdges");
  const dark = rows.flatMap((row, y) =>
    [...row].map((module, x) => (module === "1" ? `M${x + EDGE} ${y + EDGE}h1v1h-1z` : "")));
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", dark.join(""));
  svg.append(path);
  return svg;
}

/** Shows what an invited person needs. The link's word leaves the address first, as a start code does. */
async function useInvitation() {
  const hash = location.hash.slice(1);
  if (!hash.startsWith(INVITE)) return;
  history.replaceState(null, "", location.pathname + location.search);
  const word = hash.slice(INVITE.length);
  try {
    const offer = await ask("POST", "/session/invitation", JSON.stringify({ invitation: word }));
    invitation = word;
    $("invited-title").textContent = say("invited.titleOf", { name: offer.name });
    $("invited-name").value = offer.name;
    $("invited-picture").replaceChildren(...(offer.picture ? [picture(offer.picture)] : []));
    $("invited-secret").textContent = offer.secret.replace(/(.{4})(?=.)/g, "$1 ");
    $("invited-address").href = offer.address;
    $("invited-minimum").textContent = say("invited.password", { count: offer.minimum_characters });
    $("invited-passkey-name").value ||= say("invited.passkeyDefault");
    inviteGate();
    $(canUsePasskeys() ? "invited-passkey-name" : "invited-password").focus();
  } catch (error) {
    shutGate(reason(error));
  }
}

$("invited-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = { invitation, password: $("invited-password").value, code: digits("invited-code") };
  $("invited-code").value = "";
  if (!body.password || !body.code) return explain("invited-why", say("invited.missing"));
  explain("invited-why", "");
  try {
    await ask("POST", "/session/enrolment", JSON.stringify(body));
    location.replace("/");
  } catch (error) {
    explain("invited-why", reason(error));
    $("invited-why").scrollIntoView({ block: "nearest" });
  }
});

$("invited-with-passkey").hidden = !canUsePasskeys();
$("invited-passkey-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = $("invited-passkey-name").value.trim();
  if (!name) return explain("invited-why", say("invited.nameMissing"));
  explain("invited-why", "");
  try {
    await enrolWithPasskey(invitation, name);
    location.replace("/");
  } catch (error) {
    explain("invited-why", whyNoPasskey(error) ?? reason(error));
    $("invited-why").scrollIntoView({ block: "nearest" });
  }
});

/** Done when it is known whether somebody was invited. */
export const invited = admitted.then(useInvitation);
admit(invited);
window.addEventListener("hashchange", useInvitation);
