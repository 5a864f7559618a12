// The invitation of a link: a secret behind #, which no request for a page holds. It goes with the report, as a header.

const SECRET = /^[0-9a-f]{32}$/i;

/** The invitation of an address, 32 hexadecimal digits; null where there is none, or not all of it. */
export function invitationOf(fragment) {
  const found = new URLSearchParams(fragment.replace(/^#/, "")).get("invitation");
  return found !== null && SECRET.test(found) ? found.toLowerCase() : null;
}

/** The headers of an upload that comes by an invitation, or without. */
export const invited = (invitation) => (invitation === null ? {} : { "Sordino-Invitation": invitation });

/** Whether the collector takes reports by invitation alone. */
export async function needsInvitation() {
  const answer = await fetch("progress", { credentials: "omit", redirect: "error", cache: "no-store" });
  return answer.ok && (await answer.json()).invitations > 0;
}
