// Backups: the copy that is kept meanwhile, the last backup, and how it is verified.

import { ask } from "./calls.js";
import { time } from "./clock.js";
import { banner, card, cards, commands, standing } from "./settings-parts.js";
import { foreign, say } from "./words.js";

/** A backup that is older is too old. */
const OLD_DAYS = 7;
const DAY_MS = 86_400_000;
/** A copy that is further behind is not kept up. */
const BEHIND_SECONDS = 1_200;

const isOld = (backup) => (Date.now() - Date.parse(backup.at)) / DAY_MS > OLD_DAYS;

/** What is said of a restore. @param {any} restore */
const restoring = ({ sentence, next }) => foreign(`${sentence} ${next}`);

/** @param {any} copy */
function copied(copy) {
  const isBehind = copy.behind_seconds > BEHIND_SECONDS;
  return card({
    shape: "shield", title: say("settings.copy"), under: copy.folder,
    badge: isBehind ? standing("stop", say("settings.behind")) : standing("paid", say("settings.upToDate")),
    facts: [
      [say("settings.behind"), copy.behind_seconds === 0 ? say("settings.nothingBehind")
        : say("settings.mayLack", { count: copy.behind_seconds })],
      [say("settings.whatNow"), isBehind && say("settings.checkDisk")],
    ],
  });
}

/** @param {any} backup */
function backedUp(backup) {
  return card({
    shape: "shield", title: say("settings.lastBackup"), under: backup.path,
    badge: isOld(backup) ? standing("unsure", say("settings.old")) : standing("paid", say("settings.recent")),
    facts: [
      [say("settings.made"), time(backup.at)], [say("settings.head"), backup.head && say("settings.headRecorded")],
    ],
  });
}

/** @type {import("./settings.js").Section} */
export const section = {
  id: "backups", title: say("settings.backups"), shape: "shield", permission: "settings",
  load: () => ask("GET", "/v1/settings/backups"),
  standing({ copy, last_backup: backup, restore }) {
    if (restore) return { tone: "stop", word: say("settings.restoring"), words: restoring(restore) };
    if (copy && copy.behind_seconds > BEHIND_SECONDS) {
      return { tone: "stop", word: say("settings.behind"), words: say("settings.copyBehind") };
    }
    if (!copy && !backup) {
      return { tone: "stop", word: say("settings.none"), words: say("settings.noBackup") };
    }
    if (!copy && isOld(backup)) {
      return { tone: "unsure", word: say("settings.old"), words: say("settings.backupOld", { time: time(backup.at) }) };
    }
    return { tone: "paid", word: say("settings.kept"), words: copy ? say("settings.copyKept")
      : say("settings.backupAt", { time: time(backup.at) }) };
  },
  draw({ copy, last_backup: backup, restore }) {
    const list = [...(copy ? [copied(copy)] : []), ...(backup ? [backedUp(backup)] : [])];
    const head = backup?.head ? ` --head ${backup.head}` : "";
    const verify = `till journal verify --journal ${backup?.path ?? "FILE"}${head}`;
    return [
      ...(restore ? [banner("stop", restoring(restore))] : []),
      ...(list.length ? [cards(list)] : []),
      commands(say("settings.backupsThere"),
        "till journal backup /mnt/other/till.db", verify, "till serve --copy-to /mnt/other/till"),
    ];
  },
};
