import CTillProcess
import TillCore

/// What the process does before anything else, so that card numbers and keys in its memory, and what it writes, stay
/// its user's.
enum ProcessSeal {
    /// Shuts core dumps, other processes' view of its memory, and its files to everybody else. What is freed from then
    /// on is zeroed in any case (`wipe.c`).
    static func close() {
        let code = till_process_seal()
        guard code != 0 else { return }
        Output.note(
            "The system does not shut this process's memory to other programs of the same user (error \(code)). "
                + "Payments work; run nothing else under this user.")
    }
}
