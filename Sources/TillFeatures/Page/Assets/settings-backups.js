// Backups: the copy that is kept meanwhile, the last backup, and how it is verified.

import { ask } from "./calls.js";
import { time } from "./dom.js";
import { banner, card, cards, commands, standing } from "./settings-parts.js";

/** A backup that is older is too old. */
const OLD_DAYS = 7;
const DAY_MS = 86_400_000;
/** A copy that is further behind is not kept up. */
const BEHIND_SECONDS = 1_200;

const isOld = (backup) => (Date.now() - Date.parse(backup.at)) / DAY_MS > OLD_DAYS;

/** @param {any} copy */
function copied(copy) {
  const isBehind = copy.behind_seconds > BEHIND_SECONDS;
  return card({
    shape: "shield", title: "Copy", under: copy.folder,
    badge: isBehind ? standing("stop", "Behind") : standing("paid", "Up to date"),
    facts: [
      ["Behind", copy.behind_seconds === 0 ? "Nothing: it is as new as the journal."
        : `It may lack the last ${copy.behind_seconds} seconds.`],
      ["What now", isBehind && "Check the disk and the log; the copy before is kept."],
    ],
  });
}

/** @param {any} backup */
function backedUp(backup) {
  return card({
    shape: "shield", title: "Last backup", under: backup.path,
    badge: isOld(backup) ? standing("unsure", "Old") : standing("paid", "Recent"),
    facts: [["Made", time(backup.at)], ["Head", backup.head && "Recorded; the command below verifies the file by it."]],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "backups", title: "Backups", shape: "shield", permission: "settings",
  load: () => ask("GET", "/v1/settings/backups"),
  standing({ copy, last_backup: backup, restore }) {
    if (restore) return { tone: "stop", word: "Restoring", words: `${restore.sentence} ${restore.next}` };
    if (copy && copy.behind_seconds > BEHIND_SECONDS) {
      return { tone: "stop", word: "Behind", words: "The copy of the journal has fallen behind." };
    }
    if (!copy && !backup) {
      return { tone: "stop", word: "None", words: "No copy is kept, and no backup was made lately." };
    }
    if (!copy && isOld(backup)) {
      return { tone: "unsure", word: "Old", words: `Last backup: ${time(backup.at)}. Make another.` };
    }
    return { tone: "paid", word: "Kept", words: copy ? "A copy of the journal is kept continuously."
      : `Last backup: ${time(backup.at)}.` };
  },
  draw({ copy, last_backup: backup, restore }) {
    const list = [...(copy ? [copied(copy)] : []), ...(backup ? [backedUp(backup)] : [])];
    const head = backup?.head ? ` --head ${backup.head}` : "";
    const verify = `till journal verify --journal ${backup?.path ?? "FILE"}${head}`;
    return [
      ...(restore ? [banner("stop", `${restore.sentence} ${restore.next}`)] : []),
      ...(list.length ? [cards(list)] : []),
      commands("Backups are made, verified and restored there. Verify each once it is on its disk:",
        "till journal backup /mnt/other/till.db", verify, "till serve --copy-to /mnt/other/till"),
    ];
  },
};
